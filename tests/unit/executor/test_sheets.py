"""Sheets as people write them: merged cells, several tables, days that are numbers."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path

import pytest

from services.executor.domain.source import ReaderOptions, Repair
from services.executor.sources.prepared import PreparedSource
from tests.unit.executor.source_help import ask, open_text, rows_of, types_of
from tests.unit.executor.workbook_help import Cell, rows_xml, workbook

Rows = list[list[Cell]]
RAW = ReaderOptions(raw=True)


def sheet(
    home: Path, rows: Rows, merged: tuple[str, ...] = (), options: ReaderOptions | None = None
) -> PreparedSource:
    content = workbook({"Sales": rows_xml(rows)}, merged=merged)
    return open_text(home, "book.xlsx", content, options=options or ReaderOptions())


REPORT: Rows = [
    ["Regional report"],
    [None, None, 2024, None, 2025, None],
    ["Region", "City", "Q1", "Q2", "Q1", "Q2"],
    ["North", "Oslo", 10, 11, 12, 13],
    [None, "Bergen", 20, 21, 22, 23],
    ["Subtotal North", None, 30, 32, 34, 36],
    ["South", "Rome", 5, 6, 7, 8],
    [None, "Bari", 1, 2, 3, 4],
    ["Subtotal South", None, 6, 8, 10, 12],
    ["Grand total", None, 36, 40, 44, 48],
]
MERGED = ("A1:F1", "C2:D2", "E2:F2", "A4:A5", "A7:A8")


def test_a_report_with_merged_cells_and_totals_is_a_table(tmp_path: Path) -> None:
    source = sheet(tmp_path, REPORT, MERGED)
    assert list(types_of(source)) == ["Region", "City", "2024 Q1", "2024 Q2", "2025 Q1", "2025 Q2"]
    query = 'SELECT Region AS r, sum("2025 Q1") AS n FROM book GROUP BY 1 ORDER BY 1'
    assert ask(source, query).to_pylist() == [{"r": "North", "n": 34}, {"r": "South", "n": 10}]
    assert {doubt.code for doubt in source.doubts} == {"merged", "headings", "total-rows"}
    assert all(doubt.repaired for doubt in source.doubts)
    raw = sheet(tmp_path, REPORT, MERGED, RAW)
    assert raw.rows == 7 and not any(doubt.repaired for doubt in raw.doubts)


@pytest.mark.parametrize(
    ("rows", "merged", "expected"),
    [
        ([["k", "v", "n"], ["a", "x", 1], [None, "y", 2], ["b", "z", 3]], ("A2:A3",), "a a b"),
        ([["k", "v", "n"], ["x", "a", 1], ["y", None, 2], ["z", None, 3]], ("B2:B4",), "x y z"),
        ([["k", None, "n"], ["a", "x", 1], ["b", "y", 2]], ("A1:B1",), "a b"),
    ],
)
def test_merged_cells_hold_for_all_that_they_cover(
    tmp_path: Path, rows: Rows, merged: tuple[str, ...], expected: str
) -> None:
    source = sheet(tmp_path, rows, merged)
    found = rows_of(source)
    assert " ".join(str(next(iter(row.values()))) for row in found) == expected
    assert all(value is not None for row in found for value in row.values())


@pytest.mark.parametrize(
    "text",
    [
        "region,city,n\nNorth,Oslo,1\n,Bergen,2\nSouth,Rome,3\n,Bari,4\n,Pisa,5\n",
        "n;team;who\n1;A;x\n2;;y\n3;;z\n4;B;x\n",
        "year,n\nY1,1\n,2\n,3\nY2,4\n,5\n",
    ],
)
def test_labels_that_stand_once_can_be_filled_down(tmp_path: Path, text: str) -> None:
    source = open_text(tmp_path, "t.csv", text)
    (doubt,) = [one for one in source.doubts if one.code == "labels-once"]
    assert not doubt.repaired and doubt.repairs[0].option == f"fill-down.{doubt.column}=above"
    filled = open_text(tmp_path, "t.csv", text, options=ReaderOptions(repairs=doubt.repairs))
    labels = [row[doubt.column] for row in rows_of(filled)]
    assert None not in labels and labels == sorted(labels)
    assert not filled.doubts


@pytest.mark.parametrize(
    ("rows", "names"),
    [
        (
            [
                ["Month", "Sales", None, "Store", "Cost"],
                ["Jan", 1, None, "A", 5],
                ["Feb", 2, None, "B", 6],
                ["Mar", 3],
            ],
            ["book", "book_2"],
        ),
        (
            [
                ["Month", "Sales"],
                ["Jan", 1],
                ["Feb", 2],
                [],
                ["Costs"],
                ["Store", "Cost", "Kind"],
                ["A", 5, "x"],
                ["B", 6, "y"],
            ],
            ["book", "Costs"],
        ),
        (
            [
                ["Team", "N"],
                ["a", 1],
                [],
                ["Team", "Place", "N"],
                ["a", "x", 1],
                [],
                ["K", "V"],
                ["q", 7],
            ],
            ["book", "book_2", "book_3"],
        ),
    ],
)
def test_tables_that_share_a_sheet_are_tables_of_their_own(
    tmp_path: Path, rows: Rows, names: list[str]
) -> None:
    source = sheet(tmp_path, rows)
    assert [table.name for table in source.tables] == names
    (doubt,) = source.doubts
    assert (doubt.code, doubt.table, doubt.repaired) == ("several-tables", "book", True)
    assert len(sheet(tmp_path, rows, options=RAW).tables) == 1
    no = ReaderOptions(repairs=(Repair(kind="split-sheet", value="no"),))
    assert len(sheet(tmp_path, rows, options=no).tables) == 1


@pytest.mark.parametrize(
    "rows",
    [
        [["Month", "Sales"], ["Jan", 1], [], ["Feb", 2], [], ["Total", 3]],
        [["Month", "Sales", None, "Cost"], ["Jan", 1, None, 5], ["Feb", 2, None, 6]],
        [["Report"], [], ["Month", "Sales"], ["Jan", 1], ["Feb", 2], [], ["Source: us"]],
        [["Month", "Sales"], ["Jan", 1], [], ["Month", "Sales"], ["Feb", 2]],
    ],
)
def test_one_table_with_gaps_stays_one(tmp_path: Path, rows: Rows) -> None:
    source = sheet(tmp_path, rows)
    assert [(table.name, table.rows) for table in source.tables] == [("book", 2)]


DAY = datetime(2024, 1, 1)


@pytest.mark.parametrize(
    ("rows", "column"),
    [
        ([["at", "n"], [DAY, 1], [45293, 2], [45294, 3]], "at"),
        ([["ship date", "n"], [45292, 1], [45293, 2], [45294, 3]], "ship date"),
        ([["Datum", "n"], [45292, 1], [45293, 2], [None, 3], [45294, 4]], "Datum"),
    ],
)
def test_day_numbers_are_days_where_the_column_is_of_days(
    tmp_path: Path, rows: Rows, column: str
) -> None:
    source = sheet(tmp_path, rows)
    assert types_of(source)[column] == "DATE"
    assert max(row[column] for row in rows_of(source) if row[column]) == date(2024, 1, 3)
    (doubt,) = [one for one in source.doubts if one.code == "day-numbers"]
    assert doubt.repaired
    assert types_of(sheet(tmp_path, rows, options=RAW))[column] != "DATE"


@pytest.mark.parametrize(
    "rows",
    [
        [["id", "n"], [45292, 1], [45293, 2]],
        [["date", "n"], [20240101, 1], [20240102, 2]],
        [["days", "n"], [3, 1], [45293, 2]],
    ],
)
def test_numbers_that_count_no_days_stay(tmp_path: Path, rows: Rows) -> None:
    source = sheet(tmp_path, rows)
    assert not any(doubt.code == "day-numbers" for doubt in source.doubts)
