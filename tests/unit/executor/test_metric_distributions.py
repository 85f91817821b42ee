"""Tails of distributions without the package of statistics: the same values, digit by digit."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from services.executor.metric import distributions

FREEDOMS = [1.0, 3.3, 27.0, 1000.0, float("inf")]


@pytest.mark.parametrize("freedom", FREEDOMS)
def test_students_t_is_that_of_scipy(freedom: float) -> None:
    for value in (-3.0, 0.0, 1.2, 40.0, float("inf")):
        assert distributions.student_above(value, freedom) == stats.t.sf(value, freedom)
    assert distributions.student_quantile(0.975, freedom) == stats.t.ppf(0.975, freedom)


@pytest.mark.parametrize("freedom", FREEDOMS[:-1])
def test_the_density_of_students_t_is_that_of_scipy(freedom: float) -> None:
    values = np.array([-2.0, 0.0, 0.7, 15.0])
    expected = stats.t.logpdf(values, freedom)
    assert distributions.student_log_density(values, freedom).tolist() == expected.tolist()


def test_the_normal_is_that_of_scipy() -> None:
    for value in (-3.0, 0.0, 1.2, 40.0):
        assert distributions.normal_above(value) == stats.norm.sf(value)
    for probability in (1e-9, 0.5, 0.975):
        assert distributions.normal_quantile(probability) == stats.norm.ppf(probability)
        assert -distributions.normal_quantile(probability) == stats.norm.isf(probability)


def test_no_values_that_are_none_become_some() -> None:
    assert np.isnan(distributions.student_above(float("nan"), 3.0))
