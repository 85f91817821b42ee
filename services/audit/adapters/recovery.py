"""Opening a log: take the folder, cut off what a crash tore, bring the caches up to the entries."""

from __future__ import annotations

import fcntl
import json
import logging
import os
import shutil
import sqlite3
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from mesh.errors import AUDIT_UNAVAILABLE, HOME_BUSY, VERIFICATION_FAILED, AssayError
from mesh.processes.failpoint import failpoint
from mesh.proof.merkle import leaf_hash, tree_root
from mesh.storage.state_files import find_file_error
from services.audit.adapters.index import Index, Place
from services.audit.adapters.nodes import NodeFile
from services.audit.adapters.segments import (
    FIRST_RECORD,
    FSCK_HINT,
    SEGMENT_BYTES,
    Segments,
    TornTailError,
)
from services.audit.adapters.storage import Storage

log = logging.getLogger("assay.audit")

_ROWS_AT_ONCE = 4096
CACHE_FILES = ("index.sqlite", "nodes")


@dataclass(frozen=True, slots=True)
class Published:
    """What the world was told: the log had this size and this root, and may never have less."""

    size: int
    root: bytes


NOTHING_PUBLISHED = Published(0, b"")


def open_storage(
    folder: Path,
    published: Published = NOTHING_PUBLISHED,
    segments: Segments | None = None,
    segment_bytes: int = SEGMENT_BYTES,
) -> Storage:
    """The log in a folder, ready to append.

    Reads only what the index does not cover, so it is quick for a log of any size; it is not a
    check of the whole log, which is what `services.audit.fsck` is for. Raises AssayError: HOME_BUSY
    when another process has the folder, DISK_FULL, STATE_DAMAGED or AUDIT_UNAVAILABLE when the
    folder or a file in it cannot be used, and VERIFICATION_FAILED when the log is damaged or holds
    less than was published. Nothing is cut off then.
    """
    try:
        return _open(folder, published, segments, segment_bytes)
    except OSError as error:
        raise (find_file_error(error) or _cannot_open(folder)) from error
    except sqlite3.Error as error:
        log.error("the audit log's index %s: %s", folder / "cache", error)
        raise _cannot_open(folder) from error


def _cannot_open(folder: Path) -> AssayError:
    return AssayError(
        AUDIT_UNAVAILABLE,
        f"The audit log {folder} cannot be opened: its cache {folder / 'cache'} cannot be used.",
        "See that there is room and that this user may write there. The cache may be deleted: it "
        "is built again from the entries.",
    )


def _open(
    folder: Path, published: Published, segments: Segments | None, segment_bytes: int
) -> Storage:
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as on_failure:
        lock = _take(folder / "lock")
        on_failure.callback(os.close, lock)
        segments = segments or Segments(folder / "entries", segment_bytes)
        on_failure.callback(segments.close)
        recovery = _Recovery(folder / "cache", segments)
        on_failure.callback(recovery.close)
        size = recovery.run(published)
        on_failure.pop_all()
    return Storage(segments, recovery.index, recovery.nodes, size, lock)


