"""The log's files: records one after another, in segments named by their first leaf."""

from __future__ import annotations

import os
import struct
from bisect import bisect_right
from collections.abc import Callable, Iterator
from pathlib import Path

from mesh.errors import VERIFICATION_FAILED, AssayError
from mesh.processes.failpoint import failpoint
from services.audit.adapters.files import sync_folder
from services.audit.adapters.records import (
    HEADER_BYTES,
    Record,
    RecordError,
    body_length,
    decode_record,
    was_durable,
)

SEGMENT_BYTES = 64 << 20
"""A segment that has reached this size is closed and another begun."""
_MAGIC = b"ASSAYLG1"
_SEGMENT_HEADER = struct.Struct(">8sQ")
FIRST_RECORD = _SEGMENT_HEADER.size
_FIRST_READ = 4096
_PIECE = 8 << 20
FSCK_HINT = "Run `python -m services.audit.fsck` on the folder, and restore it from a copy."

Sync = Callable[[int], None]


class Segments:
    """All segments of a log. One thread appends; any thread may read what is durable.

    `sync` makes a descriptor's data durable; tests put a failing one in its place.
    """

    def __init__(
        self, folder: Path, segment_bytes: int = SEGMENT_BYTES, sync: Sync = os.fdatasync
    ) -> None:
        self._folder = folder
        self._segment_bytes = segment_bytes
        self._sync = sync
        self._first_leaves: list[int] = []
        self._descriptors: list[int] = []
        self._paths: list[Path] = []
        self._end = 0  # bytes of the last segment that are durable
        folder.mkdir(parents=True, exist_ok=True)
        for path in segment_paths(folder):
            self._open(path)
        if self._descriptors:
            self._end = os.fstat(self._descriptors[-1]).st_size

    @property
    def folder(self) -> Path:
        """Where the files are."""
        return self._folder

    def append(self, records: bytes, first_leaf: int) -> int:
        """Write whole records and return the offset of the first, once they are durable.

        Raises StorageFullError when nothing could be added and the log is as it was. Any other
        OSError leaves unknown what the disk holds: the caller must stop using the log until it
        has been recovered.
        """
        if not self._descriptors or self._end >= self._segment_bytes:
            self._begin(first_leaf)
        descriptor, offset = self._descriptors[-1], self._end
        failpoint("audit: append, unwritten")
        try:
            _write_all(descriptor, records, offset)
        except OSError as error:
            os.ftruncate(descriptor, offset)
            raise StorageFullError(error.errno, error.strerror) from error
        failpoint("audit: append, written")
        self._sync(descriptor)
        failpoint("audit: append, synced")
        self._end = offset + len(records)
        return offset

    def read(self, leaf_index: int, offset: int) -> Record:
        """The record of a leaf, at its offset. Raises AssayError VERIFICATION_FAILED when it is
        damaged."""
        number = bisect_right(self._first_leaves, leaf_index) - 1
        descriptor = self._descriptors[number]
        data = os.pread(descriptor, _FIRST_READ, offset)
        try:
            length = HEADER_BYTES + body_length(data)
            if length > len(data):
                data += os.pread(descriptor, length - len(data), offset + len(data))
            return decode_record(data)
        except RecordError as error:
            raise damaged_leaf(leaf_index, self._paths[number], error) from error

    def holds(self, leaf_index: int, offset: int) -> bool:
        """Whether the files reach as far as a leaf's offset."""
        number = bisect_right(self._first_leaves, leaf_index) - 1
        return number >= 0 and offset < os.fstat(self._descriptors[number]).st_size

    def cut(self, offset: int) -> None:
        """Throw away the torn end of the last segment, from `offset` on, for good."""
        descriptor = self._descriptors[-1]
        failpoint("audit: torn tail, uncut")
        os.ftruncate(descriptor, offset)
        failpoint("audit: torn tail, cut")
        os.fsync(descriptor)
        failpoint("audit: torn tail, synced")
        self._end = offset

    def scan(self, leaf_index: int, offset: int) -> Iterator[tuple[int, int, Record]]:
        """Leaf, offset and record of everything from a leaf's place on.

        Raises TornTailError at the end that a crash left, and AssayError VERIFICATION_FAILED at a
        record that was durable once and is not whole any more.
        """
        start = bisect_right(self._first_leaves, leaf_index) - 1
        for number in range(max(start, 0), len(self._first_leaves)):
            first = self._first_leaves[number]
            if number > start and first != leaf_index:
                raise AssayError(
                    VERIFICATION_FAILED,
                    f"The audit log lacks its leaves from {leaf_index} to {first - 1}, which "
                    f"belong before {self._paths[number]}.",
                    FSCK_HINT,
                )
            place = offset if number == start else FIRST_RECORD
            last = number == len(self._first_leaves) - 1
            where = (self._descriptors[number], self._paths[number])
            for position, record in _records(*where, place, leaf_index, last):
                yield leaf_index, position, record
                leaf_index += 1

    def close(self) -> None:
        """Let go of the files."""
        for descriptor in self._descriptors:
            os.close(descriptor)
        self._descriptors.clear()

    def _begin(self, first_leaf: int) -> None:
        path = self._folder / f"{first_leaf:020d}.log"
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise StorageFullError(error.errno, error.strerror) from error
        failpoint("audit: segment, created")
        try:
            _write_all(descriptor, _SEGMENT_HEADER.pack(_MAGIC, first_leaf), 0)
            failpoint("audit: segment, written")
            os.fsync(descriptor)
            sync_folder(self._folder)
            failpoint("audit: segment, synced")
        except OSError as error:
            os.close(descriptor)
            path.unlink()
            raise StorageFullError(error.errno, error.strerror) from error
        self._descriptors.append(descriptor)
        self._paths.append(path)
        self._first_leaves.append(first_leaf)
        self._end = FIRST_RECORD

    def _open(self, path: Path) -> None:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        header = os.pread(descriptor, FIRST_RECORD, 0)
        if len(header) < FIRST_RECORD and path == segment_paths(self._folder)[-1]:
            os.close(descriptor)  # a crash while it was being begun: nothing was in it yet
            path.unlink()
            return
        if header != _SEGMENT_HEADER.pack(_MAGIC, int(path.stem)):
            os.close(descriptor)
            raise AssayError(
                VERIFICATION_FAILED, f"{path} does not begin as an audit segment.", FSCK_HINT
            )
        self._descriptors.append(descriptor)
        self._paths.append(path)
        self._first_leaves.append(int(path.stem))


