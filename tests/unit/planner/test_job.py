"""A job never goes back, and nothing follows an end."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from mesh.errors import AssayError
from services.planner.domain.calls import Observation, ObservationStatus
from services.planner.domain.data_source import DataSource
from services.planner.domain.jobs.job import PLANNER_STATUS, TRANSITIONS, Job, JobState, progress_of
from services.planner.domain.question import AnalysisRequest
from services.planner.domain.request import Constraints
from services.planner.domain.step import WORKER_STATUS, Step, StepState

NOW = datetime(2026, 1, 2, tzinfo=UTC)
REQUEST = AnalysisRequest(
    request_id="0" * 32,
    intent="how many orders?",
    data_sources=(DataSource(file_path="orders.csv"),),
    timestamp=NOW,
)


def job(state: JobState) -> Job:
    return Job(
        job_id="0" * 32, tenant="t", state=state, request=REQUEST, created_at=NOW, updated_at=NOW
    )


def test_every_state_maps_onto_the_statuses_of_seed_004() -> None:
    assert set(PLANNER_STATUS) == set(JobState)
    assert set(PLANNER_STATUS.values()) <= {"planning", "executing", "completed", "failed"}
    assert set(WORKER_STATUS) == set(StepState)


def test_no_state_can_be_reached_again() -> None:
    def reachable(state: JobState, seen: frozenset[JobState] = frozenset()) -> set[JobState]:
        found = set(TRANSITIONS[state]) - seen
        return found | {s for n in found for s in reachable(n, seen | found)}

    forward = {s for s in JobState if s not in (JobState.PLANNING, JobState.WAITING)}
    assert all(state not in reachable(state) for state in forward)


@pytest.mark.parametrize("state", [s for s in JobState if s.final])
def test_an_ended_job_refuses_everything(state: JobState) -> None:
    with pytest.raises(AssayError) as caught:
        job(state).check_transition(JobState.PLANNING)
    assert caught.value.reason.code == "JOB_FINISHED"


def test_a_wrong_move_is_a_fault_of_ours() -> None:
    with pytest.raises(ValueError, match="submitted job cannot become completed"):
        job(JobState.SUBMITTED).check_transition(JobState.COMPLETED)


def test_progress_grows_with_every_step_that_ends() -> None:
    steps = [Step(task_id=f"s{i}", description="", tool_name="sql.run") for i in range(4)]
    early = (JobState.SUBMITTED, JobState.PLANNING)
    seen = [progress_of("analysis", state, []) for state in early]
    for count in range(5):
        done = [s.model_copy(update={"state": StepState.DONE}) for s in steps[:count]]
        seen.append(progress_of("analysis", JobState.EXECUTING, done + steps[count:]))
    seen.append(progress_of("analysis", JobState.COMPLETED, steps))
    assert seen == sorted(seen)
    assert (seen[0], seen[-1]) == (0, 100)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"intent": "  "}, "QUESTION_EMPTY"),
        ({"intent": "x" * 2001}, "QUESTION_TOO_LONG"),
        ({"data_sources": ()}, "NO_DATA_SOURCES"),
        ({"constraints": Constraints(row_limit=0)}, "LIMIT_OUT_OF_RANGE"),
        ({"constraints": Constraints(row_limit=200_001)}, "LIMIT_OUT_OF_RANGE"),
        ({"constraints": Constraints(timeout_seconds=181)}, "LIMIT_OUT_OF_RANGE"),
    ],
)
def test_a_request_that_cannot_be_a_job_says_why(change: dict[str, object], reason: str) -> None:
    with pytest.raises(AssayError) as caught:
        REQUEST.model_copy(update=change).validated()
    assert caught.value.reason.code == reason
    assert caught.value.fields


def test_two_thousand_characters_are_allowed() -> None:
    assert REQUEST.model_copy(update={"intent": "x" * 2000}).validated()


def test_a_failed_observation_must_say_what_failed() -> None:
    with pytest.raises(ValueError, match="error_message and error_category"):
        Observation(
            observation_id="a",
            call_id="b",
            status=ObservationStatus.ERROR,
            execution_time_seconds=0.1,
            timestamp=NOW,
        )


def test_a_successful_observation_must_hold_something() -> None:
    with pytest.raises(ValueError, match="needs a frame or a file"):
        Observation(
            observation_id="a",
            call_id="b",
            status=ObservationStatus.SUCCESS,
            execution_time_seconds=0.1,
            timestamp=NOW,
        )
