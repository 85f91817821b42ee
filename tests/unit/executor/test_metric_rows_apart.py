"""Of a sum, segments with more rows or fewer are seen although rows differ widely in worth."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from services.executor.metric.cube import cube_of
from services.executor.metric.finding import Found
from services.executor.metric.rows_apart import one_of_each, rows_differ
from services.executor.metric.segments import segments_of
from services.executor.tools.metric_search import metric_search
from tests.unit.executor.metric_data import Sales, key, ran, told

CAUSE = {"channel": "c1", "region": "r1"}


def worth(sales: Sales, seed: int, nothing: bool = False) -> pa.Table:
    """The cube of the sales, whose rows are worth amounts with a long tail; in region r1 hardly
    anything where `nothing` is said."""
    cube = sales.cube()
    rows = cube["rows"].to_numpy()
    each = np.random.default_rng(seed).lognormal(3, 1.5, rows.sum())
    sums = np.bincount(np.repeat(np.arange(len(rows)), rows), each, len(rows))
    if nothing:
        inside = np.array([name == "r1" for name in cube["region"].to_pylist()])
        sums = np.where(inside, 1e-6 * sums, sums)
    return cube.set_column(cube.column_names.index("numerator"), "numerator", pa.array(sums))


def test_rows_that_were_lost_are_seen_under_amounts_with_a_long_tail() -> None:
    right = wrong = 0
    for seed in range(6):
        sales = Sales(seed, causes=[(CAUSE, 0.3)], a_day=300)
        found = told(ran(metric_search, worth(sales, seed), **sales.periods))
        right += key(**CAUSE) in found
        wrong += len(set(found) - {key(**CAUSE)})
    assert right >= 5
    assert wrong <= 1


def test_rows_that_are_worth_nothing_have_no_bearing_on_a_sum() -> None:
    sales = Sales(1, causes=[(CAUSE, 0.3)], a_day=300)
    assert not told(ran(metric_search, worth(sales, 1, nothing=True), **sales.periods))


def test_without_a_cause_hardly_ever_any_is_told() -> None:
    found = 0
    for seed in range(20):
        sales = Sales(seed + 70, a_day=200)
        found += bool(told(ran(metric_search, worth(sales, seed), **sales.periods)))
    assert found <= 3  # at 5 % more than 3 of 20 are seen once in sixty


def test_of_two_readings_of_one_cause_the_one_that_says_more_is_told() -> None:
    cube = cube_of(Sales(0).cube())
    segments = segments_of(cube, cube.rows.sum(axis=1), 2)
    by_name = {key(**{k: str(v) for k, v in segments.named(n).items()}): n
               for n in range(len(segments))}  # fmt: skip
    pair, parent = by_name[key(**CAUSE)], by_name[key(region="r1")]
    apart = by_name[key(region="r2")]
    size = cube.rows.sum(axis=1)

    def found(segment: int, gain: float) -> Found:
        return Found(segment, gain, 5.0, 1e-6, 0.005, True)

    told_of = one_of_each(segments, size, [found(parent, 4.0)], [found(pair, 9.0), found(apart, 6)])
    assert [one.segment for one in told_of] == [pair, apart]
    told_of = one_of_each(segments, size, [found(parent, 40.0)], [found(pair, 9.0)])
    assert [one.segment for one in told_of] == [parent]


def test_rows_that_are_all_worth_the_same_are_not_searched_twice() -> None:
    rows = np.array([[3.0, 4.0], [0.0, 2.0]])
    assert not rows_differ(rows * 2.5, rows)
    assert rows_differ(rows + 0.5, rows)
    assert not rows_differ(rows, np.zeros_like(rows))
