"""Delimited text as programs and people write it: what it means is found, told, and overruled."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest

from mesh.errors import INVALID_ARGUMENT, AssayError
from services.executor.domain.source import ColumnKind, DateOrder, ReaderOptions
from services.executor.sources.library import PreparedSource
from tests.unit.executor.source_help import ask, open_text, types_of


def rows_of(source: PreparedSource) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = ask(source, f'SELECT * FROM "{source.tables[0].name}"').to_pylist()
    return rows


def aside_of(source: PreparedSource) -> list[tuple[Any, ...]]:
    with duckdb.connect(str(source.database), read_only=True) as connection:
        return connection.execute(
            "SELECT line, column_name, content FROM _assay_rejected ORDER BY line"
        ).fetchall()


def decided(source: PreparedSource, subject: str, column: str = "") -> str:
    return next(
        d.value for d in source.decisions if d.subject == subject and d.column in ("", column)
    )


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["1,234", "5,678,901"], [1_234, 5_678_901]),
        (["1,234.50", "7.25"], [1_234.5, 7.25]),
        (["1.234,50", "7,25"], [1_234.5, 7.25]),
        (["1 234,5", "12 345 678,25"], [1_234.5, 12_345_678.25]),
        (["1\u00a0234", "5\u202f678"], [1_234, 5_678]),
        (["1'234.5", "2'000"], [1_234.5, 2_000.0]),
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
    ],
)
def test_numbers_are_read_as_people_write_them(
    tmp_path: Path, cells: list[str], values: list[float]
) -> None:
    text = "amount;name\n" + "".join(f"{cell};x\n" for cell in cells)
    source = open_text(tmp_path, "t.csv", text)
    assert [row["amount"] for row in rows_of(source)] == values


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


def test_amounts_in_two_currencies_are_not_added_up(tmp_path: Path) -> None:
    source = open_text(tmp_path, "t.csv", "price,n\n$5.00,1\n€6.50,2\n")
    assert types_of(source)["price"] == "VARCHAR"
    assert "price mixes units" in " ".join(source.notes)


def test_thousands_points_follow_the_decimal_commas_of_another_column(tmp_path: Path) -> None:
    source = open_text(tmp_path, "t.csv", "a;b\n1.234;5,5\n2.345;6,25\n")
    assert rows_of(source) == [{"a": 1_234, "b": 5.5}, {"a": 2_345, "b": 6.25}]


def test_a_group_of_three_that_could_be_either_is_said_to_be(tmp_path: Path) -> None:
    source = open_text(tmp_path, "t.tsv", "a\tb\n1,234\tx\n5,678\ty\n")
    assert [row["a"] for row in rows_of(source)] == [1_234, 5_678]
    assert "could have either" in " ".join(source.notes)
    other = open_text(
        tmp_path, "t.tsv", "a\tb\n1,234\tx\n5,678\ty\n", options=ReaderOptions(decimal=",")
    )
    assert [row["a"] for row in rows_of(other)] == [1.234, 5.678]


@pytest.mark.parametrize(
    ("cells", "first"),
    [
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
        (["2024-01-31 13:45:10.250", "2024-02-01 00:00:00"],
         datetime(2024, 1, 31, 13, 45, 10, 250_000)),
    ],
)  # fmt: skip
def test_dates_are_read_as_people_write_them(tmp_path: Path, cells: list[str], first: date) -> None:
    text = "seen|n\n" + "".join(f"{cell}|1\n" for cell in cells)
    source = open_text(tmp_path, "t.csv", text)
    assert rows_of(source)[0]["seen"] == first


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
        date(2024, 1, 31), date(2024, 1, 31), date(2024, 2, 1),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "before",
    [
        "Sales report\nGenerated 2024-01-01\n\n",
        "Sales report,,\n,,\n",
        "# made by a program\n# version 2\n",
        '"Sales, all regions"\n',
    ],
)
def test_lines_before_the_table_are_passed_over_and_told(tmp_path: Path, before: str) -> None:
    source = open_text(tmp_path, "t.csv", before + "region,n,m\nnorth,1,2\nsouth,3,4\n")
    assert list(types_of(source)) == ["region", "n", "m"]
    assert source.rows == 2
    assert "before the table" in " ".join(source.notes)


@pytest.mark.parametrize(
    ("after", "content"),
    [
        ("Total,4,6\n", "Total 4 6"),
        ("\nSource: the ministry\n", "Source: the ministry"),
        ("Grand total,4,6\nSource: the ministry\n", "Grand total 4 6"),
    ],
)
def test_lines_after_the_table_are_kept_aside(tmp_path: Path, after: str, content: str) -> None:
    source = open_text(tmp_path, "t.csv", "region,n,m\nnorth,1,2\nsouth,3,4\n" + after)
    assert source.rows == 2
    assert types_of(source)["n"] == "BIGINT"
    assert content in [row[2] for row in aside_of(source)]
    assert "after the table" in " ".join(source.notes)


def test_a_region_called_total_stays_inside_the_table(tmp_path: Path) -> None:
    source = open_text(tmp_path, "t.csv", "kind,n\nTotal,4\nLocal,1\nTotal,6\n")
    assert source.rows == 3


def test_remarks_inside_the_table_are_left_out(tmp_path: Path) -> None:
    text = "# header remark\na,b\n1,2\n# between\n3,4\n5,6\n"
    source = open_text(tmp_path, "t.csv", text)
    assert rows_of(source) == [{"a": 1, "b": 2}, {"a": 3, "b": 4}, {"a": 5, "b": 6}]


def test_a_sign_of_remarks_inside_cells_is_text(tmp_path: Path) -> None:
    source = open_text(tmp_path, "t.csv", "tag,n\n#one,1\n#two,2\nitem #5,3\n")
    assert [row["tag"] for row in rows_of(source)] == ["#one", "#two", "item #5"]


def test_names_behind_a_sign_of_remarks_are_the_header(tmp_path: Path) -> None:
    source = open_text(
        tmp_path, "t.tsv", "##version 1\n#chrom\tstart\tend\nchr1\t1\t5\nchr2\t2\t6\n"
    )
    assert list(types_of(source)) == ["chrom", "start", "end"]
    assert source.rows == 2


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('a,b\n"x, y",1\n"say ""hi""",2\n', 'say "hi"'),
        ('a,b\n"x, y",1\n"say \\"hi\\"",2\n', 'say "hi"'),
        ("a,b\n'x, y',1\n'say \"hi\"',2\n", 'say "hi"'),
    ],
)
def test_quotes_and_escapes_are_found(tmp_path: Path, text: str, value: str) -> None:
    source = open_text(tmp_path, "t.csv", text)
    assert [row["a"] for row in rows_of(source)] == ["x, y", value]


