"""Traces tell each action: what an agent had before it, what it called, and how long that took."""

from __future__ import annotations

from typing import Any

from services.planner.domain.calls import Frame, Observation, ObservationStatus, ToolCall
from services.planner.domain.causal.contracts import ORCHESTRATOR
from services.planner.domain.causal.orchestrating import next_dispatch
from services.planner.domain.causal.running import Run
from services.planner.domain.causal.traces import MAX_TRACE_OUTPUT_LEN
from services.planner.domain.causal.tracing import call_traces, inputs_of, milliseconds
from tests.unit.causal.frames_of_study import BRIEF, NOW, World, begun


def made(task: str, seconds: float, **arguments: Any) -> tuple[ToolCall, Observation]:
    call = ToolCall(
        call_id="c",
        plan_id="p",
        task_id=task,
        tool_name="causal.estimate",
        arguments=arguments,
        timestamp=NOW,
    )
    frame = Frame(name="f", schema_base64="", rows=2, columns=1, bytes=1, digest="d" * 64)
    seen = Observation(
        observation_id="o",
        call_id="c",
        status=ObservationStatus.SUCCESS,
        frame=frame,
        summary="2 of 2 stand",
        execution_time_seconds=seconds,
        timestamp=NOW,
    )
    return call, seen


def test_each_call_is_an_action_with_its_arguments_and_its_time() -> None:
    calls = [made("effect_ols", 1.2345, method="OLS"), made("effect_ipw", 0.0001, method="IPW")]
    first, second = call_traces("effect_estimator", calls, NOW)
    assert (first.action, first.inputs, first.duration_ms) == (
        "call effect_ols",
        {"method": "OLS"},
        1235,
    )
    assert first.outputs == {"status": "success", "frame": "d" * 64, "rows": 2}
    assert (first.reasoning, first.tools_called) == ("2 of 2 stand", ("causal.estimate",))
    assert second.duration_ms == 1, "what was done took some time"


def test_a_state_keeps_long_arguments_shortened() -> None:
    (trace,) = call_traces("effect_estimator", [made("x", 1.0, text="a" * 5_000)], NOW)
    kept = begun().add_trace(trace).agent_traces[-1]
    assert len(kept.inputs["text"]) == MAX_TRACE_OUTPUT_LEN


def test_agents_and_the_orchestrator_say_what_they_had_before_them() -> None:
    assert inputs_of("critique", begun()) == {
        "treatment": "promo",
        "outcome": "spend",
        "iteration": 0,
        "reads": ["treatment_effects"],
    }
    dispatch = next_dispatch(Run(state=begun()), World().seen, BRIEF, NOW)
    assert dispatch is not None
    (trace,) = dispatch.patch.traces
    assert trace.agent_name == ORCHESTRATOR and trace.inputs["status"] == "pending"
    assert trace.duration_ms == milliseconds(0) == 1
