"""Artifacts in an object store, laid out as seed 000 says: <kind>s/<request id>/<name>."""

from __future__ import annotations

import hashlib
import re
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mesh.clock import Clock
from mesh.errors import INVALID_ARGUMENT, NOT_FOUND, AssayError
from mesh.storage.objects.port import ObjectStore
from services.executor.domain.artifact import KINDS, Artifact
from services.executor.ports import Admit

_SAFE_NAME = re.compile(r"[^A-Za-z0-9._-]+")
_SAFE_PART = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,180}")


class StoredArtifacts:
    """The ArtifactStore port on an object store."""

    def __init__(self, objects: ObjectStore, clock: Clock) -> None:
        self._objects = objects
        self._clock = clock

    def put(
        self,
        request_id: str,
        name: str,
        kind: str,
        media_type: str,
        content: bytes,
        metadata: Mapping[str, Any],
        admit: Admit | None = None,
    ) -> Artifact:
        """Store a file under a safe name; another content of that name gets a number behind it."""
        if kind not in KINDS:
            raise AssayError(INVALID_ARGUMENT, f"{kind!r} is no artifact type")
        digest = hashlib.sha256(content).hexdigest()
        reference = self._free(f"{KINDS[kind]}/{_part(request_id)}", _safe(name), content)
        if admit is not None:
            admit(reference, len(content))
        if self._objects.size(reference) is None:
            self._objects.write(reference, content, "executor: artifact")
        place = self._objects.place(reference)
        return Artifact(
            # The same file stored again by a repeated call is the same artifact.
            artifact_id=uuid.uuid5(uuid.NAMESPACE_OID, f"{reference}:{digest}").hex,
            request_id=request_id,
            artifact_type=kind,
            content_ref=reference,
            content_hash=digest,
            metadata=dict(metadata),
            size_bytes=len(content),
            created_at=self._clock.now(),
            local_path=str(place or ""),
            media_type=media_type,
        )

    def read(self, content_ref: str, piece: int) -> Iterator[bytes]:
        """The file in pieces."""
        try:
            with self._objects.open(_reference(content_ref)) as file:
                while data := file.read(piece):
                    yield data
        except FileNotFoundError as error:
            raise _absent(content_ref) from error

    def delete(self, content_ref: str) -> None:
        """Remove a file."""
        self._objects.delete(_reference(content_ref))

    def _free(self, folder: str, name: str, content: bytes) -> str:
        stem, dot, suffix = name.rpartition(".")
        number = 1
        reference = f"{folder}/{name}"
        while self._taken(reference, content):
            number += 1
            numbered = f"{stem}_{number}{dot}{suffix}" if dot else f"{name}_{number}"
            reference = f"{folder}/{numbered}"
        return reference

    def _taken(self, reference: str, content: bytes) -> bool:
        """Whether another content lies there."""
        size = self._objects.size(reference)
        if size is None:
            return False
        return size != len(content) or self._objects.read(reference) != content


def _reference(content_ref: str) -> str:
    parts = content_ref.split("/")
    if len(parts) != 3 or not all(map(_SAFE_PART.fullmatch, parts)):
        raise _absent(content_ref)
    return content_ref


def _absent(content_ref: str) -> AssayError:
    return AssayError(
        NOT_FOUND,
        f"there is no artifact {content_ref!r}: it went with its job's session, or never was here",
    )


def _safe(name: str) -> str:
    cleaned = _SAFE_NAME.sub("_", Path(name).name).strip("._-")[:120]
    return cleaned or "artifact"


def _part(text: str) -> str:
    if not _SAFE_PART.fullmatch(text):
        raise AssayError(INVALID_ARGUMENT, f"{text[:40]!r} is not an id")
    return text
