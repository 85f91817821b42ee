"""Sound files of every kind, and how the service takes a file."""

from __future__ import annotations

import gzip
import io
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from mesh.errors import (
    RESOURCE_EXHAUSTED,
    SOURCE_EMPTY,
    SOURCE_NOT_READABLE,
    SOURCE_NOT_SUPPORTED,
    AssayError,
)
from services.executor.domain.source import DataSource
from services.executor.sources.library import SourceLibrary
from services.executor.sources.prepared import PreparedSource
from tests.unit.executor.workbook_help import workbook

TABLE = pa.table(
    {
        "id": list(range(500)),
        "name": [f"näme {i}" if i % 7 else None for i in range(500)],
        "price": [i / 4 for i in range(500)],
        "tags": [[i, i + 1] for i in range(500)],
        "kind": pa.array(["a", "b"] * 250).dictionary_encode(),
    }
)
EXPECTED = {SOURCE_NOT_READABLE, SOURCE_NOT_SUPPORTED, SOURCE_EMPTY, RESOURCE_EXHAUSTED}


def opened(
    library: SourceLibrary, path: Path, content: bytes, name: str | None = None
) -> PreparedSource:
    path.write_bytes(content)
    return library.open(DataSource(file_path=str(path), name=name))


def arrow_file() -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, TABLE.schema) as writer:
        writer.write_table(TABLE, max_chunksize=100)
    return sink.getvalue()


def arrow_stream() -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, TABLE.schema) as writer:
        writer.write_table(TABLE, max_chunksize=100)
    return sink.getvalue()


def parquet() -> bytes:
    sink = io.BytesIO()
    pq.write_table(TABLE, sink, row_group_size=100)
    return sink.getvalue()


def csv_text() -> bytes:
    return b"id,name,price\n" + b"".join(f'{i},"näme, {i}",{i / 4}\n'.encode() for i in range(500))


def json_text() -> bytes:
    return json.dumps(TABLE.select(["id", "name", "tags"]).to_pylist()).encode()


def sqlite_file() -> bytes:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t (id INTEGER, name TEXT)")
    connection.executemany("INSERT INTO t VALUES (?, ?)", [(i, f"name {i}") for i in range(500)])
    connection.commit()
    return connection.serialize()


CELLS = "".join(f"<row><c t='n'><v>{i}</v></c><c t='n'><v>{i / 4}</v></c></row>" for i in range(99))
MAKERS: dict[str, Callable[[], bytes]] = {
    "t.arrow": arrow_file,
    "t.arrows": arrow_stream,
    "t.parquet": parquet,
    "t.csv": csv_text,
    "t.json": json_text,
    "t.xlsx": lambda: workbook({"Data": CELLS}),
    "t.sqlite": sqlite_file,
    "t.csv.gz": lambda: gzip.compress(csv_text()),
}


def settle(library: SourceLibrary, path: Path, content: bytes) -> str:
    """How the service takes a file: `read`, or the reason it gives. Anything else is a failure."""
    try:
        opened(library, path, content)
        return "read"
    except AssayError as error:
        assert error.reason in EXPECTED, error
        assert path.name in error.message
        assert "Traceback" not in error.message
        return error.reason.code
