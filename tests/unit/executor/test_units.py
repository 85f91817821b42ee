"""Numbers that stand with their units in one text: read in one unit, told apart in several."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.executor.domain.doubt import Doubt
from services.executor.domain.source import ReaderOptions, Repair
from services.executor.sources.prepared import PreparedSource
from tests.unit.executor.source_help import ask, open_text

Cell = tuple[float | None, str | None]


def opened(
    folder: Path, cells: list[str], *repairs: Repair, column: str = "price", raw: bool = False
) -> PreparedSource:
    """A table of these cells beside their numbers."""
    text = f"no;{column}\n" + "".join(f"{n};{cell}\n" for n, cell in enumerate(cells, 1))
    return open_text(folder, "t.csv", text, options=ReaderOptions(repairs=repairs, raw=raw))


def doubts(source: PreparedSource) -> list[Doubt]:
    return [doubt for doubt in source.doubts if doubt.code == "units"]


def read(source: PreparedSource) -> list[object]:
    return [row["price"] for row in ask(source, "SELECT price FROM t ORDER BY no").to_pylist()]


@pytest.mark.parametrize(
    ("cells", "unit", "values"),
    [
        (["12.5 kg", "3 kg", "0.25 kg"], "point kg", [12.5, 3, 0.25]),
        (["12,5 km", "3 km", "1.250,75 km"], "comma km", [12.5, 3, 1250.75]),
        (["7 °C", "-3.5 °C", "n/a"], "point °C", [7, -3.5, None]),
        (["15 mg/dl", "7 mg/dl"], "point mg/dl", [15, 7]),
    ],
)
def test_numbers_of_one_unit_are_read_in_it_and_told(
    tmp_path: Path, cells: list[str], unit: str, values: list[float | None]
) -> None:
    source = opened(tmp_path, cells)
    (doubt,) = doubts(source)
    assert doubt.repaired and doubt.repairs == (Repair(kind="units", column="price", value=unit),)
    assert read(source) == values
    assert source.tables[0].columns[1].comment == f"unit: {unit.split()[-1]}"
    raw = opened(tmp_path, cells, raw=True)
    assert not doubts(raw)[0].repaired and isinstance(read(raw)[0], str)


@pytest.mark.parametrize(
    ("cells", "kind", "found"),
    [
        (
            ["$5", "€4.50", "£1,200.00", "-$3"],
            "point",
            [(5, "$"), (4.5, "€"), (1200, "£"), (-3, "$")],
        ),
        (["EUR 5", "4,50 USD", "1.200,00 EUR"], "comma", [(5, "EUR"), (4.5, "USD"), (1200, "EUR")]),
        (["2 kg", "9 lb", "n/a", "($3)"], "point", [(2, "kg"), (9, "lb"), (None, None), (-3, "$")]),
        (["5 kg", "7", "3.5 kg"], "point", [(5, "kg"), (7, "unstated"), (3.5, "kg")]),
    ],
)
def test_numbers_of_several_units_become_two_columns_when_somebody_says_so(
    tmp_path: Path, cells: list[str], kind: str, found: list[Cell]
) -> None:
    source = opened(tmp_path, cells)
    (doubt,) = doubts(source)
    assert not doubt.repaired
    assert doubt.repairs == (Repair(kind="units", column="price", value=kind),)
    mended = opened(tmp_path, cells, *doubt.repairs)
    rows = ask(mended, "SELECT price, price_unit FROM t ORDER BY no").to_pylist()
    assert [(row["price"], row["price_unit"]) for row in rows] == found
    assert not doubts(mended)


def test_signs_that_part_thousands_or_decimals_are_both_on_offer(tmp_path: Path) -> None:
    (doubt,) = doubts(opened(tmp_path, ["1,250 kg", "3,500 kg"]))
    assert not doubt.repaired
    assert [one.value for one in doubt.repairs] == ["point kg", "comma kg"]


def test_millions_are_a_part_of_the_number_and_no_unit(tmp_path: Path) -> None:
    assert not doubts(opened(tmp_path, ["1.2M", "500k", "3.4M"]))


@pytest.mark.parametrize(
    "cells",
    [
        ["12A", "14B", "3C"],
        ["3rd", "5th", "1st"],
        ["5 Main Street", "7 Oak Avenue", "9 Elm Road"],
        ["90 m", "A4", "12-14", "x"],
    ],
)
def test_letters_that_are_no_units_are_left_alone(tmp_path: Path, cells: list[str]) -> None:
    source = opened(tmp_path, cells)
    assert not doubts(source) and read(source) == cells
