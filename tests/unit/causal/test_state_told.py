"""The state of a causal job as it is told: in every state of the job by drawn moves, and cancelled
from wherever it was."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise

import pytest

from services.planner.domain.causal.patching import Patch
from services.planner.domain.causal.request import CausalRequest
from services.planner.domain.causal.running import BEGUN, DISPATCHED, Dispatch
from services.planner.domain.causal.status import TRANSITIONS, JobStatus
from services.planner.domain.data_source import DataSource
from services.planner.domain.decision import Decision
from services.planner.domain.failure import Failure
from services.planner.domain.jobs.causal_standing import before_sources, states_to
from services.planner.domain.jobs.job import Job, JobState

NOW = datetime(2026, 1, 5, tzinfo=UTC)
_S = JobStatus
WAY = (
    _S.FETCHING_DATA,
    _S.PROFILING,
    _S.EXPLORATORY_ANALYSIS,
    _S.DISCOVERING_CAUSAL,
    _S.ESTIMATING_EFFECTS,
    _S.SENSITIVITY_ANALYSIS,
    _S.CRITIQUE_REVIEW,
    _S.ITERATING,
    _S.ESTIMATING_EFFECTS,
    _S.SENSITIVITY_ANALYSIS,
    _S.CRITIQUE_REVIEW,
    _S.GENERATING_NOTEBOOK,
)
REQUEST = CausalRequest(
    request_id="a" * 32,
    data_sources=(DataSource(file_path="/data/visits.csv"),),
    timestamp=NOW,
    treatment="promo",
    outcome="spend",
)


def job(state: JobState, failure: Failure | None = None) -> Job:
    return Job(
        job_id="a" * 32,
        tenant="ann",
        state=state,
        request=REQUEST,
        failure=failure,
        created_at=NOW,
        updated_at=NOW,
    )


def decided(way: tuple[JobStatus, ...]) -> list[Decision]:
    """A job that was begun and went that way, one dispatch a status."""
    begun = before_sources(REQUEST, "a" * 32).moved(_S.FETCHING_DATA, NOW)
    made = [_decision("begin", BEGUN, begun.model_dump(mode="json"))]
    for number, status in enumerate(way):
        patch = Patch(agent="orchestrator", statuses=(status,), made_at=NOW)
        dispatch = Dispatch(agents=("critique",), reason="", patch=patch)
        made.append(_decision(str(number), DISPATCHED, dispatch.model_dump(mode="json")))
    return made


def _decision(name: str, kind: str, what: dict[str, object]) -> Decision:
    return Decision.model_validate(
        {
            "decision_id": name,
            "job_id": "a" * 32,
            "kind": kind,
            "reasoner": "rules",
            "reason": "",
            "given": {},
            "decided": what,
            "timestamp": NOW,
        }
    )


def check(states: list[object], decisions: list[Decision]) -> None:
    statuses = [one.status for one in states]  # type: ignore[attr-defined]
    for before, after in pairwise(statuses):
        drawn = before is after or after in TRANSITIONS[before]
        undrawn = after is _S.CANCELLED and _S.CANCELLING not in TRANSITIONS[before]
        assert drawn or undrawn, (before, after)
    percents = [one.progress_percentage for one in states]  # type: ignore[attr-defined]
    assert percents == sorted(percents)


@pytest.mark.parametrize("reached", range(len(WAY) + 1))
@pytest.mark.parametrize("state", [JobState.EXECUTING, JobState.FAILED, JobState.CANCELLED])
@pytest.mark.parametrize("stopping", [False, True])
def test_wherever_a_job_is_its_state_is_told_by_drawn_moves(
    reached: int, state: JobState, stopping: bool
) -> None:
    failure = Failure(reason="TIMEOUT", message="stopped after 900 s")
    decisions = decided(WAY[:reached])

    states = states_to(job(state, failure), decisions, stopping=stopping)

    check(list(states), decisions)
    last = states[-1]
    if state is JobState.FAILED:
        assert last.status is _S.FAILED
        assert (last.error_message, last.error_agent) == (
            "stopped after 900 s",
            "critique" if reached else "orchestrator",
        )
    elif state is JobState.CANCELLED:
        assert last.error_message == "Cancelled by user"
        assert last.status is _S.CANCELLED
    elif stopping and _S.CANCELLING in TRANSITIONS[WAY[max(reached - 1, 0)]]:
        assert last.status is _S.CANCELLING
    elif not reached:
        assert last.status is _S.FETCHING_DATA
    else:
        assert last.status is WAY[reached - 1]


def test_a_job_that_waits_for_its_turn_is_pending_and_says_what_it_was_asked() -> None:
    [state] = states_to(job(JobState.SUBMITTED), ())

    assert (state.status, state.progress_percentage) == (_S.PENDING, 0.0)
    info = state.dataset_info
    assert (state.treatment_variable, info.name, info.url) == (
        "promo",
        "visits.csv",
        "/data/visits.csv",
    )


@pytest.mark.parametrize(
    "source, name, url",
    [
        (DataSource(file_path="/data/visits.csv", name="visits"), "visits", "/data/visits.csv"),
        (
            DataSource(connection_string="postgresql://ann:secret@db:5432/shop?password=secret"),
            "shop",
            "postgresql://db:5432/shop",
        ),
        (DataSource(file_id="f" * 32), "ffffffff", "ffffffff"),
    ],
)
def test_a_dataset_has_a_name_and_an_address_without_secrets(
    source: DataSource, name: str, url: str
) -> None:
    asked = REQUEST.model_copy(update={"data_sources": (source,)})
    info = before_sources(asked, "a" * 32).dataset_info
    assert (info.name, info.url) == (name, url)


def test_a_job_that_is_stopped_before_it_began_is_cancelled_at_once() -> None:
    states = states_to(job(JobState.CANCELLED), ())

    assert [one.status for one in states] == [_S.PENDING, _S.CANCELLED]


def test_a_job_that_waited_in_vain_failed_by_the_drawn_way() -> None:
    failure = Failure(reason="QUEUE_FULL", message="it waited too long")
    states = states_to(job(JobState.FAILED, failure), ())

    assert [one.status for one in states] == [_S.PENDING, _S.FETCHING_DATA, _S.FAILED]
