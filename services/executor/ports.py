"""What the executor needs from the outside: places for files and for records of calls."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

from services.executor.domain.artifact import Artifact


class ArtifactStore(Protocol):
    """Files for people."""

    def put(
        self,
        request_id: str,
        name: str,
        kind: str,
        media_type: str,
        content: bytes,
        metadata: Mapping[str, Any],
    ) -> Artifact:
        """Store a file; durable when this returns. Storing equal content again changes nothing."""
        ...

    def read(self, content_ref: str, piece: int) -> Iterator[bytes]:
        """The file in pieces of at most `piece` bytes. Raises AssayError(NOT_FOUND)."""
        ...


class UploadedFiles(Protocol):
    """Files that people uploaded, kept once each under the digest of their content."""

    async def put(self, chunks: AsyncIterator[bytes], max_bytes: int) -> tuple[str, int, bool]:
        """Store a file as it arrives; returns its digest, its size, and whether it is new here.

        Stops reading at the limit with AssayError(FILE_TOO_LARGE); nothing is left then.
        """
        ...

    def path(self, digest: str) -> Path:
        """Where a stored file lies. Raises AssayError(NOT_FOUND)."""
        ...

    def delete(self, digest: str) -> None:
        """Remove a file; one that is not there is no error."""
        ...


class CallRecords(Protocol):
    """What completed calls gave, so that a repeated call runs nothing twice."""

    def get(self, call_id: str) -> bytes | None:
        """The recorded observation, or None."""
        ...

    def put(self, call_id: str, observation: bytes) -> None:
        """Record an observation; atomic."""
        ...
