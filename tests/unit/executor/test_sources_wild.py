"""Delimited text as programs and people write it: its layout is found, told, and overruled."""

from __future__ import annotations

from pathlib import Path

import pytest

from mesh.errors import INVALID_ARGUMENT, AssayError
from services.executor.domain.source import ColumnKind, ReaderOptions
from tests.unit.executor.source_help import (
    aside_of,
    decided,
    open_file,
    open_text,
    rows_of,
    types_of,
)


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
        (",,\nQuelle: Amt,,\n", "Quelle: Amt"),
        ("* estimated,,\n", "* estimated"),
    ],
)
def test_lines_after_the_table_are_kept_aside(tmp_path: Path, after: str, content: str) -> None:
    source = open_text(tmp_path, "t.csv", "region,n,m\nnorth,1,2\nsouth,3,4\n" + after)
    assert source.rows == 2
    assert types_of(source)["n"] == "BIGINT"
    assert content in [row[2] for row in aside_of(source)]
    (told,) = [note for note in source.notes if content[:5] in note]
    if "otal" in content:
        assert "adds up others" in told
    else:
        assert "after the table" in told
        assert decided(source, "skip_footer") == "1"


def test_a_line_after_a_long_table_is_told_by_its_place_in_the_file(tmp_path: Path) -> None:
    rows = "north,1,2\n" * 30_000
    source = open_text(tmp_path, "t.csv", f"region,n,m\n{rows}Total,30000,60000\nsee note\n")
    assert [row[0] for row in aside_of(source)] == [30_002, 30_003]
    assert source.notes == (
        '1 row adds up others, line 30,002 ("Total 30000 60000"): left out',
        '1 line after the table is kept aside, line 30,003 (a remark after the table): "see note"',
    )


@pytest.mark.parametrize(
    ("units", "known"),
    [
        (",kg,EUR", {"w": "kg", "p": "EUR"}),
        ("YYYY-MM-DD,[kg],(€/t)", {"w": "kg", "p": "€/t"}),
        ("-,km/h,", {"w": "km/h"}),
    ],
)
def test_a_line_of_units_below_the_names_is_no_row(
    tmp_path: Path, units: str, known: dict[str, str]
) -> None:
    text = f"day,w,p\n{units}\n2024-01-31,5,1.5\n2024-02-01,7,2.5\n"
    source = open_text(tmp_path, "t.csv", text)
    assert types_of(source) == {"day": "DATE", "w": "BIGINT", "p": "DOUBLE"}
    assert source.rows == 2
    comments = {c.name: c.comment for c in source.tables[0].columns if c.comment}
    assert comments == {name: f"unit: {unit}" for name, unit in known.items()}
    assert "line 2, below the names, holds units" in source.notes[0]
    assert decided(source, "units_row") == "true"
    told = open_file(tmp_path, tmp_path / "t.csv", options=ReaderOptions(units_row=False))
    assert told.rows == 3


def test_a_line_of_units_can_be_told(tmp_path: Path) -> None:
    text = "w,p\nstones,shillings\n5,1.5\n"
    source = open_text(tmp_path, "t.csv", text, options=ReaderOptions(units_row=True))
    assert source.rows == 1
    assert [column.comment for column in source.tables[0].columns] == [
        "unit: stones",
        "unit: shillings",
    ]


@pytest.mark.parametrize("first", ["m,1", "kg,", "h,x"])
def test_a_row_that_only_looks_like_units_stays_one(tmp_path: Path, first: str) -> None:
    source = open_text(tmp_path, "t.csv", f"sex,n\n{first}\nf,2\nm,3\n")
    assert source.rows == 3


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
        delimiter=";",
        header=False,
        skip_lines=1,
        skip_footer=1,
        missing=("none",),
        types={"column_1": ColumnKind.TEXT, "column_2": ColumnKind.NUMBER},
    )
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
    assert decided(source, "types", "a") == "number"


def test_types_are_decisions_with_what_they_were_told_from(tmp_path: Path) -> None:
    text = "id,on,zip,odd,n\n1,31.12.2024,01234,x1,NA\n2,01.02.2024,99999,2,5\n3,1.2.24,1,3,6\n"
    source = open_text(
        tmp_path, "t.csv", text + "".join(f"{n},1.1.2024,2,{n},1\n" for n in "456789")
    )
    found = {d.column: d for d in source.decisions if d.subject == "types"}
    assert {name: d.value for name, d in found.items()} == {
        "id": "integer",
        "on": "date",
        "zip": "text",
        "odd": "text",
        "n": "integer",
    }
    assert found["on"].because == 'written like "31.12.2024"'
    assert (found["zip"].because, found["zip"].certain) == ("codes of digits", False)
    assert found["odd"].because == "1 of 9 cells are not like the rest"
    assert decided(source, "missing") == "NA"


