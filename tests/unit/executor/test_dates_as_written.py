"""Dates as people write them: months by name, quarters, weeks, two digits for the year."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import duckdb
import pytest

from assay.common.v1 import data_pb2
from services.executor.domain.source import DateOrder, ReaderOptions, Repair
from services.executor.reading_contract import reader_options_from
from services.executor.sources.building import Building
from services.executor.sources.delimited.centuries import century_of
from services.executor.sources.delimited.dating import Dating
from services.executor.sources.delimited.judged import Judged
from services.executor.sources.sql import literal
from tests.unit.executor.source_help import open_text, rows_of

WRITTEN: list[tuple[list[str], date]] = [
    (["Jan-23", "Feb-23"], date(2023, 1, 1)),
    (["Jan '23", "Sept '23"], date(2023, 1, 1)),
    (["2023-Mar", "2023-Apr"], date(2023, 3, 1)),
    (["Mär 2024", "Dez 2024"], date(2024, 3, 1)),
    (["15. März 2024", "1. Mai 2024"], date(2024, 3, 15)),
    (["Montag, 3. Juni 2024", "Dienstag, 4. Juni 2024"], date(2024, 6, 3)),
    (["1er janvier 2024", "14 juillet 2024"], date(2024, 1, 1)),
    (["févr. 2024", "août 2024"], date(2024, 2, 1)),
    (["2024-W05", "2024-W06"], date(2024, 1, 29)),
    (["2020W53", "2021W01"], date(2020, 12, 28)),
    (["KW 5/2024", "KW 12/2024"], date(2024, 1, 29)),
    (["2024-W05-3", "2024-W06-1"], date(2024, 1, 31)),
    (["Q2 2024", "Q4 2024"], date(2024, 4, 1)),
    (["2024Q3", "2024Q4"], date(2024, 7, 1)),
    (["2024-Q1", "2024-Q2"], date(2024, 1, 1)),
    (["1Q24", "2Q24"], date(2024, 1, 1)),
]
TEXTS = [
    ["ABC-12", "MAR-13"],
    ["SKU-01", "SKU-02"],
    ["Maria 2024", "Jan 2024"],
    ["2024-W52", "2024-W53"],
    ["Q1", "Q2"],
    ["January", "February"],
]


def judged(cells: list[str]) -> tuple[Judged | None, bool, date | None]:
    """How a column of these cells is read: the judgement, whether all fit, and the first
    as a day; without a file, as what is tested is the judging alone."""
    connection = duckdb.connect()
    building = cast(Building, SimpleNamespace(connection=connection, doubts=[]))
    values = ", ".join(f"({literal(cell)}, {row})" for row, cell in enumerate(cells))
    rows = f"(SELECT * FROM (VALUES {values}) AS t(v, r))"
    found = Dating(building, "t", ReaderOptions(), False, frozenset()).judge("seen", rows)
    if found is None:
        return None, False, None
    told = connection.execute(
        f"SELECT bool_and({found.fits('v')}), min_by({found.value('v')}, r) FROM {rows}"
    ).fetchall()
    all_fit, first = told[0]
    return found, bool(all_fit), first


@pytest.mark.parametrize(("cells", "first"), WRITTEN, ids=[cells[0] for cells, _ in WRITTEN])
def test_what_names_a_day_or_a_part_of_a_year_is_read_as_its_first_day(
    cells: list[str], first: date
) -> None:
    _, fits, day = judged(cells)
    assert fits
    assert day == first


@pytest.mark.parametrize("cells", TEXTS, ids=lambda cells: cells[0])
def test_what_only_looks_like_it_stays_text(cells: list[str]) -> None:
    _, fits, _ = judged(cells)
    assert not fits


def test_quarters_and_weeks_are_told() -> None:
    for cells, named in ((["Q2 2024", "Q4 2024"], "quarters"), (["2024-W05"], "weeks")):
        found, _, _ = judged(cells)
        assert found is not None
        assert found.notes == (f"column seen holds {named}; each is read as its first day",)


def test_a_file_with_such_dates_is_read_so(tmp_path: Path) -> None:
    source = open_text(tmp_path, "t.csv", "n;seen\n1;15. März 2024\n2;1. Mai 2024\n")
    assert rows_of(source)[0]["seen"] == date(2024, 3, 15)


def test_an_order_that_no_cell_tells_is_doubted_with_both_on_offer(tmp_path: Path) -> None:
    text = "seen,n\n01/02/2024,1\n03/04/2024,2\n"
    (doubt,) = open_text(tmp_path, "t.csv", text).doubts
    assert (doubt.code, doubt.rows, doubt.examples[0]) == ("date-order", 2, "01/02/2024")
    assert [one.option for one in doubt.repairs] == ["date-order.seen=mdy", "date-order.seen=dmy"]


@pytest.mark.parametrize("column", ["seen", ""])
def test_a_repair_tells_the_order_of_one_column_or_of_all(tmp_path: Path, column: str) -> None:
    message = data_pb2.ReadOptions(
        repairs=[data_pb2.Repair(kind="date-order", column=column, value="dmy")]
    )
    options = reader_options_from(message)
    source = open_text(tmp_path, "t.csv", "seen,n\n01/02/2024,1\n03/04/2024,2\n", options=options)
    assert rows_of(source)[0]["seen"] == date(2024, 2, 1)
    assert not source.doubts


def test_a_repair_of_one_column_goes_before_the_order_of_all() -> None:
    repair = Repair(kind="date-order", column="seen", value="dmy")
    options = ReaderOptions(date_order=DateOrder.MONTH_FIRST, repairs=(repair,))
    assert options.date_order_of("seen") is DateOrder.DAY_FIRST
    assert options.date_order_of("sold") is DateOrder.MONTH_FIRST


@pytest.mark.parametrize(
    ("years", "name", "first", "doubted"),
    [
        ((52, 71), "born", 1952, False),
        ((99, 2), "sold", 1999, False),
        ((45, 1), "date_of_birth", 1945, False),
        ((25, 35, 41), "born", 1925, True),
        ((25, 35, 41), "sold", 2025, True),
        ((45, 66), "expires", 1945, True),
        ((24,), "seen", 2024, False),
    ],
)
def test_the_years_themselves_tell_their_century(
    years: tuple[int, ...], name: str, first: int, doubted: bool
) -> None:
    century = century_of(years, name)
    assert century.year(years[0]) == first
    assert bool(century.others) is doubted


def test_a_birth_is_not_ahead_of_us_and_the_other_century_can_be_had(tmp_path: Path) -> None:
    text = "born,n\n15/03/25,1\n01/04/35,2\n03/03/41,3\n"
    source = open_text(tmp_path, "t.csv", text)
    assert rows_of(source)[0]["born"] == date(1925, 3, 15)
    (doubt,) = source.doubts
    assert [one.option for one in doubt.repairs] == ["century.born=1920", "century.born=2020"]
    other = open_text(tmp_path, "t.csv", text, options=ReaderOptions(repairs=doubt.repairs[1:]))
    assert rows_of(other)[0]["born"] == date(2025, 3, 15)
    assert not other.doubts
