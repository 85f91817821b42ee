"""A segment that always moves so is no news, and what it moved is no move of everything."""

from __future__ import annotations

import json
import math
from datetime import date, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from services.executor.metric.onset import Onset, onset_of, within_periods
from services.executor.metric.spans import Span
from services.executor.tools.metric_search import metric_search
from tests.unit.executor.metric_data import ran

FIRST = date(2022, 1, 3)
DAYS = 364 + 168
BASELINE = Span(start=FIRST + timedelta(364 + 14), end=FIRST + timedelta(364 + 41))
COMPARISON = Span(start=FIRST + timedelta(364 + 140), end=FIRST + timedelta(364 + 167))


def wards(seed: int, rise: float = 1.0) -> pa.Table:
    """Admissions by ward and house over more than a year: those of the lungs have a season, and
    fall between both periods as they did a year earlier; the births of house h1 are multiplied by
    `rise` in the comparison."""
    random = np.random.default_rng(seed)
    rows: list[dict[str, Any]] = []
    for n in range(DAYS):
        day = FIRST + timedelta(n)
        season = 40.0 * (1 + 0.6 * math.cos(2 * math.pi * (n - 20) / 364))
        for ward, level in (("lungs", season), ("hearts", 20.0), ("births", 20.0)):
            for house in ("h1", "h2"):
                late = day >= COMPARISON.start and ward == "births" and house == "h1"
                count = int(random.poisson(level * (rise if late else 1.0)))
                rows.append(
                    {
                        "ward": ward,
                        "house": house,
                        "bucket": day,
                        "numerator": float(count),
                        "rows": count,
                    }
                )
    return pa.Table.from_pylist(rows)


def searched(table: pa.Table, **more: Any) -> list[dict[str, Any]]:
    arguments = {"baseline": BASELINE, "comparison": COMPARISON, **more}
    found = ran(metric_search, table, **arguments).frame
    assert found is not None
    return [{**row, "segment": json.loads(row["segment"])} for row in found.to_pylist()]


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_season_of_one_segment_is_told_as_usual_and_not_as_everything_alike(seed: int) -> None:
    rows = searched(wards(seed))
    [usual] = [row for row in rows if row["kind"] == "usual"]
    assert usual["segment"] == {"ward": "lungs"} and usual["p_corrected"] > 0.05
    assert usual["effect"] < 0
    [alike] = [row for row in rows if row["kind"] == "alike"]
    assert alike["p_corrected"] > 0.05
    assert not [r for r in rows if r["p_corrected"] is not None and r["p_corrected"] <= 0.05]


def test_it_is_held_against_the_same_periods_a_year_earlier() -> None:
    [usual] = [row for row in searched(wards(0)) if row["kind"] == "usual"]
    for year, now in (("year_baseline", "baseline"), ("year_comparison", "comparison")):
        assert usual[year] == pytest.approx(usual[now], rel=0.15)


def test_without_a_year_before_both_periods_nothing_is_said_of_it() -> None:
    table = wards(0)
    late = [row for row in table.to_pylist() if row["bucket"] >= BASELINE.start - timedelta(200)]
    rows = searched(pa.Table.from_pylist(late))
    assert all(row["year_baseline"] is None and row["year_comparison"] is None for row in rows)


def test_a_cause_beside_a_season_is_found_with_its_size() -> None:
    rows = searched(wards(3, rise=1.8))
    [found] = [
        r
        for r in rows
        if r["kind"] == "segment" and r["p_corrected"] is not None and r["p_corrected"] <= 0.05
    ]
    assert found["segment"] == {"ward": "births", "house": "h1"}
    assert found["low"] < 0.8 * 20 * 28 < found["high"]


def test_values_folded_together_are_no_segment() -> None:
    random = np.random.default_rng(4)
    rows = []
    for n in range(56):
        for place in ("a", "b", "c", "(other)"):
            level = 200.0 * (0.5 if place == "(other)" and n >= 28 else 1.0)
            count = int(random.poisson(level))
            rows.append(
                {
                    "place": place,
                    "bucket": FIRST + timedelta(n),
                    "rows": count,
                    "numerator": float(count),
                }
            )
    periods = {
        "baseline": Span(start=FIRST, end=FIRST + timedelta(27)),
        "comparison": Span(start=FIRST + timedelta(28), end=FIRST + timedelta(55)),
    }
    found = searched(pa.Table.from_pylist(rows), **periods)
    assert "(other)" not in [row["segment"].get("place") for row in found]


def test_a_fall_is_not_taken_to_begin_early_more_often_than_late() -> None:
    random = np.random.default_rng(0)
    days = tuple(FIRST + timedelta(n) for n in range(60))
    nothing = np.zeros(60, dtype=np.int64)
    off = []
    for _ in range(200):
        level = np.where(np.arange(60) >= 40, 0.0, 5.0)
        began = onset_of(random.poisson(level).astype(float), days, nothing)
        assert began is not None and began.low <= began.day <= began.high
        off.append((began.day - days[40]).days)
    assert np.mean(np.array(off) == 0) >= 0.92  # least squares: 0.86, and all others early


def test_no_day_is_told_where_it_may_lie_between_periods_that_are_apart() -> None:
    start, end = COMPARISON.start, COMPARISON.end
    early, later = start - timedelta(1), start + timedelta(3)
    between, inside = Onset(start, early, start), Onset(later, later, later)
    assert within_periods(between, (BASELINE, COMPARISON)) is None
    assert within_periods(between, (COMPARISON, BASELINE)) is None
    assert within_periods(inside, (BASELINE, COMPARISON)) is inside
    near = Span(start=BASELINE.start, end=early)
    assert within_periods(between, (near, Span(start=start, end=end))) is between
