"""Where each entry lies, by leaf, by id and by request: a SQLite cache over the log.

Rows wait in memory and go to disk many at a time, after the log itself is durable, so an append
never waits for SQLite and the index is never ahead of the log. After a crash the log's end is
read again from where the index stops.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from mesh.ids import is_id
from mesh.processes.failpoint import failpoint

_LARGEST = (1 << 63) - 1
_KEYS_AT_ONCE = 512
_SCHEMA = """
CREATE TABLE IF NOT EXISTS entries (
    leaf INTEGER PRIMARY KEY,
    offset INTEGER NOT NULL,
    entry_id BLOB NOT NULL UNIQUE,
    request_id BLOB NOT NULL,
    sequence INTEGER NOT NULL,
    UNIQUE (request_id, sequence)
)
"""


class Place(NamedTuple):
    """An entry's leaf and ids, and its byte offset in the segment that holds the leaf."""

    leaf: int
    offset: int
    entry_id: str
    request_id: str
    sequence: int


class Index:
    """Any thread may call any method. Raises sqlite3.Error when the file is unusable."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._database = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        try:
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute("PRAGMA synchronous = NORMAL")
            self._database.execute(_SCHEMA)
        except sqlite3.Error:
            self._database.close()
            raise
        self._waiting: list[Place] = []
        self._by_id: dict[str, Place] = {}
        self._by_request: dict[str, list[Place]] = {}

    @property
    def waiting(self) -> int:
        """How many rows are in memory only."""
        return len(self._waiting)

    def add(self, places: list[Place]) -> None:
        """Note entries that are durable in the log, in the order of their leaves."""
        with self._lock:
            self._waiting.extend(places)
            for place in places:
                self._by_id[place.entry_id] = place
                self._by_request.setdefault(place.request_id, []).append(place)

    def flush(self) -> None:
        """Write the waiting rows to disk."""
        with self._lock:
            rows = [
                (
                    p.leaf,
                    p.offset,
                    bytes.fromhex(p.entry_id),
                    bytes.fromhex(p.request_id),
                    p.sequence,
                )
                for p in self._waiting
            ]
            self._database.execute("BEGIN")
            try:
                self._database.executemany("INSERT INTO entries VALUES (?, ?, ?, ?, ?)", rows)
                failpoint("audit: index, uncommitted")
                self._database.execute("COMMIT")
            except sqlite3.Error:
                if self._database.in_transaction:
                    self._database.execute("ROLLBACK")
                raise
            self._waiting.clear()
            self._by_id.clear()
            self._by_request.clear()

    def find(self, entry_ids: Sequence[str]) -> list[Place]:
        """Those of the entries that there are, in no order; asking for many at once is cheap."""
        with self._lock:
            waiting = [self._by_id[one] for one in entry_ids if one in self._by_id]
            keys = [key for key in map(_key, entry_ids) if key]
            for first in range(0, len(keys), _KEYS_AT_ONCE):
                some = keys[first : first + _KEYS_AT_ONCE]
                marks = ", ".join("?" * len(some))
                waiting += self._many(f"entry_id IN ({marks})", *some, len(some))
            return waiting

    def last_of(self, request_id: str) -> Place | None:
        """The end of a request's chain."""
        with self._lock:
            waiting = self._by_request.get(request_id)
            if waiting:
                return waiting[-1]
            return self._one("request_id = ? ORDER BY sequence DESC", _key(request_id))

    def last(self) -> Place | None:
        """The last entry on disk."""
        with self._lock:
            return self._one("1 ORDER BY leaf DESC")

    def chain(self, request_id: str, after_sequence: int, limit: int) -> list[Place]:
        """Entries of a request behind a sequence number, in order."""
        with self._lock:
            on_disk = self._many(
                "request_id = ? AND sequence > ? ORDER BY sequence",
                _key(request_id),
                min(after_sequence, _LARGEST),
                limit,
            )
            waiting = self._by_request.get(request_id, [])
            return (on_disk + [p for p in waiting if p.sequence > after_sequence])[:limit]

    def leaves(self, first_leaf: int, limit: int) -> list[Place]:
        """Entries from a leaf on, in order."""
        with self._lock:
            on_disk = self._many("leaf >= ? ORDER BY leaf", min(first_leaf, _LARGEST), limit)
            skipped = max(first_leaf - self._waiting[0].leaf, 0) if self._waiting else 0
            return (on_disk + self._waiting[skipped : skipped + limit])[:limit]

    def give_up(self) -> Path:
        """Remove the file, which is damaged: the next start builds it again. Returns its folder."""
        for beside in ("", "-wal", "-shm"):
            with suppress(OSError):
                self._path.with_name(self._path.name + beside).unlink(missing_ok=True)
        return self._path.parent

    def close(self) -> None:
        """Let go of the file. What still waits is read from the log at the next start."""
        self._database.close()

    def _one(self, condition: str, *values: object) -> Place | None:
        found = self._many(condition, *values, 1)
        return found[0] if found else None

    def _many(self, condition: str, *values: object) -> list[Place]:
        rows = self._database.execute(
            f"SELECT leaf, offset, entry_id, request_id, sequence FROM entries WHERE {condition}"
            " LIMIT ?",
            values,
        )
        return [
            Place(leaf, at, entry.hex(), request.hex(), n) for leaf, at, entry, request, n in rows
        ]


def _key(identifier: str) -> bytes | None:
    """An id as it is stored; None, which matches nothing, for what is not an id."""
    return bytes.fromhex(identifier) if is_id(identifier) else None
