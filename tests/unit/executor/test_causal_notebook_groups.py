"""The notebook computes groups again, and counts units where rows belong together."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from services.executor.causal.estimation.arguments import CausalEstimateArguments
from services.executor.causal.estimation.asking import studies_for
from services.executor.causal.estimation.run import rows_of
from services.executor.causal.notebook.arguments import CausalNotebookArguments
from services.executor.tools.causal_notebook import causal_notebook
from tests.unit.executor.test_causal_notebook import Running, visits
from tests.unit.executor.test_causal_units import tutored


def estimates(table: pa.Table, method: Any, **study: Any) -> list[dict[str, Any]]:
    asked = CausalEstimateArguments(input="data", method=method, **study)
    kept = ("method", "estimand", "estimate", "ci_lower", "ci_upper", "group")
    return [
        {name: row[name] for name in kept}
        for row in rows_of(method, studies_for(asked, table))
        if row["status"] == "ok"
    ]


def run_again(table: pa.Table, **asked: Any) -> list[dict[str, Any]]:
    arguments = CausalNotebookArguments(input="data", title="The effect", **asked)
    frame = causal_notebook.run(arguments, Running(table)).frame
    assert frame is not None
    figures: list[dict[str, Any]] = frame.to_pylist()
    return figures


def test_a_forest_and_its_groups_come_out_the_same() -> None:
    table = visits(500)
    study: dict[str, Any] = {
        "treatment": "promo",
        "outcome": "spend",
        "adjustment": ("age", "region"),
        "modifiers": ("age", "region"),
    }
    found = estimates(table, "causal_forest", **study)
    whole = [{k: v for k, v in row.items() if k != "group"} for row in found if not row["group"]]
    groups = [{**row, "estimand": row.pop("group")} for row in found if row["group"]]
    again = run_again(table, estimates=whole, groups=groups, **study)
    assert len(groups) == 7 and len(again) == 3 * (len(whole) + len(groups))
    assert all(row["same"] for row in again), again


def test_groups_by_yes_and_no_are_told_as_recorded() -> None:
    table = visits(300)
    flag = pa.array([age > 40 for age in table["age"].to_pylist()])
    table = table.append_column("old", flag)
    study: dict[str, Any] = {"treatment": "promo", "outcome": "spend", "modifiers": ("old",)}
    found = estimates(table, "causal_forest", adjustment=("age",), **study)
    whole = [{k: v for k, v in row.items() if k != "group"} for row in found if not row["group"]]
    assert run_again(table, estimates=whole, adjustment=("age",), **study) == []


def test_errors_by_unit_come_out_the_same() -> None:
    table = tutored(2, units=300, rows=2)
    study: dict[str, Any] = {
        "treatment": "tutoring",
        "outcome": "score",
        "adjustment": ("ability",),
        "unit": "student_id",
    }
    told = [
        {k: v for k, v in row.items() if k != "group"}
        for method in ("OLS", "IPW", "PSM", "stratification", "AIPW")
        for row in estimates(table, method, **study)
    ]
    again = run_again(table, estimates=told, **study)
    assert len(again) == 3 * len(told) and len({row["method"] for row in told}) == 5
    assert all(row["same"] for row in again), again


def test_what_is_fitted_on_other_rows_is_computed_again_on_many_rows_too() -> None:
    table = visits(20_050)
    study: dict[str, Any] = {
        "treatment": "promo",
        "outcome": "spend",
        "adjustment": ("age",),
        "modifiers": ("age",),
    }
    told = [
        {k: v for k, v in row.items() if k != "group"}
        for method in ("AIPW", "DML", "causal_forest")
        for row in estimates(table, method, **study)
        if not row["group"]
    ]
    again = run_again(table, estimates=told, **study)
    assert len(again) == 3 * len(told) == 18
    assert all(row["same"] for row in again), again
