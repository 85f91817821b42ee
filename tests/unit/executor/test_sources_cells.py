"""Cells of delimited text as people write them: numbers, dates, moments, truth values."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path

import pytest

from services.executor.domain.source import ColumnKind, DateOrder, ReaderOptions
from services.executor.sources.prepared import PreparedSource
from tests.unit.executor.source_help import ask, decided, open_file, open_text, rows_of, types_of

NUMBERS: list[tuple[list[str], list[float]]] = [
    (["1,234", "5,678,901"], [1_234, 5_678_901]),
    (["1,234.50", "7.25"], [1_234.5, 7.25]),
    (["1.234,50", "7,25"], [1_234.5, 7.25]),
    (["1 234,5", "12 345 678,25"], [1_234.5, 12_345_678.25]),
    (["1\u00a0234", "5\u202f678"], [1_234, 5_678]),
    (["1'234.5", "2'000"], [1_234.5, 2_000.0]),
    (["12,34,567", "1,00,000.50"], [1_234_567, 100_000.5]),
    (["$1,234.50", "-$7.25"], [1_234.5, -7.25]),
    (["€ 12,50", "€ 7,25"], [12.5, 7.25]),
    (["12,50 €", "1.000,00 €"], [12.5, 1_000.0]),
    (["USD 12", "USD 1,000"], [12, 1_000]),
    (["(1,234.50)", "10.00"], [-1_234.5, 10.0]),
    (["12.5-", "3.5"], [-12.5, 3.5]),
    (["\u221212.5", "3.5"], [-12.5, 3.5]),
    (["12.5%", "7%"], [12.5, 7.0]),
    (["+1.5e3", "2E-1"], [1_500.0, 0.2]),
    ([" 12", "7 "], [12, 7]),
    (["123456789012345678", "-5"], [123_456_789_012_345_678, -5]),
]
DATES: list[tuple[list[str], date]] = [
    (["2024-01-31", "2024-02-01"], date(2024, 1, 31)),
    (["31/01/2024", "01/02/2024"], date(2024, 1, 31)),
    (["01/31/2024", "02/01/2024"], date(2024, 1, 31)),
    (["31.01.2024", "1.2.2024"], date(2024, 1, 31)),
    (["31.1.24", "1.2.24"], date(2024, 1, 31)),
    (["2024/01/31", "2024/2/1"], date(2024, 1, 31)),
    (["31 Jan 2024", "1 Feb 2024"], date(2024, 1, 31)),
    (["31-Jan-24", "01-Feb-24"], date(2024, 1, 31)),
    (["January 31, 2024", "February 1, 2024"], date(2024, 1, 31)),
    (["Jan 31, 2024", "Feb 1, 2024"], date(2024, 1, 31)),
    (["Wed, 31 Jan 2024", "Thu, 1 Feb 2024"], date(2024, 1, 31)),
    (["31st January 2024", "1st February 2024"], date(2024, 1, 31)),
    (["2024-01", "2024-02"], date(2024, 1, 1)),
    (["Jan 2024", "Feb 2024"], date(2024, 1, 1)),
    (["31/01/2024 13:45", "01/02/2024 00:10"], datetime(2024, 1, 31, 13, 45)),
    (["1/31/2024 1:45 PM", "2/1/2024 12:10 AM"], datetime(2024, 1, 31, 13, 45)),
    (["2024-01-31T13:45:10", "2024-02-01T00:00:00"], datetime(2024, 1, 31, 13, 45, 10)),
    (["2024-01-31T13:45:10Z", "2024-02-01T00:00:00Z"], datetime(2024, 1, 31, 13, 45, 10)),
    (["2024-01-31T13:45+02:00", "2024-02-01T00:00Z"], datetime(2024, 1, 31, 11, 45)),
    (
        ["2024-01-31 13:45:10.250", "2024-02-01 00:00:00"],
        datetime(2024, 1, 31, 13, 45, 10, 250_000),
    ),
]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> PreparedSource:
    """A folder with a file, and so a table, of each of these; each is read by itself."""
    folder = tmp_path_factory.mktemp("written")
    for at, (cells, _) in enumerate(NUMBERS):
        text = "amount;name\n" + "".join(f"{cell};x\n" for cell in cells)
        (folder / f"number_{at}.csv").write_text(text)
    for at, (days, _) in enumerate(DATES):
        text = "seen|n\n" + "".join(f"{day}|1\n" for day in days)
        (folder / f"date_{at}.csv").write_text(text)
    return open_file(tmp_path_factory.mktemp("home"), folder)


@pytest.mark.parametrize("at", range(len(NUMBERS)), ids=lambda at: NUMBERS[at][0][0])
def test_numbers_are_read_as_people_write_them(written: PreparedSource, at: int) -> None:
    found = ask(written, f"SELECT amount FROM number_{at}")
    assert found["amount"].to_pylist() == NUMBERS[at][1]


def test_currency_percent_and_header_units_are_comments(tmp_path: Path) -> None:
    text = "price,share,weight (kg),length_in_cm\n$5.00,10%,2,3\n$6.50,20%,4,5\n"
    source = open_text(tmp_path, "t.csv", text)
    comments = {column.name: column.comment for column in source.tables[0].columns}
    assert comments == {
        "price": "unit: $",
        "share": "unit: %",
        "weight (kg)": "unit: kg",
        "length_in_cm": "unit: cm",
    }


@pytest.mark.parametrize("scale", ["1-5", "0 to 10", "1–7", "out of 5", "2024"])
def test_a_scale_in_a_header_is_no_unit(tmp_path: Path, scale: str) -> None:
    source = open_text(tmp_path, "t.csv", f"who,rating ({scale})\na,3\nb,4\n")
    assert [column.comment for column in source.tables[0].columns] == ["", ""]


def test_amounts_in_two_currencies_are_not_added_up(tmp_path: Path) -> None:
    source = open_text(tmp_path, "t.csv", "price,n\n$5.00,1\n€6.50,2\n")
    assert types_of(source)["price"] == "VARCHAR"
    (doubt,) = [one for one in source.doubts if one.code == "units"]
    assert "$ (1), € (1)" in doubt.said and not doubt.repaired


def test_thousands_points_follow_the_decimal_commas_of_another_column(tmp_path: Path) -> None:
    source = open_text(tmp_path, "t.csv", "a;b\n1.234;5,5\n2.345;6,25\n")
    assert rows_of(source) == [{"a": 1_234, "b": 5.5}, {"a": 2_345, "b": 6.25}]


def test_a_group_of_three_that_could_be_either_is_said_to_be(tmp_path: Path) -> None:
    source = open_text(tmp_path, "t.tsv", "a\tb\n1,234\tx\n5,678\ty\n")
    assert [row["a"] for row in rows_of(source)] == [1_234, 5_678]
    assert "either thousands or decimals" in " ".join(source.notes)
    other = open_text(
        tmp_path, "t.tsv", "a\tb\n1,234\tx\n5,678\ty\n", options=ReaderOptions(decimal=",")
    )
    assert [row["a"] for row in rows_of(other)] == [1.234, 5.678]


@pytest.mark.parametrize("at", range(len(DATES)), ids=lambda at: DATES[at][0][0])
def test_dates_are_read_as_people_write_them(written: PreparedSource, at: int) -> None:
    found = ask(written, f"SELECT seen FROM date_{at}")
    assert found["seen"][0].as_py() == DATES[at][1]


def test_day_or_month_first_is_decided_by_the_whole_column(tmp_path: Path) -> None:
    early = "".join(f"0{1 + i % 9}/0{1 + i % 7}/2024,1\n" for i in range(40_000))
    source = open_text(tmp_path, "t.csv", f"seen,n\n{early}13/02/2024,1\n")
    assert types_of(source)["seen"] == "DATE"
    assert decided(source, "date_order", "seen") == "dmy"
    assert ask(source, "SELECT max(seen) AS last FROM t").to_pylist() == [
        {"last": date(2024, 7, 9)}
    ]


def test_a_column_that_leaves_the_order_open_says_so_and_can_be_told(tmp_path: Path) -> None:
    text = "seen,n\n01/02/2024,1\n03/04/2024,2\n"
    guessed = open_text(tmp_path, "t.csv", text)
    assert "day first or month first" in " ".join(guessed.notes)
    assert not next(d for d in guessed.decisions if d.subject == "date_order").certain
    told = open_text(tmp_path, "t.csv", text, options=ReaderOptions(date_order=DateOrder.DAY_FIRST))
    assert rows_of(told)[0]["seen"] == date(2024, 2, 1)


def test_another_column_settles_the_order(tmp_path: Path) -> None:
    text = "seen,sold\n25/12/2024,01/02/2024\n03/04/2024,03/04/2024\n"
    assert rows_of(open_text(tmp_path, "t.csv", text))[0]["sold"] == date(2024, 2, 1)


def test_two_forms_of_dates_in_one_column(tmp_path: Path) -> None:
    source = open_text(tmp_path, "t.csv", "seen,n\n2024-01-31,1\n31/01/2024,2\n1 Feb 2024,3\n")
    assert [row["seen"] for row in rows_of(source)] == [
        date(2024, 1, 31),
        date(2024, 1, 31),
        date(2024, 2, 1),
    ]


def test_booleans_in_any_case_and_words_when_told(tmp_path: Path) -> None:
    text = "a,b\nTRUE,yes\nfalse,no\nTrue,yes\n"
    assert types_of(open_text(tmp_path, "t.csv", text)) == {"a": "BOOLEAN", "b": "VARCHAR"}
    told = open_text(
        tmp_path, "t.csv", text, options=ReaderOptions(types={"b": ColumnKind.BOOLEAN})
    )
    assert [row["b"] for row in rows_of(told)] == [True, False, True]


def test_compact_dates_are_dates_where_the_name_says_so(tmp_path: Path) -> None:
    source = open_text(tmp_path, "t.csv", "order_date,n\n20240131,20240131\n20240201,20240201\n")
    assert types_of(source) == {"order_date": "DATE", "n": "BIGINT"}


def test_seconds_and_milliseconds_since_1970_are_moments_where_the_name_says_so(
    tmp_path: Path,
) -> None:
    text = "id,created_at,ts,amount\n1,1700000000,1700000000000,1700000000\n2,1700086400,,3\n"
    source = open_text(tmp_path, "t.csv", text)
    kinds = {column.name: column.type for column in source.tables[0].columns}
    assert kinds == {
        "id": "BIGINT",
        "created_at": "TIMESTAMP",
        "ts": "TIMESTAMP",
        "amount": "BIGINT",
    }
    assert ask(source, "SELECT max(created_at) AS m FROM t").to_pylist()[0]["m"].isoformat() == (
        "2023-11-15T22:13:20"
    )
    assert decided(source, "types", "created_at") == "datetime"


def test_numbers_beyond_the_years_of_moments_stay_numbers(tmp_path: Path) -> None:
    rows = "".join(f"{1_700_000_000 + i}\n" for i in range(9_000))
    source = open_text(tmp_path, "t.csv", f"seen_at\n{rows}7\n{rows}")
    assert source.tables[0].columns[0].type == "BIGINT"


def test_moments_can_be_told_to_be_numbers(tmp_path: Path) -> None:
    options = ReaderOptions(types={"ts": ColumnKind.INTEGER})
    source = open_text(tmp_path, "t.csv", "ts\n1700000000\n", options=options)
    assert source.tables[0].columns[0].type == "BIGINT"


def test_signs_of_whole_numbers_are_read(tmp_path: Path) -> None:
    source = open_text(tmp_path, "t.csv", "change\n+5\n-0\n-3\n")
    assert [row["change"] for row in rows_of(source)] == [5, 0, -3]


def test_zones_are_taken_into_account_among_moments_without(tmp_path: Path) -> None:
    text = "t\n2024-05-01 10:00:00\n2024-05-01 10:00+02\n2024-05-01T10:00:00Z\n"
    source = open_text(tmp_path, "m.csv", text)
    found = ask(source, "SELECT t FROM m").to_pylist()
    assert [row["t"].hour for row in found] == [10, 8, 10]


def test_codes_beside_a_word_stay_codes(tmp_path: Path) -> None:
    rows = "".join(f"{n:05},{n % 7}\n" for n in range(1, 101))
    source = open_text(tmp_path, "t.csv", f"code,n\n{rows}spare,99\n")
    assert types_of(source)["code"] == "VARCHAR"
    assert {row["code"] for row in rows_of(source)} >= {"00001", "00100", "spare"}
    mixed = open_text(tmp_path, "m.csv", "size,n\n1,1\n2,2\n30,3\n40,4\nxl,5\n")
    assert types_of(mixed)["size"] == "VARCHAR"
