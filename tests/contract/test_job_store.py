"""Jobs in tables: the same behaviour on SQLite and on PostgreSQL."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from mesh.clock import HeldClock
from mesh.errors import AssayError
from mesh.ids import new_id
from mesh.storage.database import open_database
from services.planner.adapters.job_store import SqlJobStore
from services.planner.domain.answer import Answer
from services.planner.domain.calls import Observation, ObservationStatus, ToolCall
from services.planner.domain.decision import Decision
from services.planner.domain.jobs.job import JobFilter, JobState
from services.planner.domain.jobs.lease import LeaseLostError
from services.planner.domain.lesson import Lesson
from services.planner.domain.request import JobKind
from services.planner.domain.step import StepState
from tests.contract.jobs import (
    FIRST,
    MIGRATIONS,
    NOW,
    SECOND,
    created,
    executing,
    new_job,
    planned,
)
from tests.migrated import migrated


@pytest.fixture(params=["sqlite", "postgresql"])
async def store(request: pytest.FixtureRequest) -> AsyncIterator[SqlJobStore]:
    clock = HeldClock(NOW)
    url = migrated(request, MIGRATIONS)
    database = await asyncio.to_thread(open_database, url, MIGRATIONS)
    yield SqlJobStore(database, clock)
    await database.close()


def tool_call() -> ToolCall:
    return ToolCall(
        call_id=new_id(),
        plan_id="d" * 32,
        task_id="load",
        tool_name="sql.run",
        arguments={},
        timestamp=NOW,
    )


def failed_observation(call: ToolCall) -> Observation:
    return Observation(
        observation_id=new_id(),
        call_id=call.call_id,
        status=ObservationStatus.ERROR,
        error_message="no such column",
        error_category="missing_column",
        execution_time_seconds=0.5,
        timestamp=NOW,
    )


def decision(job_id: str) -> Decision:
    return Decision(
        decision_id=new_id(),
        job_id=job_id,
        kind="repair",
        reasoner="rules",
        reason="renamed",
        given={},
        decided={},
        timestamp=NOW,
    )


async def test_what_is_stored_comes_back_equal(store: SqlJobStore) -> None:
    job, _ = await executing(store)
    assert await store.get("ann", job.job_id) == job


async def test_creating_a_job_many_times_at_once_makes_it_once(store: SqlJobStore) -> None:
    job = new_job()
    made = await asyncio.gather(*(store.create(job, h) for h in (FIRST, SECOND) * 4))
    assert all(stored == made[0][0] for stored, _ in made)
    assert sum(lease is not None for _, lease in made) == 1, "one planner has it"
    assert len(await store.events(job.job_id, 0)) == 1


async def test_another_tenant_s_job_does_not_exist(store: SqlJobStore) -> None:
    job, _ = await created(store, new_job("ann"))
    with pytest.raises(AssayError) as caught:
        await store.get("bob", job.job_id)
    assert caught.value.reason.code == "NOT_FOUND"
    with pytest.raises(AssayError):
        await store.create(job.model_copy(update={"tenant": "bob"}), SECOND)


async def test_a_job_is_known_by_its_whole_id_alone(store: SqlJobStore) -> None:
    job, _ = await created(store)
    with pytest.raises(AssayError, match="NOT_FOUND"):
        await store.get("ann", job.job_id[:8])


async def test_events_are_numbered_without_gaps_and_can_be_resumed(store: SqlJobStore) -> None:
    job, lease = await created(store)
    job = await store.under(lease).save(
        job.model_copy(update={"state": JobState.PLANNING}),
        [("understood", {"text": "x"}), ("state", {"state": "planning"})],
    )
    events = await store.events(job.job_id, 0)
    assert [event.sequence for event in events] == [1, 2, 3]
    assert [event.sequence for event in await store.events(job.job_id, 2)] == [3]


async def test_an_ended_job_cannot_be_moved(store: SqlJobStore) -> None:
    job, writer = await executing(store)
    done = await writer.save(
        job.model_copy(update={"state": JobState.COMPLETED, "answer": Answer()})
    )
    with pytest.raises(LeaseLostError):
        await writer.save(done.model_copy(update={"state": JobState.FAILED}))
    assert (await store.get("ann", job.job_id)).state is JobState.COMPLETED


async def test_a_step_moves_with_its_call_and_observation(store: SqlJobStore) -> None:
    job, writer = await executing(store)
    call = tool_call()
    step = job.steps[0].model_copy(update={"state": StepState.RUNNING, "attempt": 1})
    await writer.save_step(job, step, call=call)
    assert await store.observations(job.job_id) == [(call, None)]
    observation, repair = failed_observation(call), decision(job.job_id)
    repairing = step.model_copy(update={"state": StepState.REPAIRING})
    stored = await writer.save_step(job, repairing, call, observation, repair)
    assert stored.steps[0].state is StepState.REPAIRING
    assert await store.observations(job.job_id) == [(call, observation)]
    assert await store.decisions(job.job_id) == [repair]


async def test_progress_never_goes_back(store: SqlJobStore) -> None:
    job, writer = await executing(store)
    done = job.steps[0].model_copy(update={"state": StepState.DONE})
    high = (await writer.save_step(job, done)).progress
    again = job.steps[0].model_copy(update={"state": StepState.RUNNING})
    assert (await writer.save_step(job, again)).progress >= high


async def test_jobs_are_listed_newest_first_a_page_at_a_time(store: SqlJobStore) -> None:
    made = [(await created(store, new_job(minutes=i)))[0] for i in range(3)]
    await created(store, new_job("bob", minutes=9))
    page, token = await store.page("ann", JobFilter(), 2, "")
    rest, end = await store.page("ann", JobFilter(), 2, token)
    assert [j.job_id for j in page + rest] == [j.job_id for j in reversed(made)]
    assert end == ""
    for junk in ("junk", "2", token + "x", "☃", "A" * 5_000):
        with pytest.raises(AssayError, match="page token"):
            await store.page("ann", JobFilter(), 2, junk)
    with pytest.raises(AssayError, match="page token"):  # another filter's
        await store.page("ann", JobFilter(session_id="0" * 32), 2, token)


@pytest.mark.parametrize(
    "wanted", [{}, {"kind": JobKind.ANALYSIS}, {"states": (JobState.PLANNING, JobState.SUBMITTED)}]
)
async def test_every_filter_lists_newest_first_over_all_pages(
    store: SqlJobStore, wanted: dict[str, Any]
) -> None:
    made = []
    for minute in range(5):
        job, lease = await created(store, new_job(minutes=minute))
        if minute % 2:
            await store.under(lease).save(job.model_copy(update={"state": JobState.PLANNING}))
        made.append(job.job_id)
    listed, token = [], ""
    while True:
        page, token = await store.page("ann", JobFilter(**wanted), 2, token)
        listed += [job.job_id for job in page]
        if not token:
            break
    assert listed == made[::-1]


async def test_jobs_are_chosen_by_session_kind_and_state_and_counted(store: SqlJobStore) -> None:
    session = "5" * 32
    plain, _ = await created(store, new_job())
    inside, _ = await created(store, new_job().model_copy(update={"session_id": session}))
    other, _ = await created(store, new_job("bob").model_copy(update={"session_id": session}))

    async def found(**wanted: Any) -> set[str]:
        page, _ = await store.page("ann", JobFilter(**wanted), 10, "")
        return {job.job_id for job in page}

    assert await found() == {plain.job_id, inside.job_id}
    assert await found(session_id=session) == {inside.job_id}
    assert await found(kind=JobKind.ANALYSIS) == {plain.job_id, inside.job_id}
    assert await found(kind=JobKind.CAUSAL) == set()
    assert await found(states=(JobState.FAILED,)) == set()
    assert await found(kind=JobKind.ANALYSIS, states=(JobState.FAILED,)) == set()
    assert await found(states=(JobState.FAILED, JobState.SUBMITTED)) == {
        plain.job_id,
        inside.job_id,
    }
    assert await found(session_id=session, kind=JobKind.CAUSAL) == set()
    assert await found(session_id=session, states=(JobState.SUBMITTED,)) == {inside.job_id}
    [count] = await store.counts("ann", [session, "6" * 32])
    assert (count.session_id, count.state, count.count) == (session, JobState.SUBMITTED, 1)
    assert (await store.get("bob", other.job_id)).session_id == session


async def test_steps_that_move_at_once_are_numbered_one_after_the_other(
    store: SqlJobStore,
) -> None:
    tasks = [f"t{number}" for number in range(6)]
    job, writer = await executing(store, tasks)
    moved = [step.model_copy(update={"state": StepState.RUNNING}) for step in job.steps]
    await asyncio.gather(*(writer.save_step(job, step) for step in moved))
    events = await store.events(job.job_id, 0)
    assert [event.sequence for event in events] == list(range(1, len(events) + 1))
    assert len(events) == 1 + len(tasks)


async def test_a_decision_stored_again_stays_the_first(store: SqlJobStore) -> None:
    job, writer = await executing(store)
    first = decision(job.job_id)
    await writer.save(job, decisions=[first])
    await writer.save(job, decisions=[first.model_copy(update={"reason": "another"})])
    assert await store.decisions(job.job_id) == [first]


async def test_what_came_back_is_stored_before_anybody_is_told(store: SqlJobStore) -> None:
    job, writer = await executing(store)
    assert job.plan is not None
    call = tool_call().model_copy(update={"plan_id": job.plan.plan_id})
    await writer.save_step(job, job.steps[0], call=call)
    told = await store.events(job.job_id, 0)
    seen = failed_observation(call)
    await writer.keep_observation(job, call, seen)
    assert await store.observations(job.job_id) == [(call, seen)]
    assert await store.events(job.job_id, 0) == told
    await writer.keep_observation(job, call, seen.model_copy(update={"observation_id": new_id()}))
    assert await store.observations(job.job_id) == [(call, seen)], "the first stays"


async def test_a_lesson_is_kept_once_a_job_until_it_is_told(store: SqlJobStore) -> None:
    job, _ = await executing(store)
    for document in ("first", "last"):
        await store.keep_lesson(Lesson(job_id=job.job_id, document=document))
    assert await store.kept_lessons() == [("ann", Lesson(job_id=job.job_id, document="last"))]
    for _ in range(2):
        await store.forget_lesson(job.job_id)
    assert await store.kept_lessons() == []


async def test_steps_of_an_abandoned_plan_are_not_those_of_the_next(store: SqlJobStore) -> None:
    job, writer = await executing(store, ("load", "chart"))
    for step in job.steps:
        await writer.save_step(job, step.model_copy(update={"state": StepState.FAILED}))
    job = await writer.save(planned(job, ("load",)))
    assert [(s.task_id, s.state) for s in job.steps] == [("load", StepState.WAITING)]
    done = job.steps[0].model_copy(update={"state": StepState.DONE})
    job = await writer.save_step(job, done)
    assert [(s.task_id, s.state) for s in job.steps] == [("load", StepState.DONE)]
