"""Tables to and from Arrow IPC: files that are memory-mapped, streams that travel in chunks."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from mesh.errors import SOURCE_NOT_READABLE, AssayError

DEFAULT_CHUNK_BYTES = 1 << 20

_FIRST_BATCH_ROWS = 1024


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
    """Write a table as an IPC file, which allows one dictionary a column: they are unified."""
    options = pa.ipc.IpcWriteOptions(unify_dictionaries=True)
    with pa.ipc.new_file(file, table.schema, options=options) as writer:
        writer.write_table(table)


def map_file(path: Path, *, foreign: bool = False) -> pa.Table:
    """Memory-map an IPC file: rows are read from disk when they are touched.

    `foreign` files, those another process may have tampered with, are validated in full.
    Raises FileNotFoundError, and AssayError SOURCE_NOT_READABLE for a damaged file.
    """
    try:
        table = pa.ipc.open_file(pa.memory_map(str(path))).read_all()
        if foreign:
            table.validate(full=True)
    except FileNotFoundError:
        raise
    except (pa.ArrowException, OSError) as error:
        raise _unreadable(f"The frame file {path}", error) from error
    return table


def stream_chunks(table: pa.Table, chunk_bytes: int = DEFAULT_CHUNK_BYTES) -> Iterator[bytes]:
    """The table as an IPC stream, cut into pieces of at most `chunk_bytes`.

    Concatenated, the pieces are a valid Arrow stream. Memory held at once is a few chunks, unless
    single rows are larger. Raises ValueError when `chunk_bytes` is below 1.
    """
    if chunk_bytes < 1:
        raise ValueError("a chunk holds at least one byte")
    outbox = _Outbox()
    start, rows = 0, _FIRST_BATCH_ROWS
    with pa.ipc.new_stream(pa.PythonFile(outbox, mode="w"), table.schema) as writer:
        while start < table.num_rows:
            before = outbox.total_bytes
            writer.write_table(table.slice(start, rows))
            yield from outbox.take_full(chunk_bytes)
            start += rows
            # Measured, not foretold: Table.nbytes crashes on some layouts that are valid.
            row_bytes = max(1.0, (outbox.total_bytes - before) / rows)
            rows = max(1, int(chunk_bytes / row_bytes))
    yield from outbox.take_full(chunk_bytes)
    yield from outbox.take_rest()


def read_stream(chunks: Iterable[bytes], *, foreign: bool = True) -> pa.Table:
    """A table from the pieces of an IPC stream, however it was cut.

    `foreign` streams are validated in full. Raises AssayError SOURCE_NOT_READABLE.
    """
    try:
        with pa.ipc.open_stream(pa.PythonFile(_Inbox(chunks), mode="r")) as reader:
            table = reader.read_all()
        if foreign:
            table.validate(full=True)
    except (pa.ArrowException, OSError) as error:
        raise _unreadable("The Arrow stream", error) from error
    return table


def read_buffer(content: pa.Buffer) -> pa.Table:
    """A table from a whole IPC stream that is mapped, not copied; validated in full.

    Raises AssayError SOURCE_NOT_READABLE.
    """
    try:
        with pa.ipc.open_stream(content) as reader:
            table = reader.read_all()
        table.validate(full=True)
    except (pa.ArrowException, OSError) as error:
        raise _unreadable("The Arrow stream", error) from error
    return table


def _unreadable(what: str, error: Exception) -> AssayError:
    return AssayError(
        SOURCE_NOT_READABLE,
        f"{what} cannot be read as Arrow: {error}",
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

    def __init__(self, chunks: Iterable[bytes]) -> None:
        super().__init__()
        self._chunks = iter(chunks)
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        parts: list[memoryview] = []
        wanted = size if size >= 0 else None
        while wanted is None or wanted > 0:
            while not self._rest:
                chunk = next(self._chunks, None)
                if chunk is None:
                    return b"".join(parts)
                self._rest = memoryview(chunk)
            part, self._rest = self._rest[:wanted], self._rest[len(self._rest[:wanted]) :]
            parts.append(part)
            wanted = None if wanted is None else wanted - len(part)
        return b"".join(parts)
