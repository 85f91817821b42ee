"""The methods of the field, held to examples worked by hand."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

import numpy as np
import pytest

from bench.root_cause.adtributor import Adtributor, RecursiveAdtributor, candidates
from bench.root_cause.cases import Case, Leaves
from bench.root_cause.dense import make_dense
from bench.root_cause.impact import contributions, largest
from bench.root_cause.measures import Sums, deviation, explanatory_power, sums_of, surprise
from bench.root_cause.riskloc import RiskLoc, cut_point, risk, root_causes, scored_leaves

VALUES = (("a", "b"), ("x", "y"))


def leaves(predicted: Sequence[float], real: Sequence[float]) -> Leaves:
    """Leaves (a, x), (a, y), (b, x), (b, y) of a region and a device."""
    codes = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    return Leaves(
        ("region", "device"), VALUES, codes, np.array(predicted, float), np.array(real, float)
    )


REGION_A_FELL = leaves([100, 100, 100, 100], [40, 40, 100, 100])
ONE_LEAF_FELL = leaves([100, 100, 100, 100], [20, 100, 100, 100])


def of(data: Leaves) -> Case:
    from dataclasses import replace

    case = make_dense("dense, none", 0)
    return replace(case, leaves=data, dimensions=data.dimensions)


def ratio(
    predicted: list[float], below: list[float], real: list[float], real_below: list[float]
) -> Sums:
    return Sums(np.array(predicted), np.array(real), np.array(below), np.array(real_below))


def test_explanatory_power_is_the_part_of_the_change() -> None:
    sums = sums_of(REGION_A_FELL)

    assert explanatory_power(sums, sums).tolist() == [0.5, 0.5, 0, 0]


def test_explanatory_power_of_a_ratio_is_by_finite_differences() -> None:
    # F = 30/100; the first element loses 10 of 30: -10·100 / (100·100) = -0.1, all there is
    sums = ratio([20, 10], [50, 50], [10, 10], [50, 50])

    assert explanatory_power(sums, sums).tolist() == pytest.approx([1, 0])


def test_explanatory_power_of_a_changed_share_is_that_of_its_denominator() -> None:
    # F = 30/100; the second grows by 50 at its rate of 0.2:
    # (10·100 - 50·30) / (100·150) = -0.0333, all there is
    sums = ratio([20, 10], [50, 50], [20, 20], [50, 100])

    assert explanatory_power(sums, sums).tolist() == pytest.approx([0, 1])


def test_surprise_is_the_term_of_the_divergence() -> None:
    sums = Sums(np.array([200.0, 200]), np.array([80.0, 200]))
    p, q = 0.5, 80 / 280

    expected = 0.5 * (p * log(2 * p / (p + q)) + q * log(2 * q / (p + q)))
    assert surprise(sums)[0] == pytest.approx(expected)


def test_what_is_new_has_a_surprise_and_no_error() -> None:
    sums = Sums(np.array([0.0, 100]), np.array([100.0, 100]))

    assert surprise(sums)[0] == pytest.approx(0.5 * 0.5 * log(2))


def test_deviation_is_relative_to_both() -> None:
    sums = Sums(np.array([100.0, 0, 0]), np.array([40.0, 10, 0]))

    assert deviation(sums).tolist() == pytest.approx([120 / 140, -2, 0])


def test_impact_ranks_single_values_before_equal_pairs() -> None:
    assert largest(REGION_A_FELL, 1) == [frozenset({("region", "a")})]
    # each value moves by 10, one pair by 60
    apart = leaves([100, 100, 100, 100], [40, 150, 150, 60])
    assert largest(apart, 1) == [frozenset({("device", "x"), ("region", "a")})]


def test_an_impact_on_a_ratio_is_what_would_move_back() -> None:
    # now 20/100; had the first stayed at 20 of 50, 30/100
    sums = ratio([20, 10], [50, 50], [10, 10], [50, 50])

    assert contributions(sums, sums).tolist() == pytest.approx([-0.1, 0])


def test_adtributor_takes_the_surprising_dimension() -> None:
    found = candidates(REGION_A_FELL, sums_of(REGION_A_FELL), (0, 1))

    assert [(one.place, one.codes) for one in found] == [(0, (0,)), (1, (0, 1))]
    assert found[1].surprise == pytest.approx(0)
    assert Adtributor().find(of(REGION_A_FELL)) == [{("region", "a")}]


def test_recursive_adtributor_goes_down_to_the_combination() -> None:
    assert RecursiveAdtributor().find(of(ONE_LEAF_FELL)) == [{("region", "a"), ("device", "x")}]


def test_recursive_adtributor_stops_where_all_values_move() -> None:
    assert RecursiveAdtributor().find(of(REGION_A_FELL)) == [{("region", "a")}]


def test_the_cut_point_mirrors_the_shorter_side() -> None:
    normal = [-0.06, -0.05, -0.04, -0.03, -0.02, -0.01, 0.01, 0.02]
    abnormal = [0.5, 0.51, 0.52, 0.53, 0.54, 0.55, 0.56]

    # without five extremes, deviations reach down to -0.01 and up to 0.51
    assert cut_point(np.array(normal + abnormal)) == pytest.approx(0.01)
    assert cut_point(-np.array(normal + abnormal)) == pytest.approx(-0.01)


def test_risk_is_high_where_leaves_moved_by_one_ratio() -> None:
    scored = scored_leaves(REGION_A_FELL)
    own = scored.codes[:, 0] == 0

    # both leaves deviate by 0.857 and fit one ratio: 1.714 / (1.714 + 1) - 0
    assert risk(scored, own) == pytest.approx(1.7142857 / 2.7142857)
    # x of any region: 0.857 / (0.857 + 0 + 1), less how badly one ratio fits (0.4286) over 0.4286
    low = (2 * 30 / 110 + 2 * 30 / 170) / 2 / (120 / 140 / 2)
    assert risk(scored, scored.codes[:, 1] == 0) == pytest.approx(0.857142857 / 1.857142857 - low)


def test_a_search_like_riskloc_finds_the_region() -> None:
    assert root_causes(REGION_A_FELL) == [frozenset({("region", "a")})]


def test_a_search_like_riskloc_does_well_on_the_literatures_own_data() -> None:
    right = 0
    for seed in range(8):
        case = make_dense("dense, one cause", seed)
        found = RiskLoc().find(case)
        right += {frozenset(one) for one in found} == set(case.truth)

    assert right >= 5


def test_nothing_is_found_where_nothing_moved() -> None:
    still = leaves([100, 100, 100, 100], [100, 100, 100, 100])

    assert root_causes(still) == []
    assert Adtributor().find(of(still)) == []
