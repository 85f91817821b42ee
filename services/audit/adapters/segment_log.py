"""The audit log in files, with group commit: what waits together becomes durable together."""

from __future__ import annotations

import asyncio
import logging
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from mesh.errors import AUDIT_UNAVAILABLE, INVALID_ARGUMENT, NOT_FOUND, AssayError
from mesh.proof.chain import format_timestamp
from mesh.proof.merkle import (
    ProofError,
    consistency_proof,
    inclusion_proof,
    tree_root,
    verify_inclusion,
)
from services.audit.adapters.recovery import NOTHING_PUBLISHED, Published, open_storage
from services.audit.adapters.segments import SEGMENT_BYTES, Segments, StorageFullError
from services.audit.adapters.storage import Storage
from services.audit.domain.chaining import Batch
from services.audit.domain.draft import Draft, LoggedEntry, Receipt

_CALLS_AT_ONCE = 1024
_BYTES_AT_ONCE = 8 << 20
_READERS = 2
_IDLE_SECONDS = 0.2
_LONGEST_WAIT_SECONDS = 0.005
_ALL = (1 << 63) - 1
T = TypeVar("T")
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Call:
    drafts: Sequence[Draft]
    future: asyncio.Future[list[Receipt]]
    outcome: list[Receipt] | AssayError | None = None


