"""Jobs in tables: the same behaviour on SQLite and on PostgreSQL."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mesh.clock import HeldClock
from mesh.database import open_database
from mesh.errors import AssayError
from mesh.ids import new_id
from services.planner.adapters import tables
from services.planner.adapters.job_store import SqlJobStore
from services.planner.domain.calls import Observation, ObservationStatus, ToolCall
from services.planner.domain.decision import Decision
from services.planner.domain.job import Answer, Job, JobState, Plan, Step, StepState
from services.planner.domain.plan import PlanDraft, Subtask
from services.planner.domain.request import AnalysisRequest, DataSource

MIGRATIONS = Path(tables.__file__).parent / "migrations"
NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.fixture(params=["sqlite", "postgresql"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[SqlJobStore]:
    clock = HeldClock(NOW)
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path / 'jobs.sqlite'}"
    else:
        url = request.getfixturevalue("postgres")()
    database = await asyncio.to_thread(open_database, url, MIGRATIONS)
    yield SqlJobStore(database, clock)
    await database.close()


def new_job(tenant: str = "ann", minutes: int = 0) -> Job:
    job_id = new_id()
    when = NOW + timedelta(minutes=minutes)
    request = AnalysisRequest(
        request_id=job_id,
        intent="revenue by month",
        data_sources=(DataSource(file_path="orders.csv"),),
        timestamp=when,
    )
    return Job(
        job_id=job_id,
        tenant=tenant,
        state=JobState.SUBMITTED,
        request=request,
        created_at=when,
        updated_at=when,
    )


def planned(job: Job) -> Job:
    subtask = Subtask(
        task_id="load", description="load", tool_name="sql.run", arguments={"query": "SELECT 1"}
    )
    draft = PlanDraft(subtasks=(subtask,), reasoning="because", answer_task="load")
    return job.model_copy(
        update={
            "state": JobState.EXECUTING,
            "plan": Plan(plan_id=new_id(), request_id=job.job_id, draft=draft, created_at=NOW),
            "steps": (Step(task_id="load", description="load", tool_name="sql.run"),),
        }
    )


async def executing(store: SqlJobStore) -> Job:
    job = await store.create(new_job())
    job = await store.save(job.model_copy(update={"state": JobState.PLANNING}))
    return await store.save(planned(job))


async def test_what_is_stored_comes_back_equal(store: SqlJobStore) -> None:
    job = await executing(store)
    assert await store.get("ann", job.job_id) == job
    assert await store.get("ann", job.job_id[:8]) == job


async def test_creating_a_job_twice_makes_it_once(store: SqlJobStore) -> None:
    job = new_job()
    first, second = await store.create(job), await store.create(job)
    assert first == second
    assert len(await store.events(job.job_id, 0)) == 1


async def test_another_tenant_s_job_does_not_exist(store: SqlJobStore) -> None:
    job = await store.create(new_job("ann"))
    for attempt in (job.job_id, job.job_id[:8]):
        with pytest.raises(AssayError) as caught:
            await store.get("bob", attempt)
        assert caught.value.reason.code == "NOT_FOUND"
    with pytest.raises(AssayError):
        await store.create(job.model_copy(update={"tenant": "bob"}))


async def test_a_prefix_needs_four_characters_and_one_meaning(store: SqlJobStore) -> None:
    with pytest.raises(AssayError) as caught:
        await store.get("ann", "abc")
    assert caught.value.reason.code == "INVALID_ARGUMENT"


async def test_events_are_numbered_without_gaps_and_can_be_resumed(store: SqlJobStore) -> None:
    job = await store.create(new_job())
    job = await store.save(
        job.model_copy(update={"state": JobState.PLANNING}),
        [("understood", {"text": "x"}), ("state", {"state": "planning"})],
    )
    events = await store.events(job.job_id, 0)
    assert [event.sequence for event in events] == [1, 2, 3]
    assert [event.sequence for event in await store.events(job.job_id, 2)] == [3]


async def test_an_ended_job_cannot_be_moved(store: SqlJobStore) -> None:
    job = await executing(store)
    done = await store.save(
        job.model_copy(update={"state": JobState.COMPLETED, "answer": Answer()})
    )
    with pytest.raises(AssayError) as caught:
        await store.save(done.model_copy(update={"state": JobState.FAILED}))
    assert caught.value.reason.code == "JOB_FINISHED"
    assert (await store.get("ann", job.job_id)).state is JobState.COMPLETED


async def test_a_step_moves_with_its_call_and_observation(store: SqlJobStore) -> None:
    job = await executing(store)
    call = ToolCall(
        call_id=new_id(), task_id="load", tool_name="sql.run", arguments={}, timestamp=NOW
    )
    step = job.steps[0].model_copy(update={"state": StepState.RUNNING, "attempt": 1})
    await store.save_step(job, step, call=call)
    assert await store.observations(job.job_id) == [(call, None)]
    observation = Observation(
        observation_id=new_id(),
        call_id=call.call_id,
        status=ObservationStatus.ERROR,
        error_message="no such column",
        error_category="missing_column",
        execution_time_seconds=0.5,
        timestamp=NOW,
    )
    decision = Decision(
        decision_id=new_id(),
        job_id=job.job_id,
        kind="repair",
        reasoner="rules",
        reason="renamed",
        given={},
        decided={},
        timestamp=NOW,
    )
    repairing = step.model_copy(update={"state": StepState.REPAIRING})
    stored = await store.save_step(job, repairing, call, observation, decision)
    assert stored.steps[0].state is StepState.REPAIRING
    assert await store.observations(job.job_id) == [(call, observation)]
    assert await store.decisions(job.job_id) == [decision]


async def test_progress_never_goes_back(store: SqlJobStore) -> None:
    job = await executing(store)
    done = job.steps[0].model_copy(update={"state": StepState.DONE})
    high = (await store.save_step(job, done)).progress
    again = job.steps[0].model_copy(update={"state": StepState.RUNNING})
    assert (await store.save_step(job, again)).progress >= high


async def test_jobs_are_listed_newest_first_a_page_at_a_time(store: SqlJobStore) -> None:
    made = [await store.create(new_job(minutes=i)) for i in range(3)]
    await store.create(new_job("bob", minutes=9))
    page, token = await store.page("ann", 2, "")
    rest, end = await store.page("ann", 2, token)
    assert [j.job_id for j in page + rest] == [j.job_id for j in reversed(made)]
    assert end == ""


async def test_only_live_jobs_are_taken_up_again(store: SqlJobStore) -> None:
    live = await store.create(new_job())
    ended = await store.create(new_job())
    await store.save(ended.model_copy(update={"state": JobState.CANCELLED}))
    found = await store.unfinished()
    assert ("ann", live.job_id) in found
    assert ("ann", ended.job_id) not in found
