"""What is done for a table takes as many steps for each column, however many it has."""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType
from typing import Any

import duckdb

from mesh.policy import Policy
from services.executor.engines.workspace import Workspace
from services.executor.sources.manifest import ColumnStatistics, StoredColumn, StoredTable
from services.executor.sources.measuring import measured
from services.executor.sources.prepared import PreparedSource

FEW, FACTOR = 150, 4


class Lines:
    """Counts the lines of the executor that run, those of comprehensions once for each item."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, frame: FrameType, event: str, _argument: object) -> Any:
        if "/services/executor/" not in frame.f_code.co_filename:
            return None
        self.count += event == "line"
        return self


def source(folder: Path, columns: int) -> PreparedSource:
    folder.mkdir()
    names = [f"reading_{number}" for number in range(columns)]
    with duckdb.connect(str(folder / "tables.duckdb")) as connection:
        listed = ", ".join(f"{number} AS {name}" for number, name in enumerate(names))
        connection.execute(f"CREATE TABLE readings AS SELECT {listed}")
    stored = StoredTable(
        name="readings", rows=1, columns=tuple(StoredColumn(name=n, type="BIGINT") for n in names)
    )
    return PreparedSource(
        digest="d" * 64,
        label="readings.csv",
        database=folder / "tables.duckdb",
        tables=(stored,),
        notes=(),
        decisions=(),
        schema_fingerprint="f" * 64,
        salt="salt",
    )


def lines_for(columns: int, folder: Path) -> int:
    prepared, lines = source(folder, columns), Lines()
    before = sys.gettrace()
    sys.settrace(lines)
    try:
        Workspace([prepared], Policy(), memory_limit="512MB")
    finally:
        sys.settrace(before)
    return lines.count


def test_a_workspace_looks_at_each_column_of_a_wide_table_as_often(
    tmp_path: Path,
) -> None:
    few = lines_for(FEW, tmp_path / "few")
    many = lines_for(FEW * FACTOR, tmp_path / "many")
    assert many < 1.2 * FACTOR * few


def test_statistics_of_a_file_are_those_of_its_table(tmp_path: Path) -> None:
    """They are measured of the file itself, not through its view."""
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE stored AS SELECT i AS id, i % 7 AS \"of 7\", 'w' || (i % 3) AS word "
            "FROM range(60000) t(i)"
        )
        columns = tuple(
            StoredColumn(name=name, type=kind)
            for name, kind in (("id", "BIGINT"), ("of 7", "BIGINT"), ("word", "VARCHAR"))
        )
        connection.execute(f"COPY stored TO '{tmp_path}/0.parquet' (FORMAT parquet)")
        found: list[dict[str, ColumnStatistics]] = []
        for file in ("", "0.parquet"):
            table = StoredTable(name="stored", rows=60_000, columns=columns, file=file)
            found.append(measured(connection, table, tmp_path).statistics)
        of_table, of_file = found
        assert of_table == of_file
        assert (of_file["of 7"].distinct, of_file["word"].distinct) == (7, 3)
