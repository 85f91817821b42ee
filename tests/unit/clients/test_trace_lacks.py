"""A trace that is not whole says whose spans lack: no part of it passes for all."""

from __future__ import annotations

import pytest

from assay.common.v1.job_pb2 import Job, JobState, Step, StepState
from assay.gateway.v1.job_service_pb2 import Span
from clients.python.cli.trace import not_here

DONE = Step(task_id="load", state=StepState.STEP_STATE_DONE)
ENDED = Job(state=JobState.JOB_STATE_COMPLETED, steps=[DONE])
EXECUTE = "assay.executor.v1.ExecutorService/Execute"
CREATE = "assay.planner.v1.PlannerService/CreateJob"


def span(number: int, parent: int, service: str, name: str, error: str = "") -> Span:
    return Span(
        span_id=f"{number:016x}",
        parent_span_id=f"{parent:016x}" if parent else "",
        service=service,
        name=name,
        error=error,
    )


GATEWAY = [
    span(2, 1, "gateway", "assay.gateway.v1.JobService/CreateJob"),
    span(3, 2, "gateway", CREATE),
]
PLANNER = [
    span(4, 3, "planner", CREATE),
    span(5, 4, "planner", "analysis"),
    span(6, 5, "planner", "step load"),
    span(7, 6, "planner", EXECUTE),
]
FETCHED = "arrow.flight.protocol.FlightService/DoGet"
EXECUTOR = [span(8, 7, "executor", EXECUTE), span(9, 8, "executor", "tool sql.run")]


@pytest.mark.parametrize(
    ("spans", "lacking"),
    [
        ([*GATEWAY, *PLANNER, *EXECUTOR], []),
        (GATEWAY, ["planner"]),
        ([*GATEWAY, *PLANNER], ["executor"]),
        ([*GATEWAY, *EXECUTOR], ["planner", "callers of executor"]),
        (PLANNER, ["executor", "callers of planner"]),
        ([*GATEWAY, *PLANNER, *EXECUTOR, span(10, 5, "planner", FETCHED)], ["executor"]),
    ],
    ids=[
        "whole",
        "the gateway's machine",
        "no executor",
        "no planner",
        "the planner's machine",
        "no executor of a frame",
    ],
)
def test_whose_spans_lack_is_told(spans: list[Span], lacking: list[str]) -> None:
    assert not_here(ENDED, spans) == lacking


def test_steps_without_a_span_of_a_planners_work_lack_it() -> None:
    """Another planner took the job up: what it did is a trace of its own."""
    assert not_here(ENDED, [*GATEWAY, PLANNER[0]]) == ["planner"]
    refused = Job(state=JobState.JOB_STATE_FAILED)
    assert not_here(refused, [*GATEWAY, PLANNER[0]]) == []


def test_a_call_that_failed_lacks_nothing() -> None:
    unanswered = span(7, 6, "planner", EXECUTE, "SERVICE_UNAVAILABLE")
    assert not_here(ENDED, [*GATEWAY, *PLANNER[:-1], unanswered]) == []


def test_a_job_that_runs_lacks_nothing_yet() -> None:
    assert not_here(Job(state=JobState.JOB_STATE_EXECUTING, steps=[DONE]), GATEWAY) == []
