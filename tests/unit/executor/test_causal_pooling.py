from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.executor.causal.pooling import interval, rubin

SIZES = st.lists(st.floats(-100, 100), min_size=2, max_size=8)


def test_a_worked_example() -> None:
    pooled = rubin([1.0, 2.0, 3.0], [0.5, 0.5, 0.5])
    assert pooled.estimate == 2.0
    # Within 0.25, between 1, so the total is 0.25 + 4/3; df = 2 / (share of between) squared.
    assert pooled.std_error == pytest.approx(math.sqrt(0.25 + 4 / 3))
    assert pooled.df == pytest.approx(2 / ((4 / 3) / (0.25 + 4 / 3)) ** 2)


def test_one_imputation_is_handed_back() -> None:
    assert rubin([1.5], [0.2], 30.0) == rubin([1.5, 1.5], [0.2, 0.2], 30.0)
    with pytest.raises(ValueError, match="each imputation"):
        rubin([1.0], [])


@given(SIZES)
def test_pooling_never_makes_surer_than_the_mean_imputation(estimates: list[float]) -> None:
    pooled = rubin(estimates, [1.0] * len(estimates), 50.0)
    low, high, p_value = interval(pooled.estimate, pooled.std_error, pooled.df)
    assert pooled.std_error >= 1.0 - 1e-9
    assert pooled.df <= 50.0 + 1e-9
    assert low <= pooled.estimate <= high
    assert 0 <= p_value <= 1
