"""The calls of a causal job: their names, and how they are asked for."""

from __future__ import annotations

from typing import Any

from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.plan import Subtask

DATA, PROFILE, REPAIRS, REPAIRED = "data", "profile", "repairs", "repaired"
NOTEBOOK = "notebook"


def call(
    task_id: str,
    description: str,
    tool: str,
    arguments: dict[str, Any],
    *after: str,
    seconds: float = 1.0,
) -> Subtask:
    """A call of a causal tool; arguments that are None are left out."""
    return Subtask(
        task_id=task_id[:63],
        description=description[:200],
        tool_name=f"causal.{tool}",
        arguments={name: value for name, value in arguments.items() if value is not None},
        dependencies=after,
        estimated_cost_seconds=seconds,
    )


def data_task(state: AnalysisState) -> str:
    """The step whose frame agents work on: the repaired data, or as loaded where none were."""
    return REPAIRED if any(repair.get("applied") for repair in state.data_repairs) else DATA


def in_round(state: AnalysisState, name: str) -> str:
    """The name of a task in this round of the critique loop."""
    return f"r{state.iteration_count}_{name}".lower()
