"""Tables to and from Arrow IPC: files that are memory-mapped, streams that travel in chunks."""

from __future__ import annotations

import io
from collections.abc import Callable, Generator, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa

from mesh.errors import SOURCE_NOT_READABLE, AssayError
from mesh.frames import soundness
from mesh.frames.stored import BATCH_BYTES

DEFAULT_CHUNK_BYTES = 1 << 20

_FIRST_BATCH_ROWS = 1024
_FILE_MARK = b"ARROW1"


def encode_schema(schema: pa.Schema) -> bytes:
    """The schema as an encapsulated IPC message."""
    return bytes(schema.serialize())


def decode_schema(content: bytes) -> pa.Schema:
    """The reverse of `encode_schema`. Raises AssayError SOURCE_NOT_READABLE."""
    try:
        return pa.ipc.read_schema(pa.py_buffer(content))
    except (pa.ArrowException, OSError) as error:
        raise _unreadable("The frame's schema", error) from error


def write_file(table: pa.Table, file: BinaryIO) -> None:
    """Write a table as an IPC file, in batches of about BATCH_BYTES.

    A file allows one dictionary a column, so dictionaries are unified. Those that cannot be, being
    nested or holding nulls, and that do differ, are written as an IPC stream. `file` is at its
    start and empty.
    """
    try:
        _write(table, file, pa.ipc.new_file, pa.ipc.IpcWriteOptions(unify_dictionaries=True))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        file.seek(0)
        file.truncate()
        _write(table, file, pa.ipc.new_stream, pa.ipc.IpcWriteOptions())


def map_file(path: Path, *, foreign: bool = False) -> pa.Table:
    """Memory-map a file that `write_file` wrote: rows are read from disk when they are touched.

    `foreign` files, those another process may have tampered with, are read into memory, where
    nobody can change them any more, and validated in full.
    Raises FileNotFoundError, and AssayError SOURCE_NOT_READABLE for a damaged file.
    """
    try:
        source = pa.OSFile(str(path)) if foreign else pa.memory_map(str(path))
        table = open_any(source).read_all()
        if foreign:
            soundness.check_table(table)
    except FileNotFoundError:
        raise
    except (pa.ArrowException, OSError) as error:
        raise _unreadable(f"The frame file {path.name}", error) from error
    return table


def open_any(
    source: pa.NativeFile,
) -> pa.ipc.RecordBatchFileReader | pa.ipc.RecordBatchStreamReader:
    """A reader of an IPC file or an IPC stream. Raises ArrowInvalid."""
    is_file = source.read(len(_FILE_MARK)) == _FILE_MARK
    source.seek(0)
    return pa.ipc.open_file(source) if is_file else pa.ipc.open_stream(source)


def sized_slices(table: pa.Table, size: int, written: Callable[[], int]) -> Iterator[pa.Table]:
    """The table in slices that, written, have about `size` bytes each.

    `written` tells how many bytes were written so far: sizes are measured, not foretold, because
    Table.nbytes crashes on some layouts that are valid.
    """
    start, rows = 0, _FIRST_BATCH_ROWS
    while start < table.num_rows:
        before = written()
        yield table.slice(start, rows)
        start += rows
        rows = max(1, int(size * rows / max(1.0, written() - before)))


def _write(
    table: pa.Table, file: BinaryIO, new: Callable[..., Any], options: pa.ipc.IpcWriteOptions
) -> None:
    with new(file, table.schema, options=options) as writer:
        for part in sized_slices(table, BATCH_BYTES, file.tell):
            writer.write_table(part)


def stream_chunks(
    table: pa.Table, chunk_bytes: int = DEFAULT_CHUNK_BYTES
) -> Generator[bytes, None, None]:
    """The table as an IPC stream, cut into pieces of at most `chunk_bytes`.

    Concatenated, the pieces are a valid Arrow stream. Memory held at once is a few chunks, unless
    single rows are larger. Raises ValueError when `chunk_bytes` is below 1.
    """
    if chunk_bytes < 1:
        raise ValueError("a chunk holds at least one byte")
    outbox = _Outbox()
    with pa.ipc.new_stream(pa.PythonFile(outbox, mode="w"), table.schema) as writer:
        for part in sized_slices(table, chunk_bytes, lambda: outbox.total_bytes):
            writer.write_table(part)
            yield from outbox.take_full(chunk_bytes)
    yield from outbox.take_full(chunk_bytes)
    yield from outbox.take_rest()


