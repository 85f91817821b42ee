"""Rows that are none: blank lines, totals and headings again are left out, counted and told."""

from __future__ import annotations

from pathlib import Path

import pytest

from mesh.text.total_labels import is_called_total
from services.executor.domain.source import ReaderOptions, Repair
from services.executor.sources.delimited.dialect import Row
from services.executor.sources.delimited.totals import totals_among
from tests.unit.executor.source_help import aside_of, ask, open_text, rows_of, types_of

SALES = "region,city,n,m\nNorth,Oslo,1,2\nNorth,Bergen,5,6\n"


def among(text: str) -> list[str]:
    """The first cells of the rows that are told as totals."""
    lines = [line.split(",") for line in text.splitlines()]
    rows = [Row(number, tuple(cells)) for number, cells in enumerate(lines, 2)]
    return [next(filter(None, row.cells)) for row in totals_among(rows)]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("day;amount;note;;\n1;0,5;x;;\n;;;;\n2;1,5;y;;\n;;;;\n;;;;\n", 2),
        ('a,b,c\n1,2,3\n"","",""\n4,5,6\n , ,\n', 2),
        ("a\tb\r\n1\t2\r\n\t\r\n3\t4\r\n\t\r\n", 2),
        ("a|b\n1|2\n||\n|\n3|4\n", 2),
    ],
)
def test_lines_of_delimiters_alone_are_no_rows_wherever_they_are(
    tmp_path: Path, text: str, rows: int
) -> None:
    source = open_text(tmp_path, "t.csv", text)
    assert source.rows == rows
    (doubt,) = [one for one in source.doubts if one.code == "blank-rows"]
    assert doubt.repaired
    assert any("nothing but delimiters" in note for note in source.notes)
    raw = open_text(tmp_path, "t.csv", text, options=ReaderOptions(raw=True))
    assert raw.rows > rows


def test_blank_lines_inside_a_cell_stay(tmp_path: Path) -> None:
    source = open_text(tmp_path, "t.csv", 'a,b,c\n1,"x\n,,\ny",2\n,,\n3,z,4\n')
    assert [row["b"] for row in rows_of(source)] == ["x\n,,\ny", "z"]


def test_blank_lines_far_behind_the_sample_are_left_out_and_lines_keep_their_numbers(
    tmp_path: Path,
) -> None:
    text = "a;b;c\n" + "1;2;x\n" * 5_000 + ";;\n" + "1;2;x\n" * 5_000 + "1;2\n"
    source = open_text(tmp_path, "t.csv", text)
    assert source.rows == 10_000
    assert [row[0] for row in aside_of(source)] == [10_003]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "Oslo,1,2\nBergen,5,6\nSubtotal North,6,8\nRome,1,1\nTotal,7,9",
            ["Subtotal North", "Total"],
        ),
        ("A,1.5,2\nB,2.5,4\nSumme,4.0,6", ["Summe"]),
        ("Gesamt,10,\nA,4,\nB,6,", ["Gesamt"]),
        (
            "A,p,1.5\nA,q,2.5\nSous-total A,,4.0\nB,p,3\nSous-total B,,3.0\nTotal général,,7",
            ["Sous-total A", "Sous-total B", "Total général"],
        ),
        ("x,10.004,5\ny,10.004,7\nΣ,20.01,6", ["Σ"]),
        (",Oslo,1\n,Rome,2\n,Total:,3", ["Total:"]),
        (
            "North,Oslo,3\nNorth total,,3\nSouth,Rome,4\nSouth total,,4\nGrand Total,,7",
            ["North total", "South total", "Grand Total"],
        ),
    ],
)
def test_totals_are_told_by_name_and_by_being_sums(text: str, found: list[str]) -> None:
    assert among(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "Shell,10\nBP,20\nTotal,31",
        "Total,1\nTotal,2\nTotal,3",
        "Summer,1\nWinter,2\nTotally,3",
    ],
)
def test_a_name_alone_is_not_enough(text: str) -> None:
    assert among(text) == []


@pytest.mark.parametrize(
    "text", ["Sum", "GRAND TOTAL", "Zwischensumme Nord", "合计", "Total (all)"]
)
def test_what_totals_are_called(text: str) -> None:
    assert is_called_total(text)


def test_totals_inside_a_table_are_left_out_kept_aside_and_told(tmp_path: Path) -> None:
    text = SALES + "Subtotal North,,6,8\nSouth,Rome,1,1\nSubtotal South,,1,1\nTotal,,7,9\n"
    source = open_text(tmp_path, "t.csv", text)
    assert ask(source, "SELECT sum(n) AS n, count(*) AS c FROM t").to_pylist() == [{"n": 7, "c": 3}]
    assert [row[0] for row in aside_of(source)] == [4, 6, 7]
    (doubt,) = [one for one in source.doubts if one.code == "total-rows"]
    assert (doubt.rows, doubt.repaired, doubt.repairs[0].option) == (3, True, "leave-out=totals")
    raw = open_text(tmp_path, "t.csv", text, options=ReaderOptions(raw=True))
    assert raw.rows == 6 and not any(one.repaired for one in raw.doubts)
    asked = open_text(
        tmp_path,
        "t.csv",
        text,
        options=ReaderOptions(repairs=(Repair(kind="leave-out", value="totals"),)),
    )
    assert asked.rows == 3 and not asked.doubts


