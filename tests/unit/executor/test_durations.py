"""Durations that are written as texts: read in a unit where they are surely durations."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.executor.domain.doubt import Doubt
from services.executor.domain.source import ReaderOptions, Repair
from services.executor.sources.prepared import PreparedSource
from tests.unit.executor.source_help import ask, open_text


def opened(
    folder: Path, column: str, cells: list[str], *repairs: Repair, raw: bool = False
) -> PreparedSource:
    """A table of these cells beside their numbers."""
    text = f"no;{column}\n" + "".join(f"{n};{cell}\n" for n, cell in enumerate(cells, 1))
    return open_text(folder, "t.csv", text, options=ReaderOptions(repairs=repairs, raw=raw))


def read(source: PreparedSource, column: str) -> list[object]:
    rows = ask(source, f'SELECT "{column}" AS v FROM t ORDER BY no').to_pylist()
    return [row["v"] for row in rows]


def doubts(source: PreparedSource) -> list[Doubt]:
    return [doubt for doubt in source.doubts if doubt.code == "duration"]


@pytest.mark.parametrize(
    ("column", "cells", "unit", "values"),
    [
        ("call_duration", ["0:37:01", "1:09:59", "12:00:00"], "seconds", [2221, 4199, 43200]),
        ("runtime", ["1h 20m", "45m", "2h"], "minutes", [80, 45, 120]),
        ("time_to_repair", ["PT1H20M", "PT45M", "P1DT1H"], "minutes", [80, 45, 1500]),
        ("Fahrzeit", ["90 min", "60 min", "5 min"], "minutes", [90, 60, 5]),
        ("elapsed", ["1 days 11:54:18", "0 days 00:00:01"], "seconds", [129258, 1]),
        ("since", ["3 days", "1 day", "14 days"], "days", [3, 1, 14]),
        ("reply", ["1,5 Std.", "2 Stunden", "30 Minuten"], "minutes", [90, 120, 30]),
        ("total", ["101:00:00", "26:30:00", "3:15:00"], "minutes", [6060, 1590, 195]),
        ("wait (min)", ["1h", "2h", "-0h 30m"], "minutes", [60, 120, -30]),
        ("wait_seconds", ["1 min", "2 min", "n/a"], "seconds", [60, 120, None]),
    ],
)
def test_what_is_surely_a_duration_is_read_in_a_unit_and_told(
    tmp_path: Path, column: str, cells: list[str], unit: str, values: list[float | None]
) -> None:
    source = opened(tmp_path, column, cells)
    assert read(source, column) == values
    (doubt,) = doubts(source)
    assert doubt.repaired
    assert doubt.repairs == (Repair(kind="duration", column=column, value=unit),)
    comments = {c.name: c.comment for table in source.tables for c in table.columns}
    short = {"seconds": "s", "minutes": "min", "hours": "h", "days": "days"}[unit]
    assert comments[column] == f"unit: {short}"
    assert (
        read(opened(tmp_path, column, cells, raw=True), column)
        == [None if cell == "n/a" else cell for cell in cells]
        or "n/a" in cells
    )
    kept = opened(tmp_path, column, cells, *doubt.repairs)
    assert read(kept, column) == values and not doubts(kept)


@pytest.mark.parametrize(
    ("column", "cells"),
    [
        ("length", ["3:47", "6:26", "12:05"]),  # minutes or hours
        ("time", ["8:15:30", "9:00:00", "23:10:05"]),  # a time of day or a duration
        ("runtime", ["1h 20m", "0:45:00", "2h"]),  # two forms
        ("runtime", ["1h 20m", "45m", "1h", "2h", "3h", "DNF"]),
    ],
)
def test_what_may_be_something_else_waits_for_people(
    tmp_path: Path, column: str, cells: list[str]
) -> None:
    source = opened(tmp_path, column, cells)
    (doubt,) = doubts(source)
    assert not doubt.repaired and doubt.repairs
    assert read(source, column) == cells
    mended = opened(tmp_path, column, cells, doubt.repairs[0])
    assert all(isinstance(v, float) for v in read(mended, column)[:4])


def test_minutes_and_seconds_or_hours_and_minutes_are_both_on_offer(tmp_path: Path) -> None:
    (doubt,) = doubts(opened(tmp_path, "length", ["3:47", "6:26"]))
    found = {
        one.value: read(opened(tmp_path, "length", ["3:47", "6:26"], one), "length")
        for one in doubt.repairs
    }
    assert found == {"seconds": [227, 386], "minutes": [227, 386]}


def test_metres_are_no_minutes(tmp_path: Path) -> None:
    assert not doubts(opened(tmp_path, "size", ["12 m", "5 m", "30 m"]))


@pytest.mark.parametrize(
    ("column", "cells"),
    [
        ("departure", ["08:15:00", "09:00:00", "23:10:05"]),
        ("height", ["5'11\"", "6'2\"", "5'4\""]),
        ("score", ["2:15", "3:40", "1:10"]),
        ("power", ["60W", "40W", "100W"]),
        ("note", ["90 min", "called back", "see mail", "none", "later"]),
    ],
)
def test_what_is_no_duration_is_left_alone(tmp_path: Path, column: str, cells: list[str]) -> None:
    source = opened(tmp_path, column, cells)
    assert not doubts(source) and read(source, column) == cells
