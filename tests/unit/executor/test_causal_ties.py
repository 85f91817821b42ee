"""Rows that are alike are equally likely to be treated, whatever the last digit of a sum says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from services.executor.causal.estimation import psm, stratification
from services.executor.causal.estimation.arguments import CausalEstimateArguments
from services.executor.causal.estimation.asking import studies_for
from services.executor.causal.estimation.support import Support, supported
from services.executor.causal.frame import Study


def whole_years(rows: int = 1500) -> pa.Table:
    """Ages and incomes that many share, so that neighbours tie and lie equally far off."""
    draw = np.random.default_rng(3)
    age, income = draw.normal(45, 12, rows).round(), draw.normal(30, 8, rows).round()
    chance = 1 / (1 + np.exp(-(0.05 * (age - 45) + 0.08 * (income - 30))))
    promo = (draw.uniform(size=rows) < chance).astype(int)
    spend = 20 + 4 * promo + 0.3 * age + 0.4 * income + draw.normal(0, 4, rows)
    return pa.table({"age": age, "income": income, "promo": promo, "spend": spend})


@pytest.mark.parametrize("method", [psm, stratification], ids=["PSM", "stratification"])
def test_rounding_of_the_propensity_moves_no_estimate(
    method: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = CausalEstimateArguments(
        input="data",
        method="PSM",
        treatment="promo",
        outcome="spend",
        adjustment=("age", "income"),
    )
    (study,) = studies_for(asked, whole_years())
    draw = np.random.default_rng(0)

    def rounded(study: Study) -> Support:
        found = supported(study)
        return replace(found, score=found.score * (1 + 1e-13 * draw.normal(size=len(study))))

    once = method.estimate(study)
    monkeypatch.setattr(method, "supported", rounded)
    again = method.estimate(study)

    for one, other in zip(once, again, strict=True):
        assert one.estimate == pytest.approx(other.estimate, rel=1e-9)
        assert one.std_error == pytest.approx(other.std_error, rel=1e-9)
