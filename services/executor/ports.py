"""What the executor needs from the outside: places for files and for records of calls."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

from services.executor.domain.artifact import Artifact
from services.executor.domain.stored_item import (
    NOTHING_KEPT,
    Going,
    Kept,
    StoredItem,
    StoredKind,
    StoredUse,
)

Admit = Callable[[str, int], None]
"""Told the name and bytes of what is about to be stored; what it raises leaves nothing stored."""


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
        admit: Admit | None = None,
    ) -> Artifact:
        """Store a file; durable when this returns. Storing equal content again changes nothing."""
        ...

    def read(self, content_ref: str, piece: int) -> Iterator[bytes]:
        """The file in pieces of at most `piece` bytes. Raises AssayError(NOT_FOUND)."""
        ...

    def delete(self, content_ref: str) -> None:
        """Remove a file; one that is not there is no error."""
        ...


class UploadedFiles(Protocol):
    """Files that people uploaded, kept once each under the digest of their content."""

    async def put(
        self, chunks: AsyncIterator[bytes], max_bytes: int, admit: Admit | None = None
    ) -> tuple[str, int, bool]:
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

    def put(self, call_id: str, observation: bytes, admit: Admit | None = None) -> None:
        """Record an observation; atomic."""
        ...

    def delete(self, call_id: str) -> None:
        """Forget a call; one that is not recorded is no error."""
        ...


class Trespasses(Protocol):
    """Where it is recorded that somebody named what is another tenant's."""

    def noticed(self, tenant: str, kind: str, identifier: str) -> None:
        """Record it later, from any thread: whoever is refused does not wait for it."""
        ...


class StorageFigures(Protocol):
    """How much is stored, for those who run the mesh. Blocks: for worker threads."""

    def of(self, tenant: str) -> list[StoredUse]:
        """What a tenant has, by kind; what others have too is counted whole."""
        ...

    def whole(self) -> list[StoredUse]:
        """What all tenants have together, each thing once."""
        ...


class LeaseStore(Protocol):
    """What is stored, who needs it, and whose it is; shared by all executors that share a store."""

    def hold(self, tenant: str, holder: str, entity: StoredItem, size: int) -> None:
        """Keep a thing, stored or about to be, until its holder releases it; it is the tenant's.

        Once this returned, a thing that is there stays; one that is not may be stored. Repeating it
        changes nothing. Raises AssayError(RESOURCE_EXHAUSTED) when that would be too many bytes.
        """
        ...

    def tenants(self, entity: StoredItem) -> frozenset[str]:
        """Whose a thing is: equal content may be several tenants'."""
        ...

    def tenants_of(self, holder: str) -> frozenset[str]:
        """Whose the holder's things are."""
        ...

    def held(self, tenant: str, holder: str, kind: StoredKind) -> list[str]:
        """Names of what a holder has not released; it may not be stored yet."""
        ...

    def release(
        self, tenant: str | None, holder: str, grace_seconds: float, kept: Kept = NOTHING_KEPT
    ) -> None:
        """End a holder's leases, those of a tenant or all, after the grace; not on what is kept."""
        ...

    def let_go(self, entity: StoredItem, tenant: str | None) -> Going | None:
        """End a tenant's leases on a thing now, or everybody's.

        The thing, for the caller alone to delete now, when nobody needs it any more.
        """
        ...

    def condemn(self, limit: int) -> list[Going]:
        """Things that nobody needs, at most `limit`, for the caller alone to delete soon."""
        ...

    def collected(self, going: Going) -> None:
        """Note that a condemned thing is deleted."""
        ...

    def used_bytes(self) -> int:
        """Bytes of all that is stored."""
        ...
