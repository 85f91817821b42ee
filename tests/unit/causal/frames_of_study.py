"""A study as its tools would tell it: frames of every call, for agents to judge."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa

from services.planner.domain.causal.agent import Brief, Seen
from services.planner.domain.causal.agents.registry import AGENTS
from services.planner.domain.causal.contracts import ORCHESTRATOR
from services.planner.domain.causal.data_models import DatasetInfo
from services.planner.domain.causal.orchestrating import next_dispatch
from services.planner.domain.causal.patching import Patch, merged
from services.planner.domain.causal.running import Run
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.plan import Subtask
from services.planner.domain.reporting.evidence import EvidenceTable

NOW = datetime(2026, 1, 5, tzinfo=UTC)
BRIEF = Brief(relation='SELECT * FROM "visits"')
COLUMNS = ("age", "income", "promo", "spend")


def begun(**known: Any) -> AnalysisState:
    """A job that has not started."""
    given = {"treatment_variable": "promo", "outcome_variable": "spend", **known}
    return AnalysisState.created("a" * 32, DatasetInfo(url="visits.csv"), NOW, **given)


def profile_row(column: str, kind: str = "numeric", **more: Any) -> dict[str, Any]:
    """A row of causal.profile."""
    return {
        "column": column,
        "type": kind,
        "usable": True,
        "why_not": "",
        "rows": 1000,
        "missing": 0,
        "distinct": 2 if kind == "binary" else 900,
        "mean": 1.0,
        "std": 1.0,
        "min": 0.0,
        "max": 3.0,
        "values": json.dumps({"0": 500, "1": 500}) if kind == "binary" else "{}",
        "treatment_score": 0.0,
        "outcome_score": 0.0,
        "confounder_score": 0.9,
        "instrument_score": 0.0,
        "is_time": False,
        "post_treatment": False,
        "discontinuity": None,
        "reason": "",
        "units": None,
        "treated_as_a_whole": False,
        **more,
    }


def estimate_row(method: str, estimate: float, error: float = 0.2, **more: Any) -> dict[str, Any]:
    """A row of causal.estimate."""
    return {
        "method": method,
        "estimand": "ATE",
        "group": "",
        "estimate": estimate,
        "std_error": error,
        "ci_lower": estimate - 1.96 * error,
        "ci_upper": estimate + 1.96 * error,
        "p_value": 0.001,
        "rows": 1000,
        "status": "ok",
        "reason": "",
        "assumptions": json.dumps([{"name": "overlap", "passed": True, "text": "groups overlap"}]),
        "details": "{}",
        **more,
    }


def edge_row(source: str, target: str, kind: str = "directed", **more: Any) -> dict[str, Any]:
    """A row of causal.discover."""
    return {
        "source": source,
        "target": target,
        "edge_type": kind,
        "confidence": 0.9,
        "skeleton_stability": 0.95,
        "direction_stability": 0.9,
        "note": "",
        **more,
    }


class World:
    """Answers calls: `told` are rows by tool, or by method of a tool ("estimate:AIPW")."""

    def __init__(self, told: Mapping[str, list[dict[str, Any]]] | None = None) -> None:
        self.told = {**usual(), **(told or {})}
        self.calls: list[Subtask] = []
        self._tables: dict[str, EvidenceTable] = {}
        self._failed: dict[str, str] = {}

    @property
    def seen(self) -> Seen:
        """What was given so far."""
        frames = {name: f"frame-of-{name}" for name in self._tables}
        return Seen(tables=self._tables, frames=frames, failed=self._failed)

    def run(self, task: Subtask) -> None:
        """Answer one call; what nothing is told of fails."""
        self.calls.append(task)
        tool = task.tool_name.removeprefix("causal.")
        method = task.arguments.get("method") or task.arguments.get("kind") or ""
        rows = self.told.get(f"{task.task_id}", self.told.get(f"{tool}:{method}"))
        rows = self.told.get(tool) if rows is None else rows
        if rows is None:
            self._failed[task.task_id] = f"nothing is told of {tool} {method}"
            return
        table = pa.Table.from_pylist(rows or [{"_row": 0}])
        self._tables[task.task_id] = EvidenceTable(task.task_id, "c" * 32, task.task_id, table)


def usual() -> dict[str, list[dict[str, Any]]]:
    """Promo raises spend by 4; age and income confound; the plain comparison says 9.7."""
    test = {"robustness_value": 1.5, "passes": True, "interpretation": "It holds.", "details": "{}"}
    return {
        "load": [{"_row": 0}],
        "profile": [
            profile_row("age"),
            profile_row("income"),
            profile_row("promo", "binary", treatment_score=0.9, confounder_score=0.0),
            profile_row("spend", outcome_score=0.9, confounder_score=0.0),
        ],
        "repairs": [
            {
                "repair_id": "rep_001",
                "column": "income",
                "kind": "outlier",
                "mechanism": "",
                "p_value": None,
                "method": "robust z",
                "rows": 3,
                "before": "{}",
                "after": "{}",
                "applied": False,
                "reason": "far out",
            }
        ],
        "explore": [
            {
                "section": "quality",
                "name": "",
                "other": "",
                "statistic": "score",
                "value": 0.95,
                "text": "",
            }
        ],
        "discovery_plan": [
            {
                "method": "PC",
                "suits": True,
                "predicted_seconds": 1.0,
                "bootstraps": 20,
                "columns": json.dumps(COLUMNS),
                "reason": "",
            }
        ],
        "discover": [
            edge_row("age", "promo"),
            edge_row("age", "spend"),
            edge_row("income", "promo"),
            edge_row("income", "spend", "undirected"),
            edge_row("promo", "spend"),
        ],
        "identify": [
            {
                "strategy": "backdoor",
                "estimand": "ATE",
                "excluded": "[]",
                "variables": json.dumps(["age", "income"]),
                "identified": True,
                "assumptions": "nothing unseen",
                "expression": "",
            }
        ],
        "confounders": [
            {"column": name, "verdict": "confounder", "reason": "moves both"}
            for name in ("age", "income")
        ],
        "overlap": [
            {
                "section": "balance",
                "name": "age",
                "statistic": "smd",
                "before": 0.5,
                "after": 0.02,
                "text": "",
            }
        ],
        "naive": [estimate_row("OLS", 9.7)],
        "estimate:OLS": [estimate_row("OLS", 4.1)],
        "estimate:IPW": [estimate_row("IPW", 4.3, 0.4)],
        "estimate:AIPW": [estimate_row("AIPW", 4.0)],
        "estimate:PSM": [estimate_row("PSM", 4.2, 0.5)],
        "estimate:stratification": [estimate_row("stratification", 4.2, 0.4)],
        "estimate:DML": [estimate_row("DML", 4.0)],
        "estimate:causal_forest": [estimate_row("causal_forest", 4.0, 0.3)],
        "calibrate": [
            {"method": name, "repetitions": 40, "bias": 0.0, "rmse": rmse, "coverage": 0.95}
            for name, rmse in (("AIPW", 0.1), ("OLS", 0.3))
        ],
        "sensitivity": [{"method": "placebo_treatment", **test}],
    }


def finished(world: World, state: AnalysisState, brief: Brief = BRIEF) -> Run:
    """The job from its first dispatch to its last, as the use case runs it."""
    run = Run(state=state)
    while (dispatch := next_dispatch(run, world.seen, brief, NOW)) is not None:
        run = run.dispatched(dispatch)
        for task in dispatch.subtasks:
            world.run(task)
        while asked := [
            call
            for name in run.waiting_for
            if name != ORCHESTRATOR
            for call in AGENTS[name].calls(run.state, world.seen, brief)
        ]:
            for task in asked:
                world.run(task)
        patches = []
        for name in run.waiting_for:
            writes = (
                {}
                if name == ORCHESTRATOR
                else AGENTS[name].writes(run.state.model_copy(deep=True), world.seen, brief)[0]
            )
            patches.append(Patch(agent=name, writes=writes, made_at=NOW))
        merged(run.state, patches)
        for patch in patches:
            run = run.patched(patch)
    return run
