"""What an agent did, action by action: each call of a tool, and then its own judgement."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from services.planner.domain.calls import Observation, ToolCall
from services.planner.domain.causal.agent import trace_of
from services.planner.domain.causal.contracts import ORCHESTRATOR, REQUIRED
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.causal.traces import AgentTrace


def milliseconds(seconds: float) -> int:
    """Whole milliseconds, one at least: nothing that was done took no time."""
    return max(1, math.ceil(seconds * 1000))


def inputs_of(agent: str, state: AnalysisState) -> dict[str, Any]:
    """What an agent had before it: the question, the round, and the fields that it requires; of the
    orchestrator where the job was."""
    treatment, outcome = state.get_primary_pair()
    found: dict[str, Any] = {"iteration": state.iteration_count}
    if agent == ORCHESTRATOR:
        return {**found, "status": state.status.value}
    return {"treatment": treatment, "outcome": outcome, **found, "reads": sorted(REQUIRED[agent])}


def call_traces(
    agent: str, calls: Sequence[tuple[ToolCall, Observation]], now: datetime
) -> tuple[AgentTrace, ...]:
    """A trace for each call that an agent asked for: its arguments, what came back, and how long
    the tool took."""
    return tuple(
        trace_of(
            agent,
            f"call {call.task_id}",
            seen.summary or seen.error_message or "",
            now,
            inputs=dict(call.arguments),
            outputs=_given(seen),
            tools_called=(call.tool_name,),
            duration_ms=milliseconds(seen.execution_time_seconds),
        )
        for call, seen in calls
    )


def _given(seen: Observation) -> dict[str, Any]:
    """What a call gave, by name: no rows and no content."""
    found: dict[str, Any] = {"status": seen.status.value}
    if seen.frame is not None:
        found |= {"frame": seen.frame.digest, "rows": seen.frame.rows}
    if seen.artifacts:
        found["files"] = [artifact.content_ref for artifact in seen.artifacts]
    return found
