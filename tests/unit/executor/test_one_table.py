"""A file or a sheet for each period is one table; other tables of one form are that if told so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from services.executor.domain.description import DataType
from services.executor.domain.source import ReaderOptions, Repair
from services.executor.doubts.one_form import of_one_form
from services.executor.doubts.seen import SeenColumn, SeenTable
from services.executor.sources.naming_periods import periods_in
from services.executor.sources.prepared import PreparedSource
from tests.unit.executor.source_help import ask, open_file, open_text
from tests.unit.executor.workbook_help import rows_xml, workbook


def folder_of(home: Path, files: dict[str, str], **options: Any) -> PreparedSource:
    folder = home / "shops"
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    return open_file(home, folder, options=ReaderOptions(**options))


@pytest.mark.parametrize(
    ("names", "around", "grain", "first"),
    [
        (["sales_2025_01", "sales_2025_02"], "", "month", "2025-01-01"),
        (["Jan", "Feb", "Mar"], "sales 2024", "month", "2024-01-01"),
        (["Januar", "Februar"], "x", "month", "None"),
        (["2023", "2024"], "", "year", "2023-01-01"),
        (["report Q1 2024", "report Q2 2024"], "", "quarter", "2024-01-01"),
        (["log-20240131", "log-20240201"], "", "day", "2024-01-31"),
        (["dec2024", "jan2025"], "", "month", "2024-12-01"),
    ],
)
def test_periods_in_names(names: list[str], around: str, grain: str, first: str) -> None:
    found = periods_in(names, around)
    assert (found[0].grain, str(found[0].first)) == (grain, first)


@pytest.mark.parametrize(
    "names",
    [
        ["north", "south"],
        ["actual_2024", "budget_2024"],
        ["sales_2024", "sales"],
        ["sales_2024", "costs_2025"],
        ["jan", "2024"],
        ["marble", "mayor"],
    ],
)
def test_names_that_are_of_no_periods(names: list[str]) -> None:
    assert periods_in(names, "") == []


@pytest.mark.parametrize(
    ("names", "column", "values"),
    [
        (("s_2025_01.csv", "s_2025_02.csv"), "month", ["2025-01-01", "2025-02-01"]),
        (("2023.csv", "2024.csv"), "year", ["2023", "2024"]),
        (("jan.csv", "feb.csv"), "month", ["feb", "jan"]),
        (("x Q1 2024.tsv", "x Q2 2024.tsv"), "quarter", ["2024-01-01", "2024-04-01"]),
    ],
)
def test_files_of_periods_are_one_table_with_the_period(
    tmp_path: Path, names: tuple[str, str], column: str, values: list[str]
) -> None:
    texts = ("store\tn\nA\t1\nB\t2\n", "store\tn\nA\t3\nB\t4.5\n")
    source = folder_of(tmp_path, dict(zip(names, texts, strict=True)))
    (table,) = source.tables
    query = f'SELECT DISTINCT {column}::VARCHAR AS v FROM "{table.name}" ORDER BY 1'
    assert [row["v"] for row in ask(source, query).to_pylist()] == values
    (doubt,) = source.doubts
    assert (doubt.code, doubt.repaired, doubt.table) == ("one-form", True, table.name)
    (note,) = [note for note in source.notes if "source_file" in note]
    assert doubt.said in note  # by which a look tells it once


JANUARY, FEBRUARY = "day,n\n2025-01-01,1\n2025-01-02,2\n", "day,n\n2025-02-01,3\n"


def test_where_times_say_the_period_no_column_says_it_again(tmp_path: Path) -> None:
    source = folder_of(tmp_path, {"s_2025_01.csv": JANUARY, "s_2025_02.csv": FEBRUARY})
    (table,) = source.tables
    assert [column.name for column in table.columns] == ["day", "n", "source_file"]
    assert (table.name, table.rows) == ("s", 3)


@pytest.mark.parametrize(
    "options", [{"raw": True}, {"repairs": (Repair(kind="one-table", value="no"),)}]
)
def test_they_stay_apart_where_that_is_wanted(tmp_path: Path, options: dict[str, Any]) -> None:
    files = {"s_2025_01.csv": JANUARY, "s_2025_02.csv": FEBRUARY}
    assert len(folder_of(tmp_path, files, **options).tables) == 2


@pytest.mark.parametrize(
    "files",
    [
        {"actual.csv": "m,n\n1,10\n2,20\n", "budget.csv": "m,n\n1,11\n2,19\n"},
        {"c_2024.csv": "id,n\n1,a\n2,b\n3,c\n", "c_2025.csv": "id,n\n1,a\n2,b\n3,c\n4,d\n"},
        {"a_2024.csv": "id,n\n1,5\n", "a_2025.csv": "id,n\n1,five\n"},
    ],
)
def test_what_may_be_something_else_waits_for_a_decision(
    tmp_path: Path, files: dict[str, str]
) -> None:
    source = folder_of(tmp_path, files)
    assert len(source.tables) == 2
    (doubt,) = [one for one in source.doubts if one.code == "one-form"]
    assert not doubt.repaired and doubt.repairs[0].option == "one-table=yes"
    united = folder_of(tmp_path, files, repairs=doubt.repairs)
    assert [table.rows for table in united.tables] == [source.rows]


def test_a_sheet_a_month_with_totals_is_one_table(tmp_path: Path) -> None:
    sheets = {
        "Jan": rows_xml([["store", "n"], ["A", 10], ["B", 20], ["Total", 30]]),
        "Feb": rows_xml([["store", "n"], ["A", 11], ["B", 21], ["Total", 32]]),
    }
    source = open_text(tmp_path, "shops_2024.xlsx", workbook(sheets))
    (table,) = source.tables
    found = ask(source, f"SELECT month, sum(n) AS n FROM {table.name} GROUP BY 1 ORDER BY 1")
    assert [(str(row["month"]), row["n"]) for row in found.to_pylist()] == [
        ("2024-01-01", 30),
        ("2024-02-01", 32),
    ]
    totals = [doubt for doubt in source.doubts if doubt.code == "total-rows"]
    assert [(doubt.table, doubt.rows) for doubt in totals] == [(table.name, 2)]


def test_folders_of_a_folder_are_read_and_name_what_is_called_alike(tmp_path: Path) -> None:
    for month in ("2025-01", "2025-02"):
        (tmp_path / "sales" / month).mkdir(parents=True)
        (tmp_path / "sales" / month / "s.tsv").write_text(f"store\tn\nA\t{month[-1]}\n")
    source = open_file(tmp_path / "home", tmp_path / "sales")
    (table,) = source.tables
    assert table.rows == 2 and [c.name for c in table.columns][-1] == "month"


def test_tables_of_sources_read_apart_that_may_be_one_are_told() -> None:
    column = SeenColumn("n", DataType.INTEGER)
    alike = [SeenTable(name, 5, (column,)) for name in ("jan", "feb")]
    other = SeenTable("shops", 5, (SeenColumn("shop", DataType.STRING),))
    found = list(of_one_form([*alike, other]))
    assert [doubt.table for doubt in found] == ["jan", "feb"]
    assert [repair.option for repair in found[0].repairs] == ["one-table=yes"]


def test_columns_of_one_form_may_stand_in_another_order(tmp_path: Path) -> None:
    source = folder_of(
        tmp_path,
        {"2023.csv": "kind,n,price\na,1,20\nb,2,30\n", "2024.csv": "price,kind,n\n40,a,3\n"},
    )
    (table,) = source.tables
    rows = ask(source, f'SELECT kind, n, price FROM "{table.name}" ORDER BY price').to_pylist()
    assert [tuple(row.values()) for row in rows] == [("a", 1, 20), ("b", 2, 30), ("a", 3, 40)]