@pytest.mark.parametrize(
    ("rows", "repair"),
    [
        ("Oslo,5\nTotal,9\nRome,7\nBari,4\n", "leave-out.city=Total"),
        ("Oslo,5\nRome,7\nSubtotal Italy,8\nBari,4\n", "leave-out.city=Subtotal Italy"),
        ("Oslo,5\nRome,7\nBari,4\nNorth total,80\nWien,4\n", "leave-out.city=North total"),
        ("Oslo,5\nOslo,7\nBari,4\nTotal Oslo,80\nWien,4\n", "leave-out.city=Total Oslo"),
    ],
)
def test_rows_that_are_only_called_totals_are_doubted_and_can_be_left_out(
    tmp_path: Path, rows: str, repair: str
) -> None:
    text = "city,n\n" + rows
    source = open_text(tmp_path, "t.csv", text)
    (doubt,) = [one for one in source.doubts if one.code == "totals"]
    assert not doubt.repaired and doubt.repairs[0].option == repair
    left = open_text(tmp_path, "t.csv", text, options=ReaderOptions(repairs=doubt.repairs))
    assert left.rows == source.rows - 1 and not left.doubts


@pytest.mark.parametrize("title", ["Total Recall", "Sum of Us", "Totally Spies"])
def test_a_title_is_no_total(tmp_path: Path, title: str) -> None:
    source = open_text(tmp_path, "t.csv", f"title,n\nAlien,5\n{title},9\nHeat,7\nJaws,4\n")
    assert not source.doubts


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n1,2\na,b\n3,4\n",
        "Report,,\na,b,c\nx,1,2\nReport,,\na,b,c\ny,3,4\n",
        "a;b\n1,5;x\nA ;B\n2,5;y\n",
        ",2024,,2025,\nk,Q1,Q2,Q1,Q2\nx,1,2,3,4\n,2024,,2025,\nk,Q1,Q2,Q1,Q2\ny,1,2,3,5\n",
    ],
)
def test_headings_that_come_again_are_no_rows(tmp_path: Path, text: str) -> None:
    source = open_text(tmp_path, "t.csv", text)
    assert source.rows == 2, rows_of(source)
    assert set(types_of(source).values()) & {"BIGINT", "DOUBLE"}
    assert any("the headings" in note for note in source.notes)
    assert open_text(tmp_path, "t.csv", text, options=ReaderOptions(raw=True)).rows > 2


def test_a_repair_with_nothing_to_do_says_so(tmp_path: Path) -> None:
    options = ReaderOptions(repairs=(Repair(kind="leave-out", value="totals"),))
    source = open_text(tmp_path, "t.csv", "a,b\n1,2\n", options=options)
    assert source.notes == ("the repair leave-out=totals found nothing to do",)


@pytest.mark.parametrize(
    ("rows", "grave"),
    [
        ("1,2\n" * 999 + "1\n", False),
        ("1,2\n" * 199 + "1\n", True),
        ("1,2\n" * 9 + "1,2,3\n", True),
    ],
)
def test_rows_aside_weigh_as_much_as_they_are_many(tmp_path: Path, rows: str, grave: bool) -> None:
    (doubt,) = open_text(tmp_path, "t.csv", "a,b\n" + rows).doubts
    assert (doubt.code, doubt.rows) == ("rows-aside", 1)
    assert (doubt.weight >= 0.25) is grave


@pytest.mark.parametrize(
    ("header", "width"), [("day;amount;;", 2), ("day;;amount;;", 3), ("day;amount" + ";" * 23, 2)]
)
def test_columns_without_name_and_value_are_left_out_in_one_note(
    tmp_path: Path, header: str, width: int
) -> None:
    cells = header.count(";")
    row = "2024-01-0{};" + ("x;7" if width == 3 else "7")
    rows = "\n".join((row + ";" * cells).format(n).rsplit(";", row.count(";"))[0] for n in (1, 2))
    source = open_text(tmp_path, "t.csv", f"{header}\n{rows}\n")
    assert len(source.tables[0].columns) == width
    assert len(source.notes) <= 2
    raw = open_text(tmp_path, "t.csv", f"{header}\n{rows}\n", options=ReaderOptions(raw=True))
    assert len(raw.tables[0].columns) == cells + 1
    assert sum("no name" in note for note in raw.notes) == 1


def test_totals_far_behind_the_sample_of_a_small_file_are_left_out(tmp_path: Path) -> None:
    text = "k,n\n" + "".join("a,1\n" * 1_500 + f"Subtotal {part},1500\n" for part in "xyz")
    source = open_text(tmp_path, "t.csv", text + "Total,4500\n")
    assert ask(source, "SELECT sum(n) AS n FROM t").to_pylist() == [{"n": 4_500}]


def test_a_last_row_that_says_total_and_nothing_else_is_none(tmp_path: Path) -> None:
    source = open_text(tmp_path, "t.csv", "no;ward;fee\n1;Eye;3,5\n2;Skin;4,5\nTotal;;\n")
    assert source.rows == 2


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a,1.25\nb,2.5\nc,3.25\nMean,2.333\nStdDev,1.010\nMax,3.25", ["Mean", "StdDev", "Max"]),
        ("a,1,10\nb,3,20\nc,5,60\nDurchschnitt:,3,30", ["Durchschnitt:"]),
        ("a,1\nb,2\nc,6\nTotal,9\nAverage,3", ["Total", "Average"]),
        ("a,1\nb,2\nc,6\nMax,7", []),  # somebody's name
        ("Max,1\nMin,2\nN,3", []),
        ("a,x\nb,y\nc,z\nMean,", []),
    ],
)
def test_measures_below_are_told_by_name_and_by_being_right(text: str, found: list[str]) -> None:
    assert among(text) == found
