"""What the audit service needs from the outside: a log that keeps, and a place for checkpoints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from services.audit.domain.draft import Draft, LoggedEntry, Receipt


class AuditLog(Protocol):
    """An append-only log of chained entries, one chain a request, one Merkle tree over all.

    Every implementation passes `tests/contract/test_audit_log.py`. Leaves count from 0 in the
    order of the log; sequence numbers count from 1 in each chain.
    """

    @property
    def size(self) -> int:
        """How many entries are durable. MUST never go down while the log is open."""

    async def append(self, drafts: Sequence[Draft]) -> list[Receipt]:
        """Add the drafts in their order, directly after one another.

        MUST return only when every entry would survive a power cut. MUST give an entry_id that
        is in the log already its first receipt, and add nothing for it. MUST number each chain
        without gaps or repeats, however many callers append at once. Rejected drafts MUST leave
        no trace, and MUST not fail another caller's.

        After a crash the log MUST hold every acknowledged entry. It MAY hold a first part of a
        call that was not acknowledged: repeating the call with the same ids completes it.
        A cancelled call MAY still be carried out.

        Raises AssayError AUDIT_UNAVAILABLE when storage refuses (the log MUST still verify),
        INVALID_ARGUMENT when an id stands for another event, NOT_FOUND when it or the chain is
        another tenant's; its metadata names which.
        """

    async def entry(self, entry_id: str) -> LoggedEntry | None:
        """The entry of that id, if there is one."""

    async def chain(
        self, request_id: str, after_sequence: int = 0, limit: int | None = None
    ) -> list[LoggedEntry]:
        """Entries of one chain in order; empty when there is no such chain."""

    async def entries(self, first_leaf: int, limit: int) -> list[LoggedEntry]:
        """At most `limit` entries from a leaf on; empty at the end of the log."""

    async def leaf_hash(self, leaf_index: int) -> bytes:
        """The Merkle leaf hash of an entry. Raises AssayError NOT_FOUND past the end."""

    async def root(self, size: int) -> bytes:
        """Merkle root of the first `size` entries. Raises AssayError INVALID_ARGUMENT past the
        end."""

    async def inclusion_proof(self, leaf_index: int, size: int) -> list[bytes]:
        """RFC 9162 path from a leaf to the root at `size`. Raises AssayError INVALID_ARGUMENT
        when there is no such leaf or size."""

    async def consistency_proof(self, old_size: int, new_size: int) -> list[bytes]:
        """RFC 9162 proof that the log at `new_size` extends itself at `old_size`. Raises
        AssayError INVALID_ARGUMENT when the sizes are out of order or past the end."""

    async def wait_beyond(self, size: int) -> int:
        """Wait until more than `size` entries are durable, and return how many are."""

    async def close(self) -> None:
        """Finish what is queued, refuse what comes after, and let go of the storage."""


class CheckpointStore(Protocol):
    """Keeps every published checkpoint apart from the log it speaks of."""

    async def latest(self) -> str | None:
        """The note that was published last, with its cosignatures, or None before the first."""

    async def note(self, size: int) -> str | None:
        """The note published at a size, with its cosignatures, if there is one."""

    async def cosigned(self) -> str | None:
        """The largest note that a witness has cosigned, if there is one."""

    async def witness_keys(self) -> tuple[str, ...]:
        """Encoded keys of all witnesses that ever cosigned."""

    async def publish(self, note: str) -> None:
        """Make a note the latest. MUST be durable on return, MUST leave either the old note or the
        new one as the latest after a crash, and MUST keep those published before."""

    async def cosign(self, note: str, witness_key: str) -> None:
        """Keep a published note with one more cosignature under it; durable on return."""
