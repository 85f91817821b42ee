"""The log on disk: segments are the truth; the index and the tree's nodes are caches of them.

Layout of the folder: `entries/*.log`, `cache/index.sqlite`, `cache/nodes`, `lock`. The cache may
be deleted while nothing runs; it is built again from the entries.
"""

from __future__ import annotations

import errno
import json
import logging
import os
import sqlite3
from collections.abc import Mapping, Sequence

from mesh.errors import AssayError
from mesh.processes.failpoint import failpoint
from mesh.proof.chain import AuditEntry
from mesh.proof.merkle import leaf_hash
from mesh.storage.state_files import damaged
from services.audit.adapters.index import Index, Place
from services.audit.adapters.nodes import NodeFile
from services.audit.adapters.records import encode_record
from services.audit.adapters.segments import Segments, StorageFullError
from services.audit.domain.chaining import ChainHead, NewEntry
from services.audit.domain.draft import LoggedEntry

_FLUSH_ROWS = 2048
_MOST_HEADS = 4096
_MOST_WAITING = 8 * _FLUSH_ROWS
_log = logging.getLogger(__name__)


class Storage:
    """Blocking storage of one log. One thread writes, any may read.

    Made by `recovery.open_storage`, which also takes the folder's lock that is let go here.
    """

    def __init__(
        self, segments: Segments, index: Index, nodes: NodeFile, size: int, lock: int
    ) -> None:
        self._segments = segments
        self._index = index
        self._nodes = nodes
        self._lock = lock
        self._size = size
        self._heads: dict[str, ChainHead] = {}  # of chains that grew lately

    @property
    def size(self) -> int:
        """How many entries are durable."""
        return self._size

    def append(self, entries: list[NewEntry], heads: Mapping[str, ChainHead]) -> None:
        """Make chained entries durable; `heads` are where their chains end then.

        Raises OSError as `Segments.append` does.

        The nodes go first: beyond the log's size they mean nothing, so a full disk is met there
        before an entry is durable that the caches could not follow.
        """
        if self._index.waiting >= _MOST_WAITING:
            raise StorageFullError(errno.ENOSPC, "the index cannot be written")
        try:
            self._nodes.add([leaf_hash(new.leaf) for new in entries], self._size)
        except OSError as error:
            raise StorageFullError(error.errno, error.strerror) from error
        records = [encode_record(new.draft.tenant, new.leaf, self._size) for new in entries]
        offset = self._segments.append(b"".join(records), self._size)
        places: list[Place] = []
        for new, record in zip(entries, records, strict=True):
            entry_id, sequence, leaf, _, _ = new.receipt
            places.append(Place(leaf, offset, entry_id, new.draft.request_id, sequence))
            offset += len(record)
        self._index.add(places)
        self._keep(heads)
        self._size += len(entries)

    def flush(self, rows: int = _FLUSH_ROWS) -> None:
        """Bring the caches to disk when `rows` or more entries wait for it.

        A failure is logged and tried again later: the caches are behind then, not wrong.
        """
        if self._index.waiting < rows:
            return
        try:
            failpoint("audit: cache, unsynced")
            self._nodes.sync()
            failpoint("audit: nodes, synced")
            self._index.flush()
            failpoint("audit: index, committed")
        except (OSError, sqlite3.Error) as error:
            _log.warning("the audit log's cache cannot be written: %s", error)

    def find(self, entry_ids: Sequence[str]) -> dict[str, LoggedEntry]:
        """Those of the entries that there are, by id."""
        return {place.entry_id: self._read(place) for place in self._index.find(entry_ids)}

    def head(self, request_id: str) -> ChainHead | None:
        """The end of a request's chain."""
        head = self._heads.get(request_id)
        if head:
            return head
        place = self._index.last_of(request_id)
        if not place:
            return None
        last = self._read(place)
        return ChainHead(last.tenant, last.entry.sequence_number, last.entry.hash)

    def chain(self, request_id: str, after_sequence: int, limit: int) -> list[LoggedEntry]:
        """Entries of a request behind a sequence number."""
        return [self._read(p) for p in self._index.chain(request_id, after_sequence, limit)]

    def entries(self, first_leaf: int, limit: int) -> list[LoggedEntry]:
        """Entries from a leaf on."""
        return [self._read(place) for place in self._index.leaves(first_leaf, limit)]

    def node(self, level: int, index: int) -> bytes:
        """A complete subtree's hash; a `mesh.proof.merkle.NodeReader`."""
        return self._nodes.node(level, index)

    def give_up_cache(self) -> AssayError:
        """Have the caches built again by the next start; what to tell people until then."""
        return damaged(
            self._index.give_up(),
            "was damaged; it is a cache of the audit log and holds nothing of its own",
            "Start Assay again: it is built anew from the entries.",
        )

    def close(self) -> None:
        """Bring the caches to disk and let go of the folder."""
        self.flush(rows=1)
        self._index.close()
        self._nodes.close()
        self._segments.close()
        os.close(self._lock)

    def _keep(self, heads: Mapping[str, ChainHead]) -> None:
        """Those that are not kept are found in the index and read."""
        if len(self._heads) > _MOST_HEADS:
            self._heads.clear()
        self._heads.update(heads)

    def _read(self, place: Place) -> LoggedEntry:
        record = self._segments.read(place.leaf, place.offset)
        entry = AuditEntry.model_validate(json.loads(record.leaf))
        return LoggedEntry(record.tenant, place.leaf, entry)
