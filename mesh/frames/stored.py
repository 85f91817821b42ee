"""A stored frame, read piece by piece, so that memory does not grow with the frame.

A file holds one of two forms. An Arrow IPC file is an IPC stream between a mark and an index, so
its bytes can be sent as they are. A frame whose dictionaries change on the way cannot be an IPC
file and is stored as an IPC stream.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

import pyarrow as pa

from mesh.errors import SOURCE_NOT_READABLE, AssayError
from mesh.frames import soundness

SPAN_BYTES = 2 << 20
"""What is read from disk at once."""
BATCH_BYTES = 4 << 20
"""About the size of one batch on the way: small enough to hold several, large enough to be fast."""

_MARK = b"ARROW1\0\0"
_END_OF_STREAM = b"\xff\xff\xff\xff\0\0\0\0"
_PAGE = mmap.PAGESIZE


@dataclass(frozen=True, slots=True)
class _Message:
    """Where an encapsulated message lies in the file; `is_batch` for rows, else for metadata."""

    start: int
    end: int
    is_batch: bool


class StoredFrame:
    """One open file of a frame. Raises FileNotFoundError, AssayError SOURCE_NOT_READABLE."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with path.open("rb") as file:
            self._descriptor = os.dup(file.fileno())
        try:
            self._map = mmap.mmap(self._descriptor, 0, prot=mmap.PROT_READ)
            self._content = pa.py_buffer(self._map)
            self._is_file = self._map[: len(_MARK)] == _MARK
            self._messages = list(self._walk())
        except (pa.ArrowException, OSError, ValueError) as error:
            os.close(self._descriptor)
            raise self._damaged(error) from error

    def __enter__(self) -> StoredFrame:
        return self

    def __exit__(self, *exception: object) -> None:
        """Close the file; batches in use keep their part of it alive."""
        os.close(self._descriptor)

    def batches(self, first_row: int = 0) -> Iterator[pa.RecordBatch]:
        """Rows from `first_row` on, in batches of about BATCH_BYTES that lie in the file.

        Once the batch after next is asked for, a batch's pages may leave memory; whoever still
        holds it reads them again. Raises AssayError SOURCE_NOT_READABLE.
        """
        places = [message for message in self._messages if message.is_batch]
        done = 0
        for number, batch in enumerate(self._sound_batches()):
            if number == len(places):
                raise self._damaged(ValueError("its index names more batches than there are"))
            place = places[number]
            skipped = min(batch.num_rows, max(0, first_row - done))
            done += batch.num_rows
            if skipped < batch.num_rows:
                yield from slices(batch.slice(skipped), place.end - place.start, batch.num_rows)
            self._let_go(place)

    def spans(self, first_row: int = 0) -> Iterator[memoryview]:
        """The bytes of an IPC stream of all rows from `first_row` on, SPAN_BYTES at once.

        They lie in two buffers that take turns: fresh memory for each would cost more than the
        reading. `first_row` is where a stored batch begins, or raises ValueError.
        """
        buffers = cycle(memoryview(bytearray(SPAN_BYTES)) for _ in range(2))
        for start, end in self._stretches(first_row):
            for begin in range(start, end, SPAN_BYTES):
                span = next(buffers)[: end - begin]
                yield span[: os.preadv(self._descriptor, [span], begin)]
        yield memoryview(_END_OF_STREAM)

    def _stretches(self, first_row: int) -> list[tuple[int, int]]:
        """Which bytes of the file are the rows from `first_row` on, and what comes with them."""
        after = self._batches_before(first_row) if first_row else 0
        found: list[tuple[int, int]] = []
        for message in self._messages:
            if message.is_batch and after:
                after -= 1
                continue
            if found and found[-1][1] == message.start:
                found[-1] = (found[-1][0], message.end)
            else:
                found.append((message.start, message.end))
        return found

    def check(self, batch: pa.RecordBatch) -> None:
        """Look at every value of a batch of this frame: is it sound for those who use it?

        Raises AssayError SOURCE_NOT_READABLE.
        """
        try:
            soundness.check(batch)
        except pa.ArrowException as error:
            raise self._damaged(error) from error

    def rows(self) -> int:
        """How many rows there are; none is read. Raises AssayError SOURCE_NOT_READABLE."""
        return sum(batch.num_rows for batch in self._sound_batches())

    def schema(self) -> pa.Schema:
        """Names and types of the columns, checked. Raises AssayError SOURCE_NOT_READABLE."""
        try:
            schema = self._reader().schema
            soundness.check_schema(schema)
            return schema
        except (pa.ArrowException, OSError) as error:
            raise self._damaged(error) from error

    def _walk(self) -> Iterator[_Message]:
        source = pa.BufferReader(self._content)
        source.seek(len(_MARK) if self._is_file else 0)
        while True:
            start = source.tell()
            try:
                message = pa.ipc.read_message(source)
            except EOFError:
                return
            yield _Message(start, source.tell(), message.type == "record batch")

    def _reader(self) -> pa.ipc.RecordBatchFileReader | pa.ipc.RecordBatchStreamReader:
        if self._is_file:
            return pa.ipc.open_file(self._content)
        return pa.ipc.open_stream(self._content)

    def _sound_batches(self) -> Iterator[pa.RecordBatch]:
        """The stored batches, as far as they can be told apart."""
        try:
            for batch in self._whole_batches():
                batch.validate()
                yield batch
        except (pa.ArrowException, OSError) as error:
            raise self._damaged(error) from error

    def _damaged(self, error: Exception) -> AssayError:
        return AssayError(
            SOURCE_NOT_READABLE,
            f"The frame file {self._path.name} cannot be read as Arrow",
            hint="It is damaged or was cut off; make it again.",
        )

    def _whole_batches(self) -> Iterator[pa.RecordBatch]:
        reader = self._reader()
        if isinstance(reader, pa.ipc.RecordBatchFileReader):
            yield from map(reader.get_batch, range(reader.num_record_batches))
        else:
            yield from reader

    def _batches_before(self, first_row: int) -> int:
        rows = 0
        for number, batch in enumerate(self._whole_batches()):
            if rows == first_row:
                return number
            rows += batch.num_rows
        if rows == first_row:
            return sum(message.is_batch for message in self._messages)
        raise ValueError(f"no stored batch begins at row {first_row}")

    def _let_go(self, message: _Message) -> None:
        start = message.start // _PAGE * _PAGE
        self._map.madvise(mmap.MADV_DONTNEED, start, message.end - start)


def slices(batch: pa.RecordBatch, bytes_: int, rows: int) -> Iterator[pa.RecordBatch]:
    """The batch in slices of about BATCH_BYTES, when so many rows of it take `bytes_`."""
    most = max(1, int(BATCH_BYTES * rows / max(1, bytes_)))
    if batch.num_rows <= 2 * most:
        yield batch
        return
    for start in range(0, batch.num_rows, most):
        yield batch.slice(start, most)
