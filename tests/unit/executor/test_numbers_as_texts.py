"""Numbers that a file holds as texts, such as "12,50" of JSON: read where nothing else is meant."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from services.executor.domain.doubt import Doubt
from services.executor.domain.source import ColumnKind, ReaderOptions, Repair
from services.executor.sources.prepared import PreparedSource
from tests.unit.executor.source_help import open_text, rows_of


def opened(folder: Path, cells: list[str | None], **options: object) -> PreparedSource:
    """A JSON file of these cells beside their numbers."""
    rows = [{"no": n, "price": cell} for n, cell in enumerate(cells)]
    return open_text(folder, "t.json", json.dumps(rows), options=ReaderOptions(**options))  # type: ignore[arg-type]


def doubts(source: PreparedSource) -> list[Doubt]:
    return [doubt for doubt in source.doubts if doubt.code == "number-text"]


def prices(source: PreparedSource) -> list[object]:
    return [row["price"] for row in rows_of(source)]


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["12,50", "7,25", "1.200,00"], [12.5, 7.25, 1200]),
        (["12,50", "-7,25", None, "n/a", "3,00"], [12.5, -7.25, None, None, 3]),
        (["1 200,10", "17,99", "1'000,00"], [1200.1, 17.99, 1000]),
    ],
)
def test_decimal_commas_of_two_places_are_read_and_told(
    tmp_path: Path, cells: list[str | None], values: list[float | None]
) -> None:
    source = opened(tmp_path, cells)
    assert prices(source) == values
    (doubt,) = doubts(source)
    assert doubt.repaired and doubt.repairs == (
        Repair(kind="number", column="price", value="comma"),
    )
    assert prices(opened(tmp_path, cells, raw=True)) == cells
    kept = opened(tmp_path, cells, types={"price": ColumnKind.TEXT})
    assert prices(kept) == cells and not doubts(kept)[0].repaired


@pytest.mark.parametrize(
    ("cells", "offered"),
    [
        (["1,5", "2,25", "3,125"], ["comma"]),  # may be lists of two
        (["12.50", "7.25", "1,200.00"], ["point"]),
        (["1.234", "5.678"], ["point", "comma"]),
        (["1,234", "5,678", "9"], ["point", "comma"]),
    ],
)
def test_what_may_be_something_else_is_a_doubt_with_repairs(
    tmp_path: Path, cells: list[str | None], offered: list[str]
) -> None:
    (doubt,) = doubts(source := opened(tmp_path, cells))
    assert not doubt.repaired and prices(source) == cells
    assert [repair.value for repair in doubt.repairs] == offered
    mended = opened(tmp_path, cells, repairs=doubt.repairs[:1])
    assert all(isinstance(price, float) for price in prices(mended)) and not doubts(mended)


@pytest.mark.parametrize(
    "cells",
    [
        ["0123", "0456", "7"],  # codes of digits
        ["12", "7", "1200"],
        ["1.2.3", "1.3.0", "2.0.1"],
        ["12,50", "cheap", "dear"],
        ["$12.50", "$7.25", "$3.00"],  # has a unit, which is another kind
        ["00,50", "01,20", "02,30"],
    ],
)
def test_what_is_no_number_is_left_alone(tmp_path: Path, cells: list[str | None]) -> None:
    assert not doubts(opened(tmp_path, cells))


def test_versions_are_no_numbers(tmp_path: Path) -> None:
    text = json.dumps([{"version": "1.10"}, {"version": "1.20"}, {"version": "2.05"}])
    assert not doubts(open_text(tmp_path, "t.json", text))
