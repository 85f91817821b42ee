"""Uploaded files in an object store, kept once each under the digest of their content."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator
from pathlib import Path

from mesh.digest import file_digest
from mesh.errors import FILE_TOO_LARGE, NOT_FOUND, VERIFICATION_FAILED, AssayError
from mesh.storage.objects.port import ObjectStore
from services.executor.ports import Admit

_DIGEST = re.compile(r"[0-9a-f]{64}")


class StoredFiles:
    """Files named by SHA-256; what people called them is kept elsewhere."""

    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects

    async def put(
        self,
        chunks: AsyncIterator[bytes],
        max_bytes: int,
        admit: Admit | None = None,
    ) -> tuple[str, int, bool]:
        """Store a file as it arrives; returns its digest, its size, and whether it is new here.

        Stops reading at the limit with AssayError(FILE_TOO_LARGE); nothing is left then.
        """
        hashed, size = hashlib.sha256(), 0
        with self._objects.building() as building:
            async for chunk in chunks:
                size += len(chunk)
                if max_bytes and size > max_bytes:
                    raise AssayError(
                        FILE_TOO_LARGE,
                        f"the file is larger than {max_bytes / 1_048_576:,.0f} MB",
                        metadata={"limit": str(max_bytes)},
                    )
                hashed.update(chunk)
                building.file.write(chunk)
            digest = hashed.hexdigest()

            def keep() -> bool:
                if admit is not None:
                    admit(digest, 0)  # what people upload is bounded by the gateway
                new = self._objects.size(digest) is None
                building.keep(digest, "executor: upload")
                return new

            new = await asyncio.to_thread(keep)
        return digest, size, new

    def path(self, digest: str) -> Path:
        """A file with the stored content, on this machine. Raises AssayError(NOT_FOUND)."""
        try:
            return self._objects.local(_key(digest), lambda fetched: _verify(fetched, digest))
        except FileNotFoundError as error:
            raise _absent(digest) from error

    def delete(self, digest: str) -> None:
        """Remove a file; one that is not there is no error."""
        if _DIGEST.fullmatch(digest):
            self._objects.delete(digest)


def _key(digest: str) -> str:
    if not _DIGEST.fullmatch(digest):
        raise _absent(digest)
    return digest


def _absent(digest: str) -> AssayError:
    return AssayError(
        NOT_FOUND,
        f"there is no stored file {digest[:12]!r} here",
        hint="It was deleted, or lies with an executor that shares no store with this one "
        "(docs/operations.md); upload it again.",
    )


def _verify(path: Path, digest: str) -> None:
    if file_digest(path) != digest:
        raise AssayError(
            VERIFICATION_FAILED,
            f"stored file {digest[:12]} has another content than when it was uploaded",
            hint="Upload it again.",
            metadata={"digest": digest},
        )
