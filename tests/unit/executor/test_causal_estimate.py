"""Effects are found where the data carry them, and declined with a reason where not."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
import statsmodels.api as sm

from bench.causal import worlds
from tests.unit.executor.causal_help import assumption, estimate, in_world, rows, small

CASES = [
    (name, method)
    for name in ("linear", "no effect", "binary outcome", "heterogeneous")
    for method in ("OLS", "IPW", "PSM", "stratification")
]
CASES += [
    ("nonlinear", "AIPW"),
    ("heterogeneous", "causal_forest"),
    ("dose", "DML"),
    ("dose", "OLS"),
    ("linear", "DML"),
    ("heavy-tailed", "IPW"),
]


@pytest.mark.parametrize(("name", "method"), CASES)
def test_a_method_finds_the_effect_of_a_world_whose_assumptions_it_makes(
    name: str, method: str
) -> None:
    world = worlds.WORLDS[name](7, 1200)
    told = in_world(world, method)
    assert {row["status"] for row in told} == {"ok"}
    for row in told:
        truth = world.effects.get(row["group"] or row["estimand"])
        assert row["ci_lower"] <= row["estimate"] <= row["ci_upper"]
        assert (row["p_value"] < 0.05) == (not row["ci_lower"] <= 0 <= row["ci_upper"])
        if truth is not None:
            assert abs(row["estimate"] - truth) < 3.5 * row["std_error"]


def test_a_forest_tells_the_effect_of_each_group() -> None:
    told = in_world(worlds.heterogeneous(3, 2000), "causal_forest")
    by_group = {row["group"]: row for row in told if row["estimand"] == "CATE"}
    assert set(by_group) == {"s = high", "s = low"}
    assert by_group["s = high"]["ci_lower"] > by_group["s = low"]["estimate"]
    assert assumption(told[0], "heterogeneity")["p_value"] < 0.01


def test_equal_questions_get_equal_answers_whatever_the_order_of_columns() -> None:
    table = worlds.nonlinear(1, 500).table
    asked = {"method": "AIPW", "adjustment": ("a", "b", "c")}
    first = rows(estimate(table, **asked))
    turned = table.select(["y", "c", "t", "b", "a"])
    assert rows(estimate(turned, **{**asked, "adjustment": ("c", "a", "b")})) == first


@pytest.mark.parametrize("method", ["OLS", "IPW", "AIPW", "PSM", "stratification", "causal_forest"])
def test_without_overlap_nothing_is_concluded(method: str) -> None:
    (row,) = in_world(worlds.no_overlap(1, 800), method)
    assert (row["status"], row["estimate"]) == ("rejected", None)
    assert "no counterpart" in row["reason"]
    assert assumption(row, "overlap")["passed"] is False


def test_groups_that_are_wholly_separated_are_no_crash_but_no_overlap() -> None:
    x = np.linspace(-1, 1, 200)
    table = pa.table({"x": x, "t": (x > 0).astype(int), "y": x + np.sin(9 * x)})
    (row,) = rows(estimate(table, method="IPW", adjustment=("x",)))
    assert row["status"] == "rejected"


def test_a_hidden_confounder_misleads_and_it_is_said_that_data_cannot_tell() -> None:
    told = in_world(worlds.hidden_confounder(1, 2000), "OLS")
    assert told[0]["ci_lower"] > 1.0
    assert assumption(told[0], "unconfoundedness")["passed"] is None


def test_a_collider_in_the_adjustment_spoils_the_estimate() -> None:
    world = worlds.collider_trap(1, 2000)
    right = in_world(world, "OLS")[0]
    wrong = rows(estimate(world.table, adjustment=(*world.adjustment, "trap")))[0]
    assert right["ci_lower"] < 1.0 < right["ci_upper"]
    assert wrong["ci_upper"] < 1.0


def test_regression_equals_statsmodels_hc3() -> None:
    table = worlds.dose(2, 400).table
    (row,) = rows(estimate(table, adjustment=("a", "b", "c")))
    frame = table.to_pandas()
    fit = sm.OLS(frame["y"], sm.add_constant(frame[["t", "a", "b", "c"]])).fit(cov_type="HC3")
    assert row["estimate"] == pytest.approx(fit.params["t"])
    assert row["std_error"] == pytest.approx(fit.bse["t"])


def test_weighting_without_covariates_is_the_difference_in_means() -> None:
    table = small()
    row = rows(estimate(table, method="IPW"))[0]
    t, y = table["t"].to_numpy(), table["y"].to_numpy()
    assert row["estimate"] == pytest.approx(y[t == 1].mean() - y[t == 0].mean())
    expected = np.sqrt(sum(y[t == arm].var() / (t == arm).sum() for arm in (0, 1)))
    assert row["std_error"] == pytest.approx(expected, rel=0.01)


def test_imputations_are_pooled_and_their_spread_widens_the_interval() -> None:
    parts = []
    for number in range(4):
        table = small()
        noise = np.random.default_rng(number).normal(size=len(table)) * 0.7
        table = table.set_column(0, "x", pa.array(table["x"].to_numpy() + noise))
        table = table.append_column("_row", pa.array(range(len(table))))
        parts.append(table.append_column("_imputation", pa.array([number] * len(table))))
    one = rows(estimate(parts[0], adjustment=("x",)))[0]
    pooled = rows(estimate(pa.concat_tables(parts), adjustment=("x",)))[0]
    assert json.loads(pooled["details"])["imputations"] == 4
    assert pooled["std_error"] > one["std_error"] * 0.9
    assert pooled["rows"] == one["rows"]
