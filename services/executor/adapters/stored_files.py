"""Uploaded files, kept once each under the digest of their content."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

from mesh.errors import FILE_TOO_LARGE, NOT_FOUND, AssayError

_DIGEST = re.compile(r"[0-9a-f]{64}")


class StoredFiles:
    """A folder of files named by SHA-256; what people called them is kept elsewhere."""

    def __init__(self, root: Path) -> None:
        self._root = root

    async def put(self, chunks: AsyncIterator[bytes], max_bytes: int) -> tuple[str, int, bool]:
        """Store a file as it arrives; returns its digest, its size, and whether it is new here.

        Stops reading at the limit with AssayError(FILE_TOO_LARGE); nothing is left then.
        """
        self._root.mkdir(parents=True, exist_ok=True, mode=0o700)
        digest, size = hashlib.sha256(), 0
        descriptor, name = tempfile.mkstemp(prefix=".upload-", dir=self._root)
        arriving = Path(name)
        try:
            with os.fdopen(descriptor, "wb") as file:
                async for chunk in chunks:
                    size += len(chunk)
                    if max_bytes and size > max_bytes:
                        raise AssayError(
                            FILE_TOO_LARGE,
                            f"the file is larger than {max_bytes / 1_048_576:,.0f} MB",
                            metadata={"limit": str(max_bytes)},
                        )
                    digest.update(chunk)
                    file.write(chunk)
                file.flush()
                os.fsync(file.fileno())
            place = self._root / digest.hexdigest()
            new = not place.exists()
            arriving.replace(place)
        finally:
            arriving.unlink(missing_ok=True)
        return digest.hexdigest(), size, new

    def path(self, digest: str) -> Path:
        """Where a stored file lies. Raises AssayError(NOT_FOUND)."""
        path = self._root / digest
        if not _DIGEST.fullmatch(digest) or not path.exists():
            raise AssayError(NOT_FOUND, f"there is no stored file {digest[:12]!r}")
        return path

    def delete(self, digest: str) -> None:
        """Remove a file; one that is not there is no error."""
        if _DIGEST.fullmatch(digest):
            (self._root / digest).unlink(missing_ok=True)
