"""Where the golden Arrow streams are, and what pyarrow itself cannot carry."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from tests.unit.mesh.frames.json_twin import table_columns, twin_columns, twin_metadata

GOLDEN = Path(__file__).parents[5] / "shared" / "data" / "arrow" / "golden"
STREAMS = sorted(GOLDEN.glob("*/*.stream"))
ABSENT = f"no golden Arrow files at {GOLDEN}"

NOT_CARRIED: dict[str, str] = {}
"""Streams that pyarrow cannot read, with the reason. There are none."""


def stream_name(stream: Path) -> str:
    return f"{stream.parent.name}/{stream.stem}"


def opened(stream: Path) -> pa.Table:
    """The golden table as pyarrow reads it."""
    return pa.ipc.open_stream(pa.memory_map(str(stream))).read_all()


def assert_is_its_twin(table: pa.Table, stream: Path) -> None:
    """The table holds what the JSON twin says, and keeps the stream's types and metadata."""
    twin = stream.with_suffix(".json.gz")
    assert table_columns(table) == twin_columns(twin), stream_name(stream)
    assert (table.schema.metadata or {}) == twin_metadata(twin), stream_name(stream)
    expected = pa.ipc.open_stream(pa.memory_map(str(stream))).schema
    assert table.schema.equals(expected, check_metadata=True), stream_name(stream)
