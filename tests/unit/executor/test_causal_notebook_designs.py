"""The notebook computes instruments, discontinuities and panels again, and what few rows decide.

It starts a kernel for each notebook: what is tested is that the notebook's own code, run by itself,
gives the figures of `causal.estimate`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from bench.causal import worlds
from services.executor.causal.estimation.nuisance import ROWS_TO_SUM_ONCE
from tests.unit.executor.test_causal_notebook_groups import estimates, run_again
from tests.unit.executor.test_causal_rare_treatment import trial

Figures = list[dict[str, Any]]


def both(table: pa.Table, methods: tuple[str, ...], **study: Any) -> tuple[Figures, Figures]:
    """What the study tells of whole effects, and what the notebook finds."""
    given = {k: v for k, v in study.items() if k != "estimates"}
    told = [
        {k: v for k, v in row.items() if k != "group"}
        for method in methods
        for row in estimates(table, method, **given)
        if not row["group"]
    ]
    return told, run_again(table, estimates=told, **study)


@pytest.mark.parametrize(
    "name, method",
    [
        ("instrument", "IV"),
        ("two instruments", "IV"),
        ("discontinuity", "RDD"),
        ("discontinuity (fuzzy)", "RDD"),
        ("panel", "DiD"),
    ],
)
def test_a_design_comes_out_the_same(name: str, method: str) -> None:
    world = worlds.WORLDS[name](5, 1500)
    asked = {k: v for k, v in world.study(method).items() if k not in ("input", "method")}
    told, again = both(world.table, (method,), **asked)
    assert len(told) == 1 and len(again) == 3
    assert all(row["same"] for row in again), again


def test_a_unit_that_has_one_row_each_is_none() -> None:
    table = worlds.WORLDS["linear"](5, 400).table
    table = table.append_column("who", pa.array(range(400)))
    told, again = both(table, ("OLS",), treatment="t", outcome="y", adjustment=("a",), unit="who")
    assert len(again) == 3 * len(told) > 0 and all(row["same"] for row in again), again


@pytest.mark.parametrize("rows", [700, ROWS_TO_SUM_ONCE])
def test_a_forest_comes_out_the_same_however_its_lasso_sums(rows: int) -> None:
    """A lasso that is given sums of products differs in its last digits, and trees then split
    elsewhere: whole figures of a forest hang on it."""
    random = np.random.default_rng(4)
    x = random.normal(size=(rows, 3)) @ random.normal(size=(3, 3))
    t = (random.random(rows) < 1 / (1 + np.exp(-x[:, 0] / 3))).astype(int)
    spend = np.maximum(0, 80 * t + 40 * x.sum(axis=1) + 90 * random.normal(size=rows)).round(2)
    table = pa.table({"a": x[:, 0], "b": x[:, 1], "c": x[:, 2], "t": t, "y": spend})
    told, again = both(
        table,
        ("causal_forest",),
        treatment="t",
        outcome="y",
        adjustment=("a", "b", "c"),
        modifiers=("a",),
    )
    assert len(again) == 3 * len(told) == 6 and all(row["same"] for row in again), again


def test_a_trial_that_treats_few_comes_out_the_same() -> None:
    told, again = both(
        trial(),
        ("OLS", "IPW", "PSM", "stratification"),
        treatment="t",
        outcome="y",
        adjustment=("age", "income"),
    )
    assert len(again) == 3 * len(told) == 24 and all(row["same"] for row in again), again
