"""How fragile an effect is: figures that are known, and tests that fail where they must."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from mesh.tool import ToolError
from services.executor.causal.sensitivity.arguments import CausalSensitivityArguments
from services.executor.causal.sensitivity.e_value import e_value
from services.executor.causal.sensitivity.omitted_variable import robustness
from services.executor.causal.sensitivity.rosenbaum import upper_p_value
from services.executor.tools.causal_sensitivity import causal_sensitivity
from tests.unit.executor.plot_help import Context


def data(effect: float = 2.0, hidden: float = 0.0, rows: int = 800) -> pa.Table:
    """Age and income confound; `hidden` moves treatment, spend and shoes, and is no column."""
    draw = np.random.default_rng(7)
    age, income, unseen = draw.normal(size=(3, rows))
    propensity = 1 / (1 + np.exp(-(0.8 * age + 0.5 * income + hidden * unseen)))
    promo = (draw.uniform(size=rows) < propensity).astype(int)
    spend = effect * promo + 1.5 * age + income + hidden * unseen + draw.normal(size=rows)
    shoes = age + hidden * unseen + draw.normal(size=rows)
    return pa.table({"age": age, "income": income, "promo": promo, "spend": spend, "shoes": shoes})


def under(method: str, table: pa.Table, **more: Any) -> dict[str, Any]:
    arguments = {
        "input": "data",
        "treatment": "promo",
        "outcome": "spend",
        "estimator": "OLS",
        "adjustment": ("age", "income"),
        "estimate": 2.0,
        "std_error": 0.08,
        "method": method,
        **more,
    }
    frame = causal_sensitivity.run(
        CausalSensitivityArguments(**arguments), Context({"data": table})
    ).frame
    assert frame is not None
    [row] = frame.to_pylist()
    return {**row, "details": json.loads(row["details"])}


def test_the_e_value_of_a_known_ratio() -> None:
    # VanderWeele & Ding (2017): a risk ratio of 3.9 has an E-value of 7.26; one below 1 is turned.
    assert e_value(3.9) == pytest.approx(7.26, abs=0.005)
    assert e_value(1 / 3.9) == pytest.approx(e_value(3.9))
    assert e_value(1.0) == 1.0


def test_the_robustness_value_of_the_darfur_example() -> None:
    # Cinelli & Hazlett (2020): t = 4.18 on 783 degrees of freedom gives 13.9 %.
    assert robustness(4.18 / math.sqrt(783)) == pytest.approx(0.139, abs=0.0005)


def test_gamma_of_one_is_the_signed_rank_test() -> None:
    from scipy import stats

    differences = np.random.default_rng(3).normal(0.2, 1.0, size=400)
    usual = stats.wilcoxon(differences, alternative="greater", correction=False, method="approx")
    assert upper_p_value(differences, 1.0) == pytest.approx(usual.pvalue, rel=1e-6)
    assert upper_p_value(differences, 1.5) > upper_p_value(differences, 1.0)


@pytest.mark.parametrize("method", ["placebo_treatment", "random_common_cause", "subset"])
def test_a_sound_estimate_passes_what_could_refute_it(method: str) -> None:
    found = under(method, data())
    assert found["passes"] is True
    assert found["interpretation"].endswith(".")


def test_a_placebo_fails_where_the_errors_of_the_estimate_are_too_small(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An estimator that is sure of what is not there is what this test is to find."""
    from dataclasses import replace

    from services.executor.causal.estimation.run import estimated
    from services.executor.causal.sensitivity import again

    honest = estimated
    monkeypatch.setattr(
        again,
        "estimated",
        lambda method, study: [
            replace(one, std_error=one.std_error / 10) for one in honest(method, study)
        ],
    )
    assert under("placebo_treatment", data())["passes"] is False


def test_a_hidden_cause_shows_in_what_the_treatment_cannot_have_moved() -> None:
    assert under("negative_control", data(), negative_outcome="shoes")["passes"] is True
    found = under("negative_control", data(hidden=2.0), negative_outcome="shoes")
    assert found["passes"] is False
    assert "what was not seen moves both" in found["interpretation"]


def test_bounds_name_the_strongest_column_and_draw_a_contour() -> None:
    found = under("omitted_variable", data())
    details = found["details"]
    assert details["benchmarks"][0]["column"] == "age"
    assert found["passes"] is True
    assert 0 < found["robustness_value"] < 1
    grid = details["contour"]["estimate"]
    assert grid[0][0] == pytest.approx(details["estimate"])
    assert min(min(row) for row in grid) < 0 < details["estimate"]


def test_matched_pairs_bear_a_large_effect_and_not_none() -> None:
    assert under("rosenbaum", data())["robustness_value"] > 2
    none = under("rosenbaum", data(effect=0.0), estimate=0.01)
    assert none["robustness_value"] == 1.0
    assert "in doubt as it is" in none["interpretation"]


def test_equal_arguments_give_equal_rows() -> None:
    assert under("placebo_treatment", data()) == under("placebo_treatment", data())


def test_what_a_test_needs_is_asked_for() -> None:
    with pytest.raises(ToolError, match="negative_outcome"):
        under("negative_control", data())
    with pytest.raises(ToolError, match="two values"):
        under("rosenbaum", data(), treatment="age", adjustment=("income",))


def test_parts_that_are_too_few_rows_give_no_verdict() -> None:
    treated = [1] * 22 + [0] * 40  # of four fifths seldom 20 are treated
    table = data(rows=62).set_column(2, "promo", pa.array(treated))

    row = under("subset", table)

    assert row["passes"] is None
    assert "of 8 random parts" in row["interpretation"]
    assert "too few rows" in row["interpretation"]
