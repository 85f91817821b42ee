"""Artifacts in a local folder, laid out as seed 000 says: <kind>s/<request id>/<name>."""

from __future__ import annotations

import hashlib
import re
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mesh.clock import Clock
from mesh.errors import INVALID_ARGUMENT, NOT_FOUND, AssayError
from mesh.files import write_durably
from services.executor.domain.artifact import KINDS, Artifact

_SAFE_NAME = re.compile(r"[^A-Za-z0-9._-]+")
_SAFE_PART = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,180}")


class ArtifactFolder:
    """The ArtifactStore port on a disk."""

    def __init__(self, root: Path, clock: Clock) -> None:
        self._root = root
        self._clock = clock

    def put(
        self,
        request_id: str,
        name: str,
        kind: str,
        media_type: str,
        content: bytes,
        metadata: Mapping[str, Any],
    ) -> Artifact:
        """Store a file under a safe name; another content of that name gets a number behind it."""
        if kind not in KINDS:
            raise AssayError(INVALID_ARGUMENT, f"{kind!r} is no artifact type")
        digest = hashlib.sha256(content).hexdigest()
        path = self._free(self._root / KINDS[kind] / _part(request_id), _safe(name), content)
        if not path.exists():
            write_durably(path, content)
        reference = path.relative_to(self._root).as_posix()
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
            local_path=str(path),
            media_type=media_type,
        )

    def read(self, content_ref: str, piece: int) -> Iterator[bytes]:
        """The file in pieces."""
        parts = content_ref.split("/")
        path = self._root.joinpath(*parts)
        if len(parts) != 3 or not all(map(_SAFE_PART.fullmatch, parts)) or not path.is_file():
            raise AssayError(NOT_FOUND, f"there is no artifact {content_ref!r}")
        with path.open("rb") as file:
            while data := file.read(piece):
                yield data

    @staticmethod
    def _free(folder: Path, name: str, content: bytes) -> Path:
        stem, dot, suffix = name.rpartition(".")
        number = 1
        path = folder / name
        while path.exists() and path.read_bytes() != content:
            number += 1
            path = folder / (f"{stem}_{number}{dot}{suffix}" if dot else f"{name}_{number}")
        return path


def _safe(name: str) -> str:
    cleaned = _SAFE_NAME.sub("_", Path(name).name).strip("._")[:120]
    return cleaned or "artifact"


def _part(text: str) -> str:
    if not _SAFE_PART.fullmatch(text):
        raise AssayError(INVALID_ARGUMENT, f"{text[:40]!r} is not an id")
    return text
