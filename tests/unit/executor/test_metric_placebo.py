"""What segments did in earlier pairs of periods is usual for them, and no cause."""

from __future__ import annotations

import json
from datetime import date, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pytest

from services.executor.metric.cube import cube_of
from services.executor.metric.placebo import MOST_PAIRS, earlier_pairs, leaves_within, over
from services.executor.metric.segments import segments_of
from services.executor.metric.spans import Span, frame_of
from services.executor.tools.metric_search import metric_search
from tests.unit.executor.metric_data import Sales, ran

DAYS, LENGTH = 196, 14
FIRST = date(2023, 5, 1)


def spans(length: int = LENGTH) -> dict[str, Span]:
    middle = FIRST + timedelta(DAYS - length)
    return {
        "baseline": Span(start=middle - timedelta(length), end=middle - timedelta(1)),
        "comparison": Span(start=middle, end=FIRST + timedelta(DAYS - 1)),
    }


def restless(seed: int, factor: float = 1.0) -> pa.Table:
    """Counts of eight shops whose levels wander from week to week, and of four calm kinds of goods;
    in the comparison those of kind 0 times `factor`."""
    random = np.random.default_rng(seed)
    weeks = np.cumsum(random.normal(0, 0.25, (8, DAYS // 7)), axis=1)
    rows: list[dict[str, Any]] = []
    for day in range(DAYS):
        for shop in range(8):
            for kind in range(4):
                level = 12 * np.exp(weeks[shop, day // 7] - weeks[shop].mean())
                late = factor if kind == 0 and day >= DAYS - LENGTH else 1.0
                count = random.poisson(level * late)
                rows.append(
                    {
                        "shop": f"s{shop}",
                        "kind": f"k{kind}",
                        "bucket": FIRST + timedelta(day),
                        "numerator": float(count),
                        "rows": count,
                    }
                )
    return pa.Table.from_pylist(rows)


def told(table: pa.Table, **changes: Any) -> list[dict[str, str]]:
    found = ran(metric_search, table, **{**spans(), **changes}).frame
    assert found is not None
    return [
        json.loads(row["segment"])
        for row in found.to_pylist()
        if row["kind"] not in ("alike", "total") and row["p_corrected"] <= 0.05
    ]


def test_what_wanders_every_month_is_no_cause_where_the_history_shows_it() -> None:
    false = {"with": 0, "without": 0}
    for seed in range(6):
        table = restless(seed)
        late = pa.compute.greater_equal(table["bucket"], pa.scalar(spans()["baseline"].start))
        false["without"] += bool(told(table.filter(late)))
        false["with"] += bool(told(table))
    assert false["without"] >= 3
    assert false["with"] <= 1


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_calm_kind_that_falls_is_found_among_shops_that_wander(seed: int) -> None:
    assert told(restless(seed, 0.5)) == [{"kind": "k0"}]


def test_pairs_keep_weekdays_and_stay_clear_of_the_comparison() -> None:
    cube = cube_of(restless(0))
    frame = frame_of(cube, **spans())
    pairs = earlier_pairs(cube, frame, 50)

    assert 3 <= len(pairs.frames) <= MOST_PAIRS
    assert pairs.apart <= len(pairs.frames)
    for pair in pairs.frames:
        days = [day for day in pair.times if isinstance(day, date)]
        assert len(days) == 2 * LENGTH and max(days) < spans()["comparison"].start
        assert [d.weekday() for d in days] == [t.weekday() for t in frame.times]  # type: ignore[union-attr]


def test_a_cube_of_both_periods_alone_has_no_pairs() -> None:
    sales = Sales(3, days=(14, 14))
    cube = cube_of(sales.cube())
    frame = frame_of(cube, *(Span(**period) for period in sales.periods.values()))
    assert not earlier_pairs(cube, frame, 50).frames
    assert "earlier" not in " ".join(ran(metric_search, sales.cube(), **sales.periods).notes)


def test_segments_have_the_same_leaves_by_name_in_a_longer_cube() -> None:
    cube = cube_of(Sales(4, days=(14, 14), history=28).cube())
    frame = frame_of(
        cube, *(Span(**p) for p in Sales(4, days=(14, 14), history=28).periods.values())
    )
    inside = leaves_within(cube, frame)
    segments = segments_of(inside, np.ones(len(inside.codes)), 2)
    wide = over(segments, cube)
    for k in range(len(segments)):
        named = segments.named(k)
        places = [cube.dimensions.index(name) for name in named]
        codes = [cube.values[p].index(v) for p, v in zip(places, named.values(), strict=True)]
        expected = np.flatnonzero((cube.codes[:, places] == codes).all(axis=1))
        assert wide.leaves(k).tolist() == expected.tolist()


def test_points_and_factors_of_all_are_no_segment() -> None:
    random = np.random.default_rng(5)
    rows = []
    for day in range(56):
        late = day >= 28
        for place in range(40):
            usual = 0.05 + 0.02 * place
            rate = usual + (1 - usual) * 0.25 if late else usual
            rows.append(
                {
                    "place": f"p{place:02}",
                    "kind": f"k{place % 5}",
                    "bucket": FIRST + timedelta(day),
                    "denominator": 60.0,
                    "rows": 60,
                    "numerator": float(random.binomial(60, rate)),
                }
            )
    periods = {
        "baseline": Span(start=FIRST, end=FIRST + timedelta(27)),
        "comparison": Span(start=FIRST + timedelta(28), end=FIRST + timedelta(55)),
    }
    assert told(pa.Table.from_pylist(rows), **periods) == []


def test_a_few_rows_on_three_days_are_no_cause() -> None:
    periods = {
        "baseline": Span(start=FIRST, end=FIRST + timedelta(2)),
        "comparison": Span(start=FIRST + timedelta(3), end=FIRST + timedelta(5)),
    }
    false = 0
    for seed in range(12):
        random = np.random.default_rng(seed)
        count = 50
        table = pa.table(
            {
                "place": [f"p{k}" for k in random.integers(0, 9, count)],
                "kind": [f"k{k}" for k in random.integers(0, 6, count)],
                "bucket": [FIRST + timedelta(int(k)) for k in random.integers(0, 6, count)],
                "numerator": np.ones(count),
                "rows": np.ones(count, dtype=np.int64),
            }
        )
        false += bool(told(table, **periods))
    assert false <= 1


def test_one_of_two_values_that_fell_is_found_whatever_days_remember() -> None:
    random = np.random.default_rng(7)
    rows = []
    for day in range(28):
        for kind in range(2):
            for shop in range(6):
                level = 40.0 * (0.6 if kind and day >= 14 else 1.0)
                rows.append(
                    {
                        "kind": f"k{kind}",
                        "shop": f"s{shop}",
                        "rows": 1,
                        "bucket": FIRST + timedelta(day),
                        "numerator": float(random.poisson(level)),
                    }
                )
    assert told(pa.Table.from_pylist(rows), **two_weeks()) == [{"kind": "k1"}]


def two_weeks() -> dict[str, Span]:
    middle = FIRST + timedelta(14)
    return {
        "baseline": Span(start=FIRST, end=middle - timedelta(1)),
        "comparison": Span(start=middle, end=middle + timedelta(13)),
    }
