"""What stated confidence is worth, in figures that can be worked out by hand."""

from __future__ import annotations

import pytest

from bench.reading.calibration import (
    calibration_error,
    coverage_at,
    reliability,
    risk_coverage,
    wilson,
)

HONEST = [(0.9, True)] * 9 + [(0.9, False)] + [(0.5, True)] * 5 + [(0.5, False)] * 5


def test_an_interval_of_few_answers_is_wide_and_stays_within_bounds() -> None:
    low, high = wilson(1, 1)
    assert (round(low, 3), high) == (0.207, 1.0)
    assert wilson(0, 0) == (0.0, 1.0)
    low, high = wilson(95, 100)
    assert (round(low, 4), round(high, 4)) == (0.8882, 0.9785)


def test_who_says_nine_of_ten_and_has_nine_of_ten_right_is_not_off() -> None:
    bins = reliability(HONEST)
    assert [(part.low, part.number, part.right) for part in bins] == [
        (0.5, 10, 0.5),
        (0.9, 10, 0.9),
    ]
    assert calibration_error(bins) == pytest.approx(0.0)


def test_who_is_always_certain_is_off_by_what_is_wrong() -> None:
    bins = reliability([(1.0, True)] * 3 + [(1.0, False)])
    assert bins[0].right_low < 0.75 < bins[0].right_high
    assert calibration_error(bins) == pytest.approx(0.25)
    assert calibration_error([]) == 0.0


def test_every_confidence_lies_in_one_bin() -> None:
    stated = [(n / 100, True) for n in range(101)]
    assert sum(part.number for part in reliability(stated)) == 101


def test_risk_grows_with_what_is_answered() -> None:
    stated = [(1 - n / 100, n < 8) for n in range(10)]
    told = {coverage: risk for coverage, risk, _ in risk_coverage(stated)}
    assert told[10] == told[80] == 0
    assert told[90] == pytest.approx(1 / 9)
    assert told[100] == pytest.approx(0.2)


def test_answers_of_one_confidence_share_their_risk() -> None:
    told = risk_coverage([(1.0, False), *[(1.0, True)] * 9])
    assert [risk for _, risk, _ in told] == [pytest.approx(0.1)] * 10
    assert told == risk_coverage([*[(1.0, True)] * 9, (1.0, False)])


def test_what_was_not_answered_is_not_covered() -> None:
    told = risk_coverage([(0.9, True)] * 5, of=10)
    assert [coverage for coverage, _, _ in told] == [10, 20, 30, 40, 50]
    assert coverage_at([(0.9, True)] * 5, 0.95, of=10) == (0.5, 0.9)


def test_a_threshold_does_not_split_ties() -> None:
    stated = [(0.9, True)] * 19 + [(0.9, False)] + [(0.8, False)] * 20
    assert coverage_at(stated, 0.95) == (0.5, 0.9)
    assert coverage_at(stated, 0.96) == (0.0, 1.0)


def test_a_lower_threshold_counts_where_the_answers_below_make_up() -> None:
    stated = [(0.9, False), *[(0.8, True)] * 19]
    assert coverage_at(stated, 0.95) == (1.0, 0.8)
