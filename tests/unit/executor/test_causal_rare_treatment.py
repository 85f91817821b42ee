"""A trial that treats few rows can be answered: chances are small there for all rows alike."""

from __future__ import annotations

from functools import cache

import numpy as np
import pyarrow as pa
import pytest

from services.executor.causal.estimation.arguments import CausalCalibrateArguments
from services.executor.causal.estimation.support import bounds
from services.executor.tools.causal_calibrate import causal_calibrate
from tests.unit.executor.causal_help import assumption, estimate, rows
from tests.unit.executor.metric_data import Inputs

EFFECT = 3.0


@cache
def trial(share: float = 0.012, bent: float = 0.0) -> pa.Table:
    """20,000 people of whom `share` are treated by chance, more of the older where `bent`."""
    random = np.random.default_rng(2)
    age, income = random.normal(size=20_000), random.normal(size=20_000)
    odds = share / (1 - share) * np.exp(bent * age)
    treated = (random.random(20_000) < odds / (1 + odds)).astype(int)
    y = EFFECT * treated + age + 0.5 * income + random.normal(0, 3, 20_000)
    return pa.table({"age": age, "income": income, "t": treated, "y": y})


@pytest.mark.parametrize("method", ["OLS", "IPW", "PSM", "stratification", "AIPW"])
def test_a_trial_with_one_treated_in_eighty_is_answered(method: str) -> None:
    for row in rows(estimate(trial(), method=method, adjustment=("age", "income"))):
        assert row["status"] == "ok", row["reason"]
        assert row["ci_lower"] < EFFECT < row["ci_upper"], row["estimand"]
        assert assumption(row, "overlap")["statistic"] == 0


def test_few_untreated_are_answered_like_few_treated() -> None:
    for row in rows(estimate(trial(0.988), method="IPW", adjustment=("age", "income"))):
        assert row["status"] == "ok" and row["ci_lower"] < EFFECT < row["ci_upper"]


def test_rows_that_are_hardly_ever_treated_have_still_no_counterpart() -> None:
    (row,) = rows(estimate(trial(bent=4.0), method="IPW", adjustment=("age", "income")))
    assert row["status"] == "rejected" and "no counterpart" in row["reason"]


@pytest.mark.parametrize(
    "share, low, high",
    [
        (0.5, 0.02, 0.98),
        (0.2, 0.02, 0.98),
        (0.012, 0.0012, 0.98),
        (0.99, 0.02, 0.999),
    ],
)
def test_bounds_follow_the_share_of_a_rare_group(share: float, low: float, high: float) -> None:
    treatment = np.repeat([1.0, 0.0], [round(share * 1000), round((1 - share) * 1000)])
    assert bounds(treatment) == pytest.approx((low, high))


def test_planted_effects_are_found_where_an_even_sample_would_hold_five_treated() -> None:
    arguments = CausalCalibrateArguments(
        input="data",
        treatment="t",
        outcome="y",
        adjustment=("age", "income"),
        methods=("OLS",),
        repetitions=5,
        seconds=0.1,
    )
    found = causal_calibrate.run(arguments, Inputs({"data": trial()}))
    assert {row["failed"] for row in rows(found)} == {0}
    assert any("40 of them are of the rarer group" in note for note in found.notes)