def test_a_cell_may_hold_lines(tmp_path: Path) -> None:
    source = open_text(tmp_path, "t.csv", 'a,b\n"one\ntwo",1\nx,2\n')
    assert [row["a"] for row in rows_of(source)] == ["one\ntwo", "x"]


def test_a_delimiter_at_the_end_of_every_row_makes_no_column(tmp_path: Path) -> None:
    source = open_text(tmp_path, "t.csv", "a,b\n1,2,\n3,4,\n5,6,\n")
    assert list(types_of(source)) == ["a", "b"]
    assert source.rows == 3


def test_text_without_numbers_and_without_header_is_seen(tmp_path: Path) -> None:
    source = open_text(tmp_path, "t.csv", "red,north\nblue,south\nred,north\nblue,north\n")
    assert list(types_of(source)) == ["column_1", "column_2"]
    assert source.rows == 4


def test_weak_marks_are_missing_among_numbers_only(tmp_path: Path) -> None:
    source = open_text(tmp_path, "t.csv", "grade,n\n-,1\nA,-\nB,3\n?,n.a.\n")
    assert [row["grade"] for row in rows_of(source)] == ["-", "A", "B", "?"]
    assert [row["n"] for row in rows_of(source)] == [1, None, 3, None]


def test_options_overrule_what_was_found(tmp_path: Path) -> None:
    options = ReaderOptions(
        delimiter=";", header=False, skip_lines=1, skip_footer=1, missing=("none",),
        types={"column_1": ColumnKind.TEXT, "column_2": ColumnKind.NUMBER},
    )  # fmt: skip
    text = "anything\n1;2\n3;none\n5;odd\n7;8\n"
    source = open_text(tmp_path, "t.csv", text, options=options)
    assert rows_of(source) == [
        {"column_1": "1", "column_2": 2},
        {"column_1": "3", "column_2": None},
        {"column_1": "5", "column_2": None},
    ]
    assert (4, "column_2", "odd") in aside_of(source)


def test_short_rows_can_be_filled(tmp_path: Path) -> None:
    options = ReaderOptions(pad_short_rows=True)
    source = open_text(tmp_path, "t.csv", "a,b,c\n1,2,3\n4,5\n6,7,8\n", options=options)
    assert source.rows == 3


def test_an_option_for_a_column_that_is_not_there_is_refused(tmp_path: Path) -> None:
    options = ReaderOptions(types={"nope": ColumnKind.TEXT})
    with pytest.raises(AssayError, match="no column 'nope'") as caught:
        open_text(tmp_path, "t.csv", "a,b\n1,2\n", options=options)
    assert caught.value.reason is INVALID_ARGUMENT


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


def test_every_decision_is_told(tmp_path: Path) -> None:
    source = open_text(tmp_path, "t.csv", "a;b\n1,5;x\n2,5;y\n")
    subjects = {d.subject for d in source.decisions}
    assert {
        "encoding",
        "delimiter",
        "quote",
        "escape",
        "header",
        "skip_lines",
        "decimal",
    } <= subjects
    assert decided(source, "delimiter") == ";"
    assert decided(source, "decimal", "a") == ","


def test_seconds_and_milliseconds_since_1970_are_moments_where_the_name_says_so(
    tmp_path: Path,
) -> None:
    text = "id,created_at,ts,amount\n1,1700000000,1700000000000,1700000000\n2,1700086400,,3\n"
    source = open_text(tmp_path, "t.csv", text)
    kinds = {column.name: column.type for column in source.tables[0].columns}
    assert kinds == {"id": "BIGINT", "created_at": "TIMESTAMP", "ts": "TIMESTAMP",
                     "amount": "BIGINT"}  # fmt: skip
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


def test_few_lines_of_broken_text_are_kept_aside(tmp_path: Path) -> None:
    lines = b"".join("Köln,1\n".encode() for _ in range(300))
    source = open_text(tmp_path, "t.csv", b"city,n\n" + lines + b"B\xfcrn,2\nOslo,3\n")
    assert (source.rows, source.tables[0].rejected) == (301, 1)
    assert aside_of(source)[0][0] == 302
