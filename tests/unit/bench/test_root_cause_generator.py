"""Cases are the same for the same seed, and what is planted is in their data."""

from __future__ import annotations

from functools import cache
from typing import Any

import duckdb
import numpy as np
import pytest

from bench.root_cause.cases import Case, Segment
from bench.root_cause.causes import KINDS, WITHOUT_SEGMENT
from bench.root_cause.dense import DENSE_KINDS, make_dense
from bench.root_cause.generator import make
from bench.root_cause.leafing import leaves_for

ROWS = 30_000
MOVED = [kind for kind in KINDS if kind not in WITHOUT_SEGMENT]


@cache
def case_of(kind: str) -> Case:
    return make(kind, 1, ROWS)


def asked(case: Case, select: str, segment: Segment | None = None, *, within: bool = True) -> Any:
    """A row for the baseline and one for the comparison period: of a segment or the others."""
    named = " AND ".join(f"{name} = '{value}'" for name, value in segment or ()) or "TRUE"
    rows = case.rows
    assert rows.num_rows
    return duckdb.sql(
        f"SELECT {select} FROM rows WHERE day >= DATE '{case.baseline.start}'"
        f" AND {'' if within else 'NOT'} ({named})"
        f" GROUP BY day >= DATE '{case.comparison.start}' ORDER BY min(day)"
    ).fetchall()


def moved(case: Case, segment: Segment | None, *, within: bool = True) -> float:
    """The logarithm of the metric's ratio of both periods; without rows in one, ten."""
    top = asked(case, "sum(numerator)", segment, within=within)
    if len(top) < 2:
        return 10.0
    below = asked(case, "sum(denominator)", segment, within=within) if case.ratio else [[1], [1]]
    return float(np.log(top[1][0] / below[1][0]) - np.log(top[0][0] / below[0][0]))


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_seed_gives_the_same_case(kind: str) -> None:
    one, other = case_of(kind), make(kind, 1, ROWS)

    assert one.rows.equals(other.rows)
    assert one.truth == other.truth
    assert one.leaves.real.tolist() == other.leaves.real.tolist()
    assert one.leaves.predicted.tolist() == other.leaves.predicted.tolist()


def test_another_seed_gives_another_case() -> None:
    assert not case_of("single").rows.equals(make("single", 2, ROWS).rows)


@pytest.mark.parametrize("kind", [k for k in MOVED if k not in ("mix", "simpson", "null flood")])
def test_a_planted_segment_moves_unlike_the_rest(kind: str) -> None:
    case = case_of(kind)

    assert case.truth
    for segment in case.truth:
        assert abs(moved(case, segment) - moved(case, segment, within=False)) > 0.15


@pytest.mark.parametrize("kind", MOVED)
def test_a_planted_segment_moves_in_leaves_too(kind: str) -> None:
    case = case_of(kind)
    leaves = case.leaves
    of_rows = kind in ("mix", "simpson")
    assert not of_rows or leaves.real_denominator is not None
    for segment in case.truth:
        own = np.ones(len(leaves.codes), dtype=bool)
        for name, value in segment:
            place = leaves.dimensions.index(name)
            own &= leaves.codes[:, place] == leaves.values[place].index(value)
        real, predicted = leaves.real, leaves.predicted
        if of_rows and leaves.real_denominator is not None:
            assert leaves.predicted_denominator is not None
            real, predicted = leaves.real_denominator, leaves.predicted_denominator
        inside = (real[own].sum() + 1e-9) / (predicted[own].sum() + 1e-9)
        outside = real[~own].sum() / predicted[~own].sum()
        assert abs(np.log(inside / outside)) > 0.15


@pytest.mark.parametrize("kind", ["mix", "simpson"])
def test_a_shift_changes_the_size_of_one_value(kind: str) -> None:
    case = case_of(kind)
    [segment] = case.truth
    before, after = (row[0] for row in asked(case, "count(*)", segment))
    others = [row[0] for row in asked(case, "count(*)", segment, within=False)]

    assert abs(np.log(after / before) - np.log(others[1] / others[0])) > 0.4


def test_simpsons_whole_goes_against_its_parts() -> None:
    """Over many cases, as each rate is that of a sample."""
    against = 0
    for seed in range(8):
        case = make("simpson", seed, 100_000)
        [segment] = case.truth
        whole = moved(case, None)
        against += (
            whole * moved(case, segment) < 0 and whole * moved(case, segment, within=False) < 0
        )

    assert against >= 6


def test_days_are_missing_in_the_comparison_period() -> None:
    before, after = (row[0] for row in asked(case_of("missing days"), "count(DISTINCT day)"))

    assert 2 <= before - after <= 5


def test_a_double_load_repeats_rows_of_its_segment_alone() -> None:
    case = make("double load", 1, 3_000)
    columns = ", ".join(case.rows.column_names)
    repeated = f"count(*) - count(DISTINCT ({columns}))"
    [segment] = case.truth
    within = asked(case, repeated, segment)

    assert within[1][0] > within[0][0] + 20


def test_a_null_flood_empties_amounts_of_its_segment() -> None:
    case = case_of("null flood")
    [segment] = case.truth

    empty = "count(*) FILTER (numerator IS NULL) / count(*)"
    assert asked(case, empty, segment)[0][0] == 0
    assert asked(case, empty, segment)[1][0] > 0.5
    assert asked(case, empty, segment, within=False)[1][0] == 0


def test_everything_moves_alike_when_the_cause_is_outside() -> None:
    case = case_of("external")
    name = case.dimensions[0]
    values = sorted(set(case.rows.column(name).to_pylist()))
    largest = max(values, key=lambda v: asked(case, "count(*)", frozenset({(name, v)}))[0][0])

    assert case.truth == ()
    assert moved(case, frozenset({(name, largest)})) == pytest.approx(moved(case, None), abs=0.3)


def test_a_city_is_in_one_country_only() -> None:
    seen = 0
    for seed in range(12):
        case = make("none", seed, 3_000)
        for child, parent in case.determines.items():
            columns = (case.rows.column(name).to_pylist() for name in (child, parent))
            pairs = set(zip(*columns, strict=True))
            assert len(pairs) == len({value for value, _ in pairs})
            seen += 1

    assert seen > 0


def test_sizes_dimensions_and_values_are_as_promised() -> None:
    some = [make("none", seed) for seed in range(10)]

    assert all(3 <= len(case.dimensions) <= 8 for case in some)
    assert min(case.rows.num_rows for case in some) < 3_000
    assert max(case.rows.num_rows for case in some) <= 300_000


def test_leaves_of_rows_add_up_to_the_rows() -> None:
    case = case_of("single")
    leaves = leaves_for(case)
    totals = [row[0] for row in asked(case, "sum(numerator)")]

    assert [leaves.predicted.sum(), leaves.real.sum()] == pytest.approx(totals)


@pytest.mark.parametrize("kind", DENSE_KINDS)
def test_dense_leaves_are_all_there_and_move_by_one_ratio(kind: str) -> None:
    case = make_dense(kind, 3)
    leaves = case.leaves

    assert len(leaves.codes) == np.prod([len(values) for values in leaves.values])
    assert leaves.real.tolist() == make_dense(kind, 3).leaves.real.tolist()
    assert bool(case.truth) == (kind != "dense, none")