class _Recovery:
    def __init__(self, cache: Path, segments: Segments) -> None:
        self._cache = cache
        self._segments = segments
        if any((cache / name).is_dir() for name in CACHE_FILES):
            shutil.rmtree(cache)
        try:
            self._open_cache()
        except sqlite3.OperationalError:
            raise  # no room or no right to write; the cache itself may be sound
        except sqlite3.DatabaseError:  # damaged: the entries can build it again
            shutil.rmtree(cache)
            self._open_cache()

    def run(self, published: Published) -> int:
        """Returns how many entries the log holds."""
        try:
            last = self._index_end()
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):
                raise
            self._drop_cache()  # it opens and is damaged all the same
            last = None
        size = self._replay(last, published)
        if last and not self._has_root(size, published):
            self._drop_cache()  # it may be the cache that is wrong: ask the entries themselves
            size = self._replay(None, published)
        if size < published.size:
            raise AssayError(VERIFICATION_FAILED, self._missing(size, published.size), FSCK_HINT)
        if not self._has_root(size, published):
            raise AssayError(
                VERIFICATION_FAILED,
                f"The first {published.size:,} entries of the audit log do not have the root of "
                "the published checkpoint: entries were changed.",
                FSCK_HINT,
            )
        return size

    def close(self) -> None:
        self.index.close()
        self.nodes.close()

    def _open_cache(self) -> None:
        self._cache.mkdir(parents=True, exist_ok=True)
        index, nodes = CACHE_FILES
        self.index = Index(self._cache / index)
        try:
            self.nodes = NodeFile(self._cache / nodes)
        except OSError:
            self.index.close()
            raise

    def _drop_cache(self) -> None:
        self.close()
        shutil.rmtree(self._cache)
        self._open_cache()

    def _index_end(self) -> Place | None:
        """The last entry the cache covers, if the cache is this log's."""
        last = self.index.last()
        if not last:
            return None
        if not self._segments.holds(last.leaf, last.offset):
            # The index is written only after the entries are durable, so it cannot be ahead.
            raise AssayError(
                VERIFICATION_FAILED,
                f"The audit log {self._segments.folder} ends before its entry {last.leaf + 1:,}, "
                "which was durable: entries are missing at its end.",
                f"{FSCK_HINT} To accept the loss, delete {self._cache}.",
            )
        if self._matches(last) and self.nodes.covers(last.leaf + 1):
            return last
        self._drop_cache()
        return None

    def _matches(self, place: Place) -> bool:
        try:
            entry = json.loads(self._segments.read(place.leaf, place.offset).leaf)
        except AssayError:
            return False
        return bool(entry["entry_id"] == place.entry_id)

    def _replay(self, last: Place | None, published: Published) -> int:
        """Add to the caches what they lack; cut off a torn tail. Returns the log's size."""
        size = last.leaf + 1 if last else 0
        start = (last.leaf, last.offset) if last else (0, FIRST_RECORD)
        places: list[Place] = []
        hashes: list[bytes] = []

        def keep() -> None:
            self.nodes.add(hashes, size - len(hashes))
            self.index.add(places)
            self.nodes.sync()
            failpoint("audit: recovery, nodes synced")
            self.index.flush()
            failpoint("audit: recovery, index committed")
            places.clear()
            hashes.clear()

        try:
            for leaf, offset, record in self._segments.scan(*start):
                if leaf < size:
                    continue
                places.append(_place(leaf, offset, record.leaf))
                hashes.append(leaf_hash(record.leaf))
                size += 1
                if len(places) == _ROWS_AT_ONCE:
                    keep()
        except TornTailError as torn:
            if torn.leaf_index < published.size:
                raise AssayError(
                    VERIFICATION_FAILED, self._missing(torn.leaf_index, published.size), FSCK_HINT
                ) from torn
            self._segments.cut(torn.offset)
        if places:
            keep()
        return size

    def _has_root(self, size: int, published: Published) -> bool:
        if not published.size:
            return True
        return size >= published.size and (
            tree_root(published.size, self.nodes.node) == published.root
        )

    def _missing(self, size: int, published: int) -> str:
        return (
            f"The audit log {self._segments.folder} holds {size:,} entries, its published "
            f"checkpoint says {published:,}: entries are missing at its end."
        )


def _take(path: Path) -> int:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(descriptor)
        raise AssayError(
            HOME_BUSY, f"Another process keeps the audit log {path.parent}."
        ) from error
    return descriptor


def _place(leaf_index: int, offset: int, leaf: bytes) -> Place:
    try:
        entry = json.loads(leaf)
        return Place(
            leaf_index, offset, entry["entry_id"], entry["request_id"], entry["sequence_number"]
        )
    except (ValueError, KeyError, TypeError) as error:
        raise AssayError(
            VERIFICATION_FAILED, f"Leaf {leaf_index} of the audit log is not an entry.", FSCK_HINT
        ) from error
