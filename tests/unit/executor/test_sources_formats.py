"""Arrow, Excel, compressed files, folders, and the public CSV files with what is known of them."""

from __future__ import annotations

import gzip
import io
import zipfile
from datetime import datetime
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

from services.executor.domain.source import DataSource, ReaderOptions
from services.executor.sources.library import SourceLibrary
from tests.unit.executor.source_help import PROCESSES, ask, open_file, open_text, shared, types_of
from tests.unit.executor.workbook_help import Cell, rows_xml, workbook
from tests.unit.executor.workbook_kinds_help import ods, ods_cell, ods_row, xls, xlsb

CSV_FILES = (
    "fivethirtyeight_airline_safety",
    "fivethirtyeight_bechdel",
    "gapminder_gapminder",
    "nycflights13_airlines",
    "nycflights13_airports",
    "nycflights13_planes",
    "nycflights13_weather",
    "palmerpenguins_penguins",
)


@pytest.mark.parametrize("name", CSV_FILES)
def test_public_files_are_read_as_pandas_reads_them(tmp_path: Path, name: str) -> None:
    path = shared("csv", f"{name}.csv")
    source = open_file(tmp_path, path)
    found = ask(source, f"SELECT * FROM {name}", row_limit=100_000).to_pandas()
    truth = pd.read_csv(path, keep_default_na=False, na_values=["", "NA"])
    assert list(found.columns) == list(truth.columns)
    assert source.tables[0].rejected == 0
    for column in truth.columns:
        ours, theirs = found[column], truth[column]
        if pd.api.types.is_bool_dtype(theirs):
            assert ours.astype(bool).equals(theirs)
        elif pd.api.types.is_numeric_dtype(theirs):
            pd.testing.assert_series_equal(
                ours.astype(float), theirs.astype(float), check_names=False
            )
        elif pd.api.types.is_datetime64_any_dtype(ours):
            wanted = pd.to_datetime(theirs, utc=True).dt.tz_localize(None)
            assert (pd.to_datetime(ours) == wanted).all()
        else:
            assert ours.fillna("").astype(str).tolist() == theirs.fillna("").astype(str).tolist()


@pytest.mark.parametrize("streamed", [False, True])
def test_arrow_files_and_streams_are_read(tmp_path: Path, streamed: bool) -> None:
    table = pa.table(
        {
            "n": pa.array([1, None, 3], pa.int16()),
            "at": pa.array([datetime(2024, 1, 31, 10)] * 3, pa.timestamp("ms", "Europe/Berlin")),
            "word": pa.array(["a", "b", "a"]).dictionary_encode(),
            "nested": [{"x": 1, "y": "z"}] * 3,
        }
    )
    sink = io.BytesIO()
    opened = pa.ipc.new_stream if streamed else pa.ipc.new_file
    with opened(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=2)
    source = open_text(tmp_path, "t.arrow", sink.getvalue())
    assert types_of(source) == {
        "n": "BIGINT",
        "at": "TIMESTAMP",
        "word": "VARCHAR",
        "nested.x": "BIGINT",
        "nested.y": "VARCHAR",
    }
    assert source.rows == 3
    assert ask(source, 'SELECT "at" FROM t').to_pylist()[0]["at"] == datetime(2024, 1, 31, 10)


REPORT: list[list[Cell]] = [
    ["Sales report", None, None],
    [None, None, None],
    ["region", "sold on", "amount (EUR)"],
    ["North", datetime(2024, 1, 31), 12.5],
    ["South", datetime(2024, 2, 1), 7],
    ["Total", None, 19.5],
]
BOOK = {
    "Sales": rows_xml(REPORT),
    "Codes 2024": rows_xml([["code", "active"], ["007", True], ["042", False]]),
    "Scratch": rows_xml([["x"], [1]]),
}


