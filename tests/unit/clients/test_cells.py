"""Cells, times and tables read well whatever is in them."""

from __future__ import annotations

import io
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from rich.console import Console

from clients.python.cli.as_json import plain, table_object
from clients.python.cli.cells import columns_of, formatted
from clients.python.cli.table import FittedTable
from clients.python.cli.words import count, duration, listed, ordinal


@pytest.mark.parametrize(
    ("name", "values", "shown"),
    [
        ("orders", [1, 12_345, None], ["1", "12,345", "–"]),
        ("revenue", [21_688.345, 5.0], ["21,688.35", "5.00"]),
        ("revenue", [12.5, 3.0], ["12.5", "3.0"]),
        ("revenue", [1_200.0, 3.0], ["1,200", "3"]),
        ("share", [0.12345, 0.5], ["0.1235", "0.5000"]),
        ("tiny", [0.0000123], ["0.0000123"]),
        ("value", [3.684e-08, 342.5, 0.0], ["3.68e-08", "342.50", "0.00"]),
        ("total", [Decimal("10.10"), Decimal("2")], ["10.1", "2.0"]),
        ("odd", [float("nan"), float("inf"), 1.0], ["–", "∞", "1"]),
        ("year", [1997, 2024], ["1997", "2024"]),
        ("customer_id", [10_248], ["10248"]),
        ("CustomerId", [10_248], ["10248"]),
        ("paid", [10_248], ["10,248"]),
        ("ok", [True, None], ["yes", "–"]),
        ("month", [date(1997, 1, 1), None], ["1997-01", "–"]),
        ("order month", [datetime(1997, 1, 1)], ["1997-01"]),
        ("month", [date(1997, 1, 2)], ["1997-01-02"]),
        ("day", [date(1997, 1, 2)], ["1997-01-02"]),
        ("at", [datetime(1997, 1, 2), None], ["1997-01-02", "–"]),
        (
            "at",
            [datetime(1997, 1, 2, 3, 4), datetime(1997, 1, 2)],
            ["1997-01-02 03:04", "1997-01-02 00:00"],
        ),
        ("text", ["two\nlines", ""], ["two lines", ""]),
        ("blob", [b"abc"], ["3 bytes"]),
        ("nothing", [None, None], ["–", "–"]),
        ("empty", [], []),
    ],
)
def test_a_column_has_one_format(name: str, values: list[Any], shown: list[str]) -> None:
    assert formatted(name, values) == shown


def test_spans_of_time_have_units() -> None:
    spans = [0.0004, 0.038, 0.412, 1.44, 30.4, 59.9, 125.2]
    shown = [duration(seconds) for seconds in spans]
    assert shown == ["0 ms", "38 ms", "412 ms", "1.4 s", "30 s", "1 min 0 s", "2 min 5 s"]


def test_words_for_numbers() -> None:
    assert count(1, "entry", "entries") == "1 entry"
    assert count(1_204, "row") == "1,204 rows"
    assert listed("123", "or") == "1, 2 or 3"
    assert [ordinal(number) for number in (2, 3, 11, 21)] == ["2nd", "3rd", "11th", "21st"]


def drawn(table: pa.Table, width: int, total: int | None = None) -> list[str]:
    console = Console(file=io.StringIO(), width=width, color_system=None)
    with console.capture() as captured:
        fitted = FittedTable(table, total or table.num_rows, "result.csv")
        console.print(fitted)
    return [line.rstrip() for line in captured.get().splitlines()]


def test_a_long_table_shows_its_beginning_and_where_the_rest_is() -> None:
    lines = drawn(pa.table({"n": range(50)}), 80, total=1_050)
    assert len(lines) == 22
    assert lines[-1] == "… 1,030 more rows, all in result.csv"


def test_columns_without_room_are_named() -> None:
    table = pa.table({f"column {n}": [n] for n in range(2_000)})
    lines = drawn(table, 60)
    assert lines[0].split("  ")[0] == "column 0"
    assert all(len(line) <= 60 for line in lines)
    assert "1,994 more columns" in " ".join(lines) or "more columns: column" in " ".join(lines)


def test_long_text_is_cut_and_the_figures_beside_it_stay_whole() -> None:
    table = pa.table({"name": ["x" * 200], "revenue": [1234567.25]})
    lines = drawn(table, 60)
    assert "…" in lines[1] and lines[1].endswith("1,234,567.25")
    assert all(len(line) <= 60 for line in lines)


def test_columns_of_one_name_all_reach_a_machine() -> None:
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    assert table_object(table)["records"] == [{"a": 1, "a_2": 2}]


def test_cells_for_machines_are_plain_json() -> None:
    assert plain(float("nan")) is None
    assert plain(Decimal("2.0")) == 2
    assert plain(Decimal("2.5")) == 2.5
    assert plain(Decimal("0.12345678901234567890123")) == "0.12345678901234567890123"
    assert plain(datetime(2024, 1, 2, tzinfo=UTC)) == "2024-01-02T00:00:00+00:00"
    assert plain({"a": [b"x", date(2024, 1, 2)]}) == {"a": ["eA==", "2024-01-02"]}


def test_first_days_of_quarters_are_shown_as_quarters() -> None:
    days = [date(1996, 7, 1), None, date(1997, 1, 1)]
    assert formatted("quarter", days) == ["1996 Q3", "–", "1997 Q1"]
    assert formatted("quarter", [date(1996, 8, 1)]) == ["1996-08-01"]


def test_shares_and_grains_that_the_answer_names_are_shown_as_such() -> None:
    assert formatted("active", [0.3051, None, 1], "percent") == ["30.5 %", "–", "100.0 %"]
    assert formatted("cohort", [date(1996, 7, 1), date(1996, 8, 1)], "month") == [
        "1996-07",
        "1996-08",
    ]


def test_a_few_rows_more_are_shown_rather_than_counted() -> None:
    table = pa.table({"month": list(range(30))})
    assert len(drawn(table.slice(0, 24), 80)) == 25
    assert drawn(table, 80)[-1] == "… 10 more rows, all in result.csv"


def test_numbers_beside_names_of_statistics_are_each_shown_as_what_they_are() -> None:
    tidy = pa.table(
        {"statistic": ["degrees of freedom", "correlation"], "value": [330.0, -0.00126]}
    )
    assert [column.cells for column in columns_of(tidy, {})][1] == ("330", "-0.00126")


def test_months_that_are_numbers_are_called_by_name() -> None:
    (months, flights) = columns_of(
        pa.table({"month": [1, 12, None], "flights": [5, 6, 7]}), {"month": "month_of_year"}
    )
    assert months.cells == ("January", "December", "–") and not months.numeric
    assert flights.cells == ("5", "6", "7")
    assert formatted("month", [13, 1], "month_of_year") == ["13", "1"], "these are none"