def batch_chunks(schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> Iterator[bytes]:
    """Batches as an IPC stream, each sent on before the next is asked for."""
    outbox = _Outbox()
    with pa.ipc.new_stream(pa.PythonFile(outbox, mode="w"), schema) as writer:
        yield from outbox.take_rest()
        for batch in batches:
            writer.write_batch(batch)
            yield from outbox.take_rest()
    yield from outbox.take_rest()


def read_stream(chunks: Iterable[bytes], *, foreign: bool = True) -> pa.Table:
    """A table from the pieces of an IPC stream, however it was cut.

    `foreign` streams are validated in full. Raises AssayError SOURCE_NOT_READABLE.
    """
    try:
        with pa.ipc.open_stream(pieces_file(chunks)) as reader:
            table = reader.read_all()
        if foreign:
            soundness.check_table(table)
    except (pa.ArrowException, OSError) as error:
        raise _unreadable("The Arrow stream", error) from error
    return table


def pieces_file(pieces: Iterable[bytes | memoryview]) -> pa.NativeFile:
    """The pieces of a stream, however it was cut, as a file that Arrow reads."""
    return pa.PythonFile(_Inbox(pieces), mode="r")


def read_buffer(content: pa.Buffer) -> pa.Table:
    """A table from a whole IPC stream that is mapped, not copied; validated in full.

    Raises AssayError SOURCE_NOT_READABLE.
    """
    try:
        with pa.ipc.open_stream(content) as reader:
            table = reader.read_all()
        soundness.check_table(table)
    except (pa.ArrowException, OSError) as error:
        raise _unreadable("The Arrow stream", error) from error
    return table


def _unreadable(what: str, error: Exception) -> AssayError:
    return AssayError(
        SOURCE_NOT_READABLE,
        f"{what} cannot be read as Arrow",
        hint="It is damaged or was cut off; make it again.",
    )


class _Outbox(io.RawIOBase):
    """Collects what the IPC writer writes until it is taken."""

    def __init__(self) -> None:
        super().__init__()
        self._held = bytearray()
        self.total_bytes = 0

    def writable(self) -> bool:
        return True

    def write(self, content: object) -> int:
        view = memoryview(content)  # type: ignore[arg-type]  # Arrow hands over any buffer
        self._held += view
        self.total_bytes += view.nbytes
        return view.nbytes

    def take_full(self, size: int) -> Iterator[bytes]:
        taken = 0
        while len(self._held) - taken >= size:
            yield bytes(memoryview(self._held)[taken : taken + size])
            taken += size
        del self._held[:taken]

    def take_rest(self) -> Iterator[bytes]:
        if self._held:
            yield bytes(self._held)
            self._held.clear()


class _Inbox(io.RawIOBase):
    """Lets the IPC reader read across chunk borders."""

    def __init__(self, chunks: Iterable[bytes | memoryview]) -> None:
        super().__init__()
        self._chunks = iter(chunks)
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> Any:
        """The next bytes, in a buffer from Arrow's own pool: fresh memory would cost the most."""
        if size < 0:
            return b"".join((self._rest, *self._chunks))
        buffer = pa.allocate_buffer(size, resizable=True)
        with memoryview(buffer).cast("B") as room:
            done = self._fill(room)
        buffer.resize(done)
        return buffer

    def _fill(self, room: memoryview) -> int:
        done = 0
        while done < len(room):
            while not self._rest:
                chunk = next(self._chunks, None)
                if chunk is None:
                    return done
                self._rest = memoryview(chunk)
            part = self._rest[: len(room) - done]
            room[done : done + len(part)] = part
            done, self._rest = done + len(part), self._rest[len(part) :]
        return done