def test_few_lines_of_broken_text_are_kept_aside(tmp_path: Path) -> None:
    lines = b"".join("Köln,1\n".encode() for _ in range(300))
    source = open_text(tmp_path, "t.csv", b"city,n\n" + lines + b"B\xfcrn,2\nOslo,3\n")
    assert (source.rows, source.tables[0].rejected) == (301, 1)
    assert aside_of(source)[0][0] == 302


@pytest.mark.parametrize("filler", [0, 30_000])
def test_lines_are_those_of_the_file_also_after_line_breaks_in_cells(
    tmp_path: Path, filler: int
) -> None:
    text = 'n,note\n1,"two\nlines"\n\n2,x\n' + "3,y\n" * filler + "4,a,b\n"
    text += '5,"three\r\n\r\nlines"\n6,\u2028\nn/a?,z\n7\n' + "8,w\n" * 30
    source = open_text(tmp_path, "t.csv", text)
    line = {cell: number for number, cell in enumerate(text.split("\n"), start=1)}
    kept = {content: number for number, _, content in aside_of(source)}
    assert kept == {c: line[w] for c, w in (("4,a,b", "4,a,b"), ("7", "7"), ("n/a?", "n/a?,z"))}


@pytest.mark.parametrize(
    ("text", "columns", "rows"),
    [
        ("note,score\n" + "fine,1\n" * 40 + "ok; late; x,2\n" * 60, ["note", "score"], 100),
        ("remark\nfirst visit\ncalm; then loud\n", ["remark"], 2),
        ("remark\nHello, there\nYes, no\nfine\nwell, well, well\n", ["remark"], 4),
        ("id|text\n1|a, b, c; d\n2|x; y, z\n3|plain\n4|a,b\n", ["id", "text"], 4),
        ("t\tn\n" + "a; b; c\t1\nd, e\t2\n" * 5, ["t", "n"], 10),
    ],
)
def test_free_text_with_other_delimiters_does_not_change_the_dialect(
    tmp_path: Path, text: str, columns: list[str], rows: int
) -> None:
    source = open_text(tmp_path, "t.csv", text)
    assert (list(types_of(source)), source.rows) == (columns, rows)
    assert not source.notes


@pytest.mark.parametrize(
    "text",
    [
        'id,said\n1,"a, b"\r\n2,plain\n3,"c"\r\n',
        'id,said\r\n1,"a, b"\r\n2,plain\n3,c\n',
        'id, said\n1, "a, b"\n2, plain\n3, "c"\n',
        'id; said\r\n1; "a, b"\r\n2; plain\r\n3; "c"\r\n',
        'id at amount said\n1 2024-01-02 5 "a, b"\n2 2024-01-03 6 plain\n3 2024-01-04 7 c\n'
        "4 2024-01-05 8 d\n5 2024-01-06 9 e\n",
    ],
)
def test_lines_of_two_ends_blanks_before_quotes_and_blanks_between_cells(
    tmp_path: Path, text: str
) -> None:
    rows = rows_of(open_text(tmp_path, "t.csv", text))
    assert [row["said"] for row in rows][:3] == ["a, b", "plain", "c"]


def test_words_with_blanks_between_them_are_one_column(tmp_path: Path) -> None:
    text = "full name\n" + "".join(f"Ann{n} Smith{n} Jones\n" for n in range(20))
    assert types_of(open_text(tmp_path, "t.csv", text)) == {"full name": "VARCHAR"}


@pytest.mark.parametrize(
    ("below", "rows"),
    [
        ("\nshop,seen,n\nN,x,y\nS,z,q\n", 9),
        (",,\nkind,of,rate\na,1,2\nb,3,4\n", 9),
        ("\n10,2024-01-09,8\n", 10),  # the same table goes on
        ("A note,,\n", 9),
        ("A note,,\nAnother,,\n", 9),
        ("10,,\n", 10),
    ],
)
def test_what_follows_a_table_is_kept_aside(tmp_path: Path, below: str, rows: int) -> None:
    above = "id,seen,n\n" + "".join(f"{n},2024-01-0{n},{n}\n" for n in range(1, 10))
    source = open_text(tmp_path, "t.csv", above + below)
    assert source.rows == rows
    assert types_of(source)["id"] == "BIGINT"
