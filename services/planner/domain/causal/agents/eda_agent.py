"""eda_agent: correlations, distributions, outliers, collinearity, balance, quality (EDAResult)."""

from __future__ import annotations

import json
from typing import Any

from services.planner.domain.causal.agent import Brief, Row, Seen, file_name
from services.planner.domain.causal.data_models import EDAResult
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.causal.status import JobStatus
from services.planner.domain.causal.tasks import call, data_task
from services.planner.domain.plan import Subtask

EXPLORED = "explored"


class ExploratoryAnalysis:
    """Reads `causal.explore`."""

    name = "eda_agent"
    status = JobStatus.EXPLORATORY_ANALYSIS

    def calls(self, state: AnalysisState, seen: Seen, brief: Brief) -> tuple[Subtask, ...]:
        """One exploration, with plots."""
        if seen.ended(EXPLORED):
            return ()
        data = data_task(state)
        treatment, outcome = state.get_primary_pair()
        arguments = {"input": data, "treatment": treatment, "outcome": outcome}
        return (call(EXPLORED, "distributions and associations", "explore", arguments, data),)

    def writes(self, state: AnalysisState, seen: Seen, brief: Brief) -> tuple[dict[str, Any], str]:
        """All of EDAResult."""
        found = explored_of(seen.rows(EXPLORED))
        plots = {
            file_name(artifact).rsplit(".", 1)[0]: artifact.content_ref
            for artifact in seen.files.get(EXPLORED, ())
        }
        result = found.model_copy(update={"plot_paths": plots})
        failed = seen.failed.get(EXPLORED)
        text = f"not explored: {failed}" if failed else result.balance_summary
        return {"eda_result": result.model_dump()}, text or "no treatment to compare groups by"


def explored_of(rows: list[Row]) -> EDAResult:
    """What the long frame of `causal.explore` says, as the specification lays it out."""
    by: dict[str, list[Row]] = {}
    for row in rows:
        by.setdefault(row["section"], []).append(row)
    quality = by.get("quality", [])
    balance = [row for row in by.get("balance", []) if row["name"]]
    return EDAResult(
        correlation_matrix=_nested(by.get("correlation", []), key="other"),
        high_correlations=tuple(
            {"first": r["name"], "second": r["other"], "correlation": r["value"]}
            for r in by.get("high_correlation", [])
        ),
        distribution_stats=_nested(by.get("distribution", [])),
        outliers={
            name: {**values, **_details(by.get("outliers", []), name)}
            for name, values in _nested(by.get("outliers", [])).items()
        },
        vif_scores={r["name"]: r["value"] for r in by.get("vif", []) if r["value"] is not None},
        multicollinearity_warnings=tuple(r["text"] for r in by.get("vif", []) if r["text"]),
        covariate_balance=_nested(balance),
        balance_summary=_text(by.get("balance", [])),
        data_quality_score=next((r["value"] for r in quality if r["statistic"] == "score"), 0.0),
        data_quality_issues=tuple(r["text"] for r in quality if r["text"]),
        summary_table=_nested(by.get("summary", [])),
    )


def _nested(rows: list[Row], key: str = "statistic") -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        if row["name"] and row[key] and row["value"] is not None:
            found.setdefault(row["name"], {})[row[key]] = row["value"]
    return found


def _details(rows: list[Row], name: str) -> dict[str, Any]:
    """What a row tells beside its number, such as which rows lie outside, as JSON in its text."""
    values: dict[str, Any] = {}
    for row in rows:
        if row["name"] == name and (row["text"] or "").startswith("{"):
            values.update(json.loads(row["text"]))
    return values


def _text(rows: list[Row]) -> str:
    return next((row["text"] for row in rows if not row["name"] and row["text"]), "")
