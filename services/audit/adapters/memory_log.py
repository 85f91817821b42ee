"""An `AuditLog` that keeps everything in memory, for tests of what stands on a log.

It passes the same contract suite as the log in files, except that nothing survives the process.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from mesh.errors import AUDIT_UNAVAILABLE, INVALID_ARGUMENT, NOT_FOUND, AssayError
from mesh.proof.chain import format_timestamp, parse_leaf
from mesh.proof.merkle import (
    ProofError,
    completed_nodes,
    consistency_proof,
    inclusion_proof,
    leaf_hash,
    node_position,
    tree_root,
)
from services.audit.domain.chaining import Batch, ChainHead
from services.audit.domain.draft import Draft, LoggedEntry, Receipt


class MemoryLog:
    """See `AuditLog`."""

    def __init__(self, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._clock = clock
        self._entries: list[LoggedEntry] = []
        self._nodes: list[bytes] = []
        self._by_id: dict[str, LoggedEntry] = {}
        self._heads: dict[str, ChainHead] = {}
        self._grown = asyncio.Condition()
        self._closed = False

    @property
    def size(self) -> int:
        """How many entries there are."""
        return len(self._entries)

    async def append(self, drafts: Sequence[Draft]) -> list[Receipt]:
        """See `AuditLog.append`."""
        self._require_open()
        async with self._grown:
            batch = Batch(self._by_id, self._heads.get, self.size, format_timestamp(self._clock()))
            receipts = batch.add(drafts)
            for new in batch.new:
                leaf = leaf_hash(new.leaf)
                self._nodes += completed_nodes(leaf, self.size, self._node)
                logged = LoggedEntry(new.draft.tenant, new.receipt.leaf_index, parse_leaf(new.leaf))
                self._entries.append(logged)
                self._by_id[new.draft.entry_id] = logged
            self._heads |= batch.heads
            self._grown.notify_all()
        return receipts

    async def entry(self, entry_id: str) -> LoggedEntry | None:
        """See `AuditLog.entry`."""
        self._require_open()
        return self._by_id.get(entry_id)

    async def chain(
        self, request_id: str, after_sequence: int = 0, limit: int | None = None
    ) -> list[LoggedEntry]:
        """See `AuditLog.chain`."""
        self._require_open()
        own = (logged for logged in self._entries if logged.entry.request_id == request_id)
        return [logged for logged in own if logged.entry.sequence_number > after_sequence][:limit]

    async def entries(self, first_leaf: int, limit: int) -> list[LoggedEntry]:
        """See `AuditLog.entries`."""
        self._require_open()
        return self._entries[first_leaf : first_leaf + limit]

    async def leaf_hash(self, leaf_index: int) -> bytes:
        """See `AuditLog.leaf_hash`."""
        if not 0 <= leaf_index < self.size:
            raise AssayError(NOT_FOUND, f"The log has no leaf {leaf_index}; it has {self.size:,}.")
        return self._node(0, leaf_index)

    async def root(self, size: int) -> bytes:
        """See `AuditLog.root`."""
        self._require_size(size)
        return tree_root(size, self._node)

    async def inclusion_proof(self, leaf_index: int, size: int) -> list[bytes]:
        """See `AuditLog.inclusion_proof`."""
        self._require_size(size)
        try:
            return inclusion_proof(leaf_index, size, self._node)
        except ProofError as error:
            raise AssayError(INVALID_ARGUMENT, f"There is no such proof: {error}.") from error

    async def consistency_proof(self, old_size: int, new_size: int) -> list[bytes]:
        """See `AuditLog.consistency_proof`."""
        self._require_size(new_size)
        try:
            return consistency_proof(old_size, new_size, self._node)
        except ProofError as error:
            raise AssayError(INVALID_ARGUMENT, f"There is no such proof: {error}.") from error

    async def wait_beyond(self, size: int) -> int:
        """See `AuditLog.wait_beyond`."""
        async with self._grown:
            await self._grown.wait_for(lambda: self.size > size or self._closed)
            self._require_open()
        return self.size

    async def close(self) -> None:
        """See `AuditLog.close`."""
        async with self._grown:
            self._closed = True
            self._grown.notify_all()

    def _node(self, level: int, index: int) -> bytes:
        return self._nodes[node_position(level, index)]

    def _require_open(self) -> None:
        if self._closed:
            raise AssayError(AUDIT_UNAVAILABLE, "The audit log is closed.")

    def _require_size(self, size: int) -> None:
        if not 0 <= size <= self.size:
            raise AssayError(INVALID_ARGUMENT, f"The log has {self.size:,} entries, not {size:,}.")
