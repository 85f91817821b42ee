"""Dates as people write them: months by name, quarters, weeks, two digits for the year."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from assay.common.v1 import data_pb2
from services.executor.domain.source import DateOrder, ReaderOptions, Repair
from services.executor.reading_contract import reader_options_from
from services.executor.sources.delimited.centuries import century_of
from services.executor.sources.prepared import PreparedSource
from tests.unit.executor.source_help import ask, open_text, rows_of

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


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> PreparedSource:
    """A file with a column of each of these; each is judged by itself."""
    columns = {f"date_{at}": cells for at, (cells, _) in enumerate(WRITTEN)}
    columns |= {f"text_{at}": cells for at, cells in enumerate(TEXTS)}
    lines = [columns, *zip(*columns.values(), strict=True)]
    text = "".join(";".join(line) + "\n" for line in lines)
    return open_text(tmp_path_factory.mktemp("written"), "t.csv", text)


@pytest.mark.parametrize("at", range(len(WRITTEN)), ids=lambda at: WRITTEN[at][0][0])
def test_what_names_a_day_or_a_part_of_a_year_is_read_as_its_first_day(
    written: PreparedSource, at: int
) -> None:
    assert ask(written, f"SELECT date_{at} AS seen FROM t")["seen"][0].as_py() == WRITTEN[at][1]


@pytest.mark.parametrize("at", range(len(TEXTS)), ids=lambda at: TEXTS[at][0])
def test_what_only_looks_like_it_stays_text(written: PreparedSource, at: int) -> None:
    assert ask(written, f"SELECT text_{at} AS seen FROM t")["seen"][0].as_py() == TEXTS[at][0]


def test_quarters_and_weeks_are_told(written: PreparedSource) -> None:
    told = [note for note in written.notes if "as its first day" in note]
    assert any("quarters" in note for note in told)
    assert any("weeks" in note for note in told)


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