def test_every_visible_sheet_of_a_workbook_is_a_table(tmp_path: Path) -> None:
    (tmp_path / "book.xlsx").write_bytes(workbook(BOOK, hidden="Scratch"))
    source = open_file(tmp_path, tmp_path / "book.xlsx")
    assert {table.name: table.rows for table in source.tables} == {"Sales": 2, "Codes_2024": 2}
    assert types_of(source) == {
        "region": "VARCHAR",
        "sold on": "DATE",
        "amount (EUR)": "DOUBLE",
    }
    assert source.tables[0].columns[2].comment == "unit: EUR"
    assert ask(source, 'SELECT code FROM "Codes_2024"').to_pylist()[0] == {"code": "007"}
    assert "Scratch" in " ".join(source.notes)
    one = open_file(tmp_path, tmp_path / "book.xlsx", options=ReaderOptions(sheets=("Codes 2024",)))
    assert [table.name for table in one.tables] == ["book"]


def test_workbooks_of_other_programs_are_read_alike(tmp_path: Path) -> None:
    rows: list[list[str | float]] = [["name", "n"], ["a", 1.5], ["b", 2.0], ["b", 2.0]]
    (tmp_path / "book.xlsx").write_bytes(workbook({"Sales": rows_xml(rows)}))
    cells = [(i, j, value) for i, row in enumerate(rows) for j, value in enumerate(row)]
    cells[2] = (1, 0, "@0")
    (tmp_path / "book.xlsb").write_bytes(xlsb({"Sales": cells}, shared=["a"]))
    lines = [ods_row(*map(ods_cell, row)) for row in rows[:2]]
    lines.append(ods_row(*map(ods_cell, rows[2]), times=2))
    (tmp_path / "book.ods").write_bytes(ods({"Sales": "".join(lines)}))
    for kind in ("xlsx", "xlsb", "ods"):
        source = open_file(tmp_path, tmp_path / f"book.{kind}")
        assert ask(source, "SELECT name, n FROM book ORDER BY n").to_pylist() == [
            {"name": name, "n": n} for name, n in rows[1:]
        ], kind


def test_a_workbook_of_the_oldest_kind_is_read(tmp_path: Path) -> None:
    cells = [(i, j, float(10 * i + j)) for i in range(900) for j in range(3)]
    (tmp_path / "book.xls").write_bytes(xls({"Sales": cells}))
    source = open_file(tmp_path, tmp_path / "book.xls")
    assert source.rows in (899, 900)  # the first row may be taken for names


def test_compressed_text_is_read_under_its_own_name(tmp_path: Path) -> None:
    source = open_text(tmp_path, "orders.csv.gz", gzip.compress(b"a,b\n1,2\n"))
    assert source.tables[0].name == "orders"


def test_compressed_files_of_a_folder_stay_apart(tmp_path: Path) -> None:
    folder = tmp_path / "months"
    folder.mkdir()
    for name, number in (("south", 1), ("north", 2)):
        (folder / f"{name}.csv.gz").write_bytes(gzip.compress(f"n\n{number}\n".encode()))
    source = open_file(tmp_path, folder)
    found = {t.name: ask(source, f"SELECT n FROM {t.name}").to_pylist() for t in source.tables}
    assert found == {"north": [{"n": 2}], "south": [{"n": 1}]}


def test_an_archive_is_a_folder(tmp_path: Path) -> None:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        archive.writestr("x/north.csv", "a,b\n1,2\n")
        archive.writestr("x/south.csv", "a,b\n3,4.5\n")
        archive.writestr("readme.md", "no data")
    source = open_text(tmp_path, "year.zip", sink.getvalue())
    assert [table.name for table in source.tables] == ["north", "south"]


def test_files_of_one_schema_can_be_one_table(tmp_path: Path) -> None:
    folder = tmp_path / "months"
    folder.mkdir()
    (folder / "feb.csv").write_text("a,b\n3,4.5\n")
    (folder / "jan.csv").write_text("a,b\n1,2\n")
    (folder / "other.csv").write_text("c\n1\n")
    library = SourceLibrary(tmp_path, processes=PROCESSES)
    source = library.open(DataSource(file_path=str(folder), options=ReaderOptions(one_table=True)))
    assert {table.name: table.rows for table in source.tables} == {"other": 1, "all_rows": 2}
    found = ask(source, "SELECT source_file, b FROM all_rows ORDER BY a").to_pylist()
    assert found == [{"source_file": "jan", "b": 2.0}, {"source_file": "feb", "b": 4.5}]
