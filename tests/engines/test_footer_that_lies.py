"""What a Parquet file says of itself is not believed: Assay answers from its rows."""

from __future__ import annotations

import struct
from pathlib import Path

import duckdb
import pyarrow as pa
from pyarrow import parquet

from services.executor.engines.duckdb.engine import DuckDBEngine
from tests.engines.spark_world import opened
from tests.engines.world import Place


def with_a_false_maximum(path: Path, true: int, false: int) -> None:
    """A thousand numbers under a footer that names another maximum."""
    numbers = pa.table({"n": pa.array(range(true + 1), pa.int64())})
    parquet.write_table(numbers, path, compression="none", use_dictionary=False)
    content = bytearray(path.read_bytes())
    (length,) = struct.unpack("<I", content[-8:-4])
    footer = bytes(content[-8 - length : -8])
    assert struct.pack("<q", true) in footer
    content[-8 - length : -8] = footer.replace(struct.pack("<q", true), struct.pack("<q", false))
    path.write_bytes(content)


def test_rows_count_and_not_the_footer(tmp_path: Path) -> None:
    path = tmp_path / "numbers.parquet"
    with_a_false_maximum(path, true=999, false=9)
    asked = "SELECT count(*) FILTER (WHERE n > 500) AS above, max(n) AS most FROM {}"
    filtered = "SELECT count(*) AS above FROM {} WHERE n > 500"
    assert duckdb.sql(filtered.format(f"'{path}'")).fetchall() == [(0,)]  # as a script would

    source = opened(path, tmp_path / "home")
    place = Place(DuckDBEngine(), [source])
    assert place.ask(asked.format("numbers")).to_pylist() == [{"above": 499, "most": 999}]
    assert place.ask(filtered.format("numbers")).to_pylist() == [{"above": 499}]
    assert source.tables[0].statistics["n"].maximum == "999"