class SegmentLog:
    """An `AuditLog` in one folder; use it from the event loop that opened it.

    One thread chains, writes and syncs; everything that arrived while it was busy goes into its
    next batch, so many callers share one sync. Callers that were just answered tend to come back:
    a batch waits for them, no longer than the sync before it took, so that they do not fall into
    two halves that take turns. A lone caller waits for nobody. Memory is bounded by what callers
    have in flight and 2,048 index rows, not by the log.
    """

    def __init__(self, storage: Storage, clock: Callable[[], datetime]) -> None:
        self._storage = storage
        self._clock = clock
        self._loop = asyncio.get_running_loop()
        self._calls: queue.SimpleQueue[_Call | None] = queue.SimpleQueue()
        self._grown = asyncio.Event()
        self._readers = ThreadPoolExecutor(_READERS, thread_name_prefix="audit-read")
        self._closed = False
        self._broken = ""
        self._crowd = 1  # callers there were at the last batch, in it or behind it
        self._patience = 0.0
        self._writer = threading.Thread(target=self._write, name="audit-log", daemon=True)
        self._writer.start()

    @classmethod
    async def open(
        cls,
        folder: Path,
        published: Published = NOTHING_PUBLISHED,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        segments: Segments | None = None,
        segment_bytes: int = SEGMENT_BYTES,
    ) -> SegmentLog:
        """Recover the log in `folder`, or begin one. Raises as `recovery.open_storage`."""
        storage = await asyncio.to_thread(open_storage, folder, published, segments, segment_bytes)
        return cls(storage, clock)

    @property
    def size(self) -> int:
        """How many entries are durable."""
        return self._storage.size

    async def append(self, drafts: Sequence[Draft]) -> list[Receipt]:
        """See `AuditLog.append`."""
        if self._closed:
            raise AssayError(AUDIT_UNAVAILABLE, "The audit log is closed.")
        call = _Call(drafts, self._loop.create_future())
        self._calls.put(call)
        return await call.future

    async def entry(self, entry_id: str) -> LoggedEntry | None:
        """See `AuditLog.entry`."""
        found = await self._read(lambda: self._storage.find([entry_id]))
        return found.get(entry_id)

    async def chain(
        self, request_id: str, after_sequence: int = 0, limit: int | None = None
    ) -> list[LoggedEntry]:
        """See `AuditLog.chain`."""
        count = _ALL if limit is None else limit
        return await self._read(lambda: self._storage.chain(request_id, after_sequence, count))

    async def entries(self, first_leaf: int, limit: int) -> list[LoggedEntry]:
        """See `AuditLog.entries`."""
        return await self._read(lambda: self._storage.entries(first_leaf, limit))

    async def leaf_hash(self, leaf_index: int) -> bytes:
        """See `AuditLog.leaf_hash`."""
        if not 0 <= leaf_index < self.size:
            raise AssayError(NOT_FOUND, f"The log has no leaf {leaf_index}; it has {self.size:,}.")
        return await self._read(lambda: self._storage.node(0, leaf_index))

    async def root(self, size: int) -> bytes:
        """See `AuditLog.root`."""
        self._require_size(size)
        return await self._read(lambda: tree_root(size, self._storage.node))

    async def inclusion_proof(self, leaf_index: int, size: int) -> list[bytes]:
        """See `AuditLog.inclusion_proof`."""
        self._require_size(size)
        return await self._read(lambda: self._proof(leaf_index, size))

    async def consistency_proof(self, old_size: int, new_size: int) -> list[bytes]:
        """See `AuditLog.consistency_proof`."""
        self._require_size(new_size)
        return await self._read(lambda: consistency_proof(old_size, new_size, self._storage.node))

    async def wait_beyond(self, size: int) -> int:
        """See `AuditLog.wait_beyond`."""
        while self.size <= size:
            if self._closed:
                raise AssayError(AUDIT_UNAVAILABLE, "The audit log is closed.")
            await self._grown.wait()
        return self.size

    async def close(self) -> None:
        """See `AuditLog.close`."""
        if self._closed:
            return
        self._closed = True
        self._calls.put(None)
        self._wake()
        await asyncio.to_thread(self._shut)

    def _shut(self) -> None:
        self._writer.join()
        self._readers.shutdown()
        self._storage.close()

    async def _read(self, read: Callable[[], T]) -> T:
        if self._closed:
            raise AssayError(AUDIT_UNAVAILABLE, "The audit log is closed.")
        try:
            return await self._loop.run_in_executor(self._readers, read)
        except ProofError as error:
            raise AssayError(INVALID_ARGUMENT, f"There is no such proof: {error}.") from error
        except sqlite3.DatabaseError as error:
            if not _is_damage(error):
                raise
            raise self._storage.give_up_cache() from error

    def _proof(self, leaf_index: int, size: int) -> list[bytes]:
        """A proof that holds: nodes are a cache, which may be damaged where the log is not."""
        node = self._storage.node
        proof = inclusion_proof(leaf_index, size, node)
        try:
            verify_inclusion(node(0, leaf_index), leaf_index, size, proof, tree_root(size, node))
        except ProofError as error:
            raise self._storage.give_up_cache() from error
        return proof

    def _require_size(self, size: int) -> None:
        if not 0 <= size <= self.size:
            raise AssayError(INVALID_ARGUMENT, f"The log has {self.size:,} entries, not {size:,}.")

    def _write(self) -> None:
        """The writer thread: batch after batch until told to stop."""
        while True:
            calls, stop = self._next_calls()
            if calls:
                start = time.monotonic()
                self._commit_or_fail(calls)
                self._patience = min(time.monotonic() - start, _LONGEST_WAIT_SECONDS)
                self._crowd = len(calls) + self._calls.qsize()
                self._loop.call_soon_threadsafe(self._settle, calls)
                self._storage.flush()
            if stop:
                return

    def _next_calls(self) -> tuple[list[_Call], bool]:
        """Everything that waits or comes back at once, at least one; and whether to stop then."""
        calls: list[_Call] = []
        size = 0
        try:
            call = self._calls.get(timeout=_IDLE_SECONDS)
            until = time.monotonic() + self._patience
            while call is not None:
                calls.append(call)
                for draft in call.drafts:
                    size += len(draft.event_json)
                if len(calls) == _CALLS_AT_ONCE or size >= _BYTES_AT_ONCE:
                    return calls, False
                wait = until - time.monotonic() if len(calls) < self._crowd else 0.0
                call = self._calls.get(timeout=wait) if wait > 0.0 else self._calls.get_nowait()
        except queue.Empty:
            if not calls:
                self._storage.flush(rows=1)
            return calls, False
        return calls, True

    def _commit_or_fail(self, calls: list[_Call]) -> None:
        """No caller is left waiting, and after a fault nothing is written before a recovery."""
        if self._broken:
            _fail(calls, self._broken)
            return
        try:
            self._commit(calls)
        except StorageFullError as error:
            _fail(calls, f"The audit log cannot grow: {error.strerror}.")
        except Exception as error:
            # After a failed sync, say, nobody knows what the disk holds; only recovery can tell.
            _log.exception("the audit log failed and takes nothing more")
            why = error.strerror if isinstance(error, OSError) else "see the log of the service"
            if _is_damage(error):
                why = self._storage.give_up_cache().message
            self._broken = f"The audit log failed ({why}) and takes nothing before a restart."
            _fail(calls, self._broken)

    def _commit(self, calls: list[_Call]) -> None:
        storage = self._storage
        logged = storage.find([draft.entry_id for call in calls for draft in call.drafts])
        batch = Batch(logged, storage.head, storage.size, format_timestamp(self._clock()))
        for call in calls:
            try:
                call.outcome = batch.add(call.drafts)
            except AssayError as error:
                call.outcome = error
        if batch.new:
            storage.append(batch.new, batch.heads)

    def _settle(self, calls: list[_Call]) -> None:
        """On the event loop: tell every caller, and whoever waits for growth."""
        for call in calls:
            if call.future.done():  # its caller went away
                continue
            if isinstance(call.outcome, AssayError):
                call.future.set_exception(call.outcome)
            elif call.outcome is not None:
                call.future.set_result(call.outcome)
        self._wake()

    def _wake(self) -> None:
        self._grown.set()
        self._grown = asyncio.Event()


def _is_damage(error: Exception) -> bool:
    """Whether the index is damaged, rather than full, locked or away."""
    return isinstance(error, sqlite3.DatabaseError) and not isinstance(
        error, sqlite3.OperationalError | sqlite3.IntegrityError | sqlite3.ProgrammingError
    )


def _fail(calls: list[_Call], message: str) -> None:
    for call in calls:
        if not isinstance(call.outcome, AssayError):
            call.outcome = AssayError(AUDIT_UNAVAILABLE, message)
