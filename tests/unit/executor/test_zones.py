"""Moments with offsets: kept as moments, and whose days are counted is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.executor.domain.source import ReaderOptions, Repair
from services.executor.sources.prepared import PreparedSource
from tests.unit.executor.source_help import ask, open_text

EVENTS = "id,at\n" + "".join(
    f"{n},2024-11-{day:02}T{hour:02}:{n % 6}0:00{offset}\n"
    for n, (day, hour, offset) in enumerate(
        [(2, 23, "-04:00"), (3, 0, "-04:00"), (3, 1, "-04:00"), (3, 1, "-05:00"), (3, 2, "-05:00")]
        * 6
    )
)


def days(source: PreparedSource, column: str = "at") -> list[int]:
    """How many rows each day has."""
    day = f'CAST("{column}" AS DATE)'
    rows = ask(source, f"SELECT count(*) AS n FROM t GROUP BY {day} ORDER BY {day}")
    return [row["n"] for row in rows.to_pylist()]


def first(source: PreparedSource) -> str:
    """The first day."""
    rows = ask(source, 'SELECT CAST(CAST(min("at") AS DATE) AS VARCHAR) AS d FROM t').to_pylist()
    return str(rows[0]["d"])


def zone(value: str) -> ReaderOptions:
    return ReaderOptions(repairs=(Repair(kind="zone", column="at", value=value),))


def test_days_are_of_utc_until_a_zone_is_named_and_that_is_doubted(tmp_path: Path) -> None:
    source = open_text(tmp_path, "t.csv", EVENTS)
    assert days(source) == [30]
    (doubt,) = source.doubts
    assert (doubt.code, doubt.column, doubt.examples) == ("zone", "at", ("-05:00", "-04:00"))
    assert doubt.repairs[0].value == "America/New_York"
    assert doubt.repairs[-1].value == "as-written"
    assert doubt.weight > 0.5


@pytest.mark.parametrize("value", ["America/New_York", "as-written"])
def test_with_a_zone_days_are_of_its_clocks_and_nothing_is_doubted(
    tmp_path: Path, value: str
) -> None:
    source = open_text(tmp_path, "t.csv", EVENTS, options=zone(value))
    assert days(source) == [6, 24]
    assert not source.doubts
    assert any("column at is told by the clocks" in note for note in source.notes)


def test_utc_alone_and_no_offset_at_all_are_not_doubted(tmp_path: Path) -> None:
    for end in ("Z", ""):
        text = f"id,at\n1,2024-11-03T01:00:00{end}\n2,2024-11-04T01:00:00{end}\n"
        assert not open_text(tmp_path, "t.csv", text).doubts


def test_one_offset_for_all_is_doubted_in_other_spellings_too(tmp_path: Path) -> None:
    for written in ("2024-07-03 00:30:00+0200", "2024-07-03 00:30+02:00", "2024-07-03T00:30:00+02"):
        source = open_text(tmp_path, "t.csv", f"id,at\n1,{written}\n2,{written}\n")
        (doubt,) = source.doubts
        assert doubt.examples == ("+02:00",), written
        assert doubt.repairs[0].value == "Europe/Berlin"
        assert days(source) == [2]


def test_zones_of_json_are_told_as_those_of_text(tmp_path: Path) -> None:
    lines = "".join(
        f'{{"id": {n}, "at": "2024-07-0{n}T00:30:00+02:00", "seen": "2024-07-03 00:30:00-07:00"}}\n'
        for n in (1, 2, 3)
    )
    source = open_text(tmp_path, "t.jsonl", lines)
    assert {doubt.column for doubt in source.doubts} == {"at", "seen"}
    assert days(source) == [1, 1, 1] and first(source) == "2024-06-30"
    local = open_text(tmp_path, "t.jsonl", lines, options=zone("as-written"))
    assert first(local) == "2024-07-01"