class StorageFullError(OSError):
    """Nothing was written and nothing was lost; a later try may succeed."""


class TornTailError(Exception):
    """The last batch was not written whole: `leaf_index` is the first that is not there."""

    def __init__(self, leaf_index: int, offset: int, why: str) -> None:
        super().__init__(why)
        self.leaf_index = leaf_index
        self.offset = offset


def segment_paths(folder: Path) -> list[Path]:
    """The segment files in the order of their leaves."""
    return sorted(folder.glob("*.log"))


def _write_all(descriptor: int, data: bytes, offset: int) -> None:
    view = memoryview(data)
    while view:
        written = os.pwrite(descriptor, view, offset)
        view, offset = view[written:], offset + written


def damaged_leaf(leaf_index: int, path: Path, error: RecordError) -> AssayError:
    """An entry that was durable once and is not whole any more."""
    return AssayError(
        VERIFICATION_FAILED,
        f"Leaf {leaf_index} of the audit log is damaged: {error}, in {path}.",
        FSCK_HINT,
        metadata={"path": str(path)},
    )


def _records(
    descriptor: int, path: Path, place: int, leaf_index: int, last_segment: bool
) -> Iterator[tuple[int, Record]]:
    # Read, not mapped: a segment that somebody cuts off under a map would end the process.
    data, base = _from(descriptor, place), place
    place = 0
    while place < len(data):
        try:
            record = decode_record(data, place)
        except RecordError as error:
            if last_segment and not was_durable(data, place, leaf_index):
                raise TornTailError(leaf_index, base + place, str(error)) from error
            raise damaged_leaf(leaf_index, path, error) from error
        yield base + place, record
        place, leaf_index = record.end, leaf_index + 1


def _from(descriptor: int, place: int) -> bytes:
    """All bytes of a file from a place on: of a sound segment little more than SEGMENT_BYTES."""
    pieces = []
    while piece := os.pread(descriptor, _PIECE, place):
        pieces.append(piece)
        place += len(piece)
    return b"".join(pieces)
