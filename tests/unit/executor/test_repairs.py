"""Repairs of files: what is certain is made and told, what is asked for is made, raw makes none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mesh.errors import AssayError
from mesh.repairs import KINDS as NAMES
from mesh.repairs import option_of, repair_of
from services.executor.domain.doubt import Doubt
from services.executor.domain.source import ReaderOptions, Repair
from services.executor.repairs.kinds import KINDS
from services.executor.sources.prepared import PreparedSource
from tests.unit.executor.source_help import ask, open_text

READINGS = "at,co,seen\n" + "".join(
    f"{n},{-200 if n % 5 == 0 else n % 4 + 0.5},2024-01-{n % 28 + 1:02}\n" for n in range(1, 201)
)


def told(source: PreparedSource, sql: str) -> tuple[Any, ...]:
    """The one row that a statement gives."""
    (row,) = ask(source, sql).to_pylist()
    return tuple(row.values())


def only(source: PreparedSource, code: str) -> list[Doubt]:
    return [doubt for doubt in source.doubts if doubt.code == code]


def test_the_names_of_repairs_are_those_of_their_kinds() -> None:
    assert set(NAMES) == set(KINDS)
    for kind in KINDS.values():
        parts = repair_of(kind.example)
        assert parts is not None and option_of(*parts) == kind.example


def test_what_surely_stands_for_nothing_is_read_as_nothing_and_told(tmp_path: Path) -> None:
    source = open_text(tmp_path, "air.csv", READINGS)
    (doubt,) = only(source, "stand-in")
    assert (doubt.column, doubt.rows, doubt.repaired) == ("co", 40, True)
    assert doubt.repairs == (Repair(kind="nothing", column="co", value="-200"),)
    assert told(source, "SELECT count(co), min(co), count(*) FROM air") == (160, 0.5, 200)
    assert not source.notes, "the doubt tells it"


def test_raw_reads_what_stands_there(tmp_path: Path) -> None:
    source = open_text(tmp_path, "air.csv", READINGS, options=ReaderOptions(raw=True))
    (doubt,) = only(source, "stand-in")
    assert not doubt.repaired
    assert told(source, "SELECT count(co), min(co) FROM air") == (200, -200.0)


@pytest.mark.parametrize(
    ("rows", "value"),
    [
        ("1,9999\n2,5\n3,9999\n4,7\n5,6\n", "9999"),
        ("1,-999\n2,5.5\n3,4.5\n", "-999"),
        ("1,1900-01-01\n2,1984-05-06\n3,1900-01-01\n4,1990-01-01\n", "1900-01-01"),
        ("1,9999-12-31\n2,2024-05-06\n3,9999-12-31\n4,2024-01-01\n", "9999-12-31"),
    ],
)
def test_stand_ins_of_other_forms_are_doubted(tmp_path: Path, rows: str, value: str) -> None:
    (doubt,) = only(open_text(tmp_path, "t.csv", "n,v\n" + rows), "stand-in")
    assert (doubt.column, doubt.examples) == ("v", (value,))


@pytest.mark.parametrize(
    "rows",
    [
        "1,-10\n2,4\n3,-10\n4,12\n5,-3\n",
        "1,100\n2,200\n3,300\n4,100\n",
        "1,1970-01-01\n2,1971-03-04\n3,1969-05-05\n",
    ],
)
def test_values_among_their_like_are_not(tmp_path: Path, rows: str) -> None:
    assert not only(open_text(tmp_path, "t.csv", "n,v\n" + rows), "stand-in")


def test_a_repair_that_is_asked_for_is_made_in_every_kind_of_column(tmp_path: Path) -> None:
    text = "n,name,day\n1,unknown,2024-01-01\n2,Bo,1901-01-01\n3,unknown,2024-02-01\n"
    wanted = (
        Repair(kind="nothing", column="name", value="unknown"),
        Repair(kind="nothing", column="day", value="1901-01-01"),
        Repair(kind="nothing", column="n", value="3"),
    )
    source = open_text(tmp_path, "t.csv", text, options=ReaderOptions(repairs=wanted))
    assert told(source, "SELECT count(name), count(day), sum(n) FROM t") == (1, 2, 3)
    assert source.digest != open_text(tmp_path, "t.csv", text).digest


@pytest.mark.parametrize(
    ("repair", "said"),
    [
        (Repair(kind="frobnicate", column="n"), "there is no such kind"),
        (Repair(kind="nothing", column="m", value="1"), "has no column 'm'"),
        (Repair(kind="nothing", value="1"), "it names no column"),
        (Repair(kind="nothing", column="n", value="one"), "n holds numbers"),
        (Repair(kind="nothing", column="n"), "it names no value"),
    ],
)
def test_a_repair_that_cannot_be_made_is_refused_in_words(
    tmp_path: Path, repair: Repair, said: str
) -> None:
    with pytest.raises(AssayError, match=said):
        open_text(tmp_path, "t.csv", "n,v\n1,2\n2,3\n", options=ReaderOptions(repairs=(repair,)))


def test_codes_of_no_answer_are_told_each_and_left_to_people(tmp_path: Path) -> None:
    rows = "".join(f"{n},{-9 if n % 9 == 1 else -8 if n % 9 == 5 else n % 41}\n" for n in range(90))
    doubts = only(open_text(tmp_path, "panel.csv", "who,hours\n" + rows), "stand-in")
    assert {(d.repairs[0].value, d.rows, d.repaired) for d in doubts} == {
        ("-9", 10, False),
        ("-8", 10, False),
    }


def test_differences_below_nought_are_no_codes(tmp_path: Path) -> None:
    rows = "".join(f"{n},{n % 19 - 9}\n" for n in range(90))
    assert not only(open_text(tmp_path, "moves.csv", "day,change\n" + rows), "stand-in")


@pytest.mark.parametrize(
    ("name", "value", "year"),
    [
        ("started_at", 1_706_158_800_000, 2024),
        ("time", 1_406_158_800, 2014),
        ("parts", 1_706_158_800, 0),
    ],
)
def test_moments_since_1970_are_moments_in_json_too(
    tmp_path: Path, name: str, value: int, year: int
) -> None:
    text = "".join(f'{{"n": {n}, "{name}": {value + n}}}\n' for n in range(3))
    source = open_text(tmp_path, "log.jsonl", text)
    assert len(only(source, "since-1970")) == bool(year)
    if year:
        assert told(source, f"SELECT min(year({name})) FROM log") == (year,)


@pytest.mark.parametrize(
    ("rows", "titles"),
    [
        ("Region: N,\nA,1\nB,2\nRegion: S,\nC,4\nD,5\n", 2),
        ("A,1\nB,\nC,4\nD,\nE,2\n", 0),  # gaps
        ("A,1\nTitle,\nC,4\n", 0),
    ],
)
def test_titles_among_the_rows_are_told(tmp_path: Path, rows: str, titles: int) -> None:
    doubts = only(open_text(tmp_path, "farms.csv", "farm,sheep\n" + rows), "group-titles")
    assert [doubt.rows for doubt in doubts] == [titles] * bool(titles)


@pytest.mark.parametrize(
    ("texts", "repaired", "most"),
    [
        (["1.5M", "350K", "900"], True, 1_500_000),
        (["$2B", "$3.25M", "$7k"], True, 2_000_000_000),
        (["5m", "7m"], False, "7m"),  # metres, minutes or millions
        (["12B", "3K"], False, "3K"),  # doors
        (["5kg", "7K"], None, "7K"),
    ],
)
def test_letters_for_thousands_and_more(
    tmp_path: Path, texts: list[str], repaired: bool | None, most: object
) -> None:
    text = "n,fans\n" + "".join(f"{n},{cell}\n" for n, cell in enumerate(texts))
    source = open_text(tmp_path, "fans.csv", text)
    assert [d.repaired for d in only(source, "magnitudes")] == [repaired] * (repaired is not None)
    assert told(source, "SELECT max(fans) FROM fans") == (most,)


@pytest.mark.parametrize(
    ("text", "options", "doubts", "most"),
    [
        ("town;n\nA;1.234\nB;9.876\nC;5.100\n", {}, 1, 9.876),
        ("town;n\nA;1.234\nB;9.876\nC;5.100\n", {"decimal": ","}, 0, 9876),
        ("town;n;m\nA;1.234;0,5\nB;9.876;1,5\nC;5.100;2,5\n", {}, 0, 9876),
        ("town;n\nA;1.234\nB;9.87\nC;0.100\n", {}, 0, 9.87),
        ("town,n\nA,1.234\nB,9.876\nC,5.100\n", {}, 0, 9.876),
        ('town,n\nA,"1,234"\nB,"9,876"\nC,"5,100"\n', {}, 0, 9876),
        ("town;n\nA;1,234\nB;9,876\nC;5,100\n", {}, 1, 9876),
    ],
)
def test_thousands_or_decimals_are_told_apart_or_doubted(
    tmp_path: Path, text: str, options: dict[str, Any], doubts: int, most: float
) -> None:
    source = open_text(tmp_path, "towns.csv", text, options=ReaderOptions(**options))
    assert len(only(source, "decimal-mark")) == doubts
    assert told(source, "SELECT max(n) FROM towns") == (most,)
