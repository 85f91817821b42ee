"""causal_discovery: graphs by several algorithms, chosen by the data, agreed on edge by edge."""

from __future__ import annotations

import json
from typing import Any

from services.planner.domain.causal.agent import Brief, Seen
from services.planner.domain.causal.agents.domain_knowledge import known_of
from services.planner.domain.causal.agreement import agreed
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.causal.status import JobStatus
from services.planner.domain.causal.tasks import call, data_task
from services.planner.domain.causal.variables import graph_columns
from services.planner.domain.plan import Subtask

PLAN, PREFIX = "discovery_plan", "discover_"
_SHARE_OF_TIME = 0.25


class CausalDiscovery:
    """Has the cost predicted, then runs the algorithms that suit and fit the time."""

    name = "causal_discovery"
    status = JobStatus.DISCOVERING_CAUSAL

    def calls(self, state: AnalysisState, seen: Seen, brief: Brief) -> tuple[Subtask, ...]:
        """The plan, then a call for each algorithm in it."""
        data = data_task(state)
        columns = graph_columns(state)
        budget = round(brief.seconds * _SHARE_OF_TIME, 1)
        if len(columns) < 2:
            return ()
        if not seen.ended(PLAN):
            treatment, outcome = state.get_primary_pair()
            arguments = {
                "input": data,
                "columns": columns,
                "seconds": budget,
                "treatment": treatment,
                "outcome": outcome,
            }
            what = "which algorithms suit, and what they cost"
            return (call(PLAN, what, "discovery_plan", arguments, data),)
        known = known_of(state, brief)
        suited = [row for row in seen.rows(PLAN) if row["suits"]]
        return tuple(
            call(
                task,
                f"a graph by {row['method']}",
                "discover",
                {
                    "input": data,
                    "method": row["method"],
                    "columns": _listed(row["columns"], columns),
                    "tiers": known.tier_of or None,
                    "forbidden": [list(pair) for pair in known.forbidden] or None,
                    "required": [list(pair) for pair in known.required] or None,
                    "bootstraps": int(row["bootstraps"]),
                    "seconds": round(budget / len(suited), 1),
                    "seed": brief.seed,
                },
                data,
                PLAN,
                seconds=float(row["predicted_seconds"]),
            )
            for row in suited
            if not seen.ended(task := PREFIX + str(row["method"]).lower())
        )

    def writes(self, state: AnalysisState, seen: Seen, brief: Brief) -> tuple[dict[str, Any], str]:
        """The edges that algorithms agree on, weighed by how stable each is."""
        methods = {
            str(row["method"]): seen.rows(PREFIX + str(row["method"]).lower())
            for row in seen.rows(PLAN)
            if row["suits"] and PREFIX + str(row["method"]).lower() in seen.tables
        }
        treatment, outcome = state.get_primary_pair()
        graph = agreed(methods, graph_columns(state), treatment, outcome)
        left_out = [f"{r['method']}: {r['reason']}" for r in seen.rows(PLAN) if not r["suits"]]
        text = graph.interpretation + (f" Left out: {'; '.join(left_out)}." if left_out else "")
        return {"proposed_dag": graph.model_dump()}, text


def _listed(value: Any, otherwise: list[str]) -> list[str]:
    listed = json.loads(value) if isinstance(value, str) and value else value
    return list(listed) if listed else otherwise
