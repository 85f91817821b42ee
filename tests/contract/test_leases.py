"""Who may work on a job: the same rules on SQLite and on PostgreSQL."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from mesh.clock import HeldClock
from mesh.errors import AssayError
from mesh.storage.database import Database, open_database
from services.planner.adapters.job_store import SqlJobStore
from services.planner.adapters.leases import SqlLeases, lease_clock
from services.planner.adapters.tables import Base, LeaseRow
from services.planner.domain.answer import Answer
from services.planner.domain.calls import Observation, ObservationStatus, ToolCall
from services.planner.domain.clarification import Clarification
from services.planner.domain.failure import Failure
from services.planner.domain.jobs.job import Job, JobState
from services.planner.domain.jobs.lease import Holder, Lease, LeaseLostError, held
from services.planner.store_ports import JobWriter
from tests.contract.jobs import FIRST, MIGRATIONS, NOW, SECOND, created, executing, new_job, planned
from tests.migrated import migrated

# A lease of no time at all has run out when the next transaction looks: PostgreSQL's clock is not
# ours to move.
FLEETING = Holder("f" * 32, 0.0)


@pytest.fixture(params=["sqlite", "postgresql"])
async def database(request: pytest.FixtureRequest) -> AsyncIterator[Database]:
    url = migrated(request, MIGRATIONS)
    opened = await asyncio.to_thread(open_database, url, MIGRATIONS)
    yield opened
    await opened.close()


@pytest.fixture
def clock() -> HeldClock:
    return HeldClock(NOW)


@pytest.fixture
def store(database: Database, clock: HeldClock) -> SqlJobStore:
    return SqlJobStore(database, clock)


@pytest.fixture
def first(database: Database, clock: HeldClock) -> SqlLeases:
    return SqlLeases(database, clock, FIRST)


@pytest.fixture
def second(database: Database, clock: HeldClock) -> SqlLeases:
    return SqlLeases(database, clock, SECOND)


async def taken_over(store: SqlJobStore, second: SqlLeases) -> tuple[Job, JobWriter, Lease]:
    """A job that executes, its writer of before, and the lease of the planner that has it now."""
    job, lease = await created(store, holder=FLEETING)
    writer = store.under(lease)
    job = await writer.save(job.model_copy(update={"state": JobState.PLANNING}))
    job = await writer.save(planned(job))
    taken = await second.claim(job.job_id)
    assert taken is not None
    return job, writer, taken


async def test_a_job_that_is_held_is_nobody_else_s(
    store: SqlJobStore, first: SqlLeases, second: SqlLeases
) -> None:
    job, lease = await created(store)
    assert lease.token == 1
    assert await second.claim(job.job_id) is None
    assert (await second.look()).abandoned == ()
    assert await first.claim(job.job_id) is None, "not even its own again"


async def test_of_many_planners_that_claim_at_once_one_gets_the_job(
    database: Database, store: SqlJobStore, clock: HeldClock
) -> None:
    job, _ = await created(store, holder=FLEETING)
    planners = [SqlLeases(database, clock, Holder(f"{n:032x}", 3.0)) for n in range(8)]
    claims = await asyncio.gather(*(planner.claim(job.job_id) for planner in planners))
    assert [claim.token for claim in claims if claim is not None] == [2]


async def test_a_transaction_that_began_before_a_claim_sees_it_held(
    database: Database, store: SqlJobStore, clock: HeldClock, second: SqlLeases
) -> None:
    """By the time of its own start the lease would reach further than it can."""
    job, _ = await created(store, holder=FLEETING)
    begun, claimed = threading.Event(), threading.Event()

    def look_afterwards(session: Session) -> bool:
        session.execute(text("SELECT 1"))
        begun.set()
        assert claimed.wait(30)
        row = session.get_one(LeaseRow, job.job_id)
        return held(row.lease_until, row.lease_seconds, lease_clock(session, clock))

    looking = asyncio.create_task(database.reading(look_afterwards))
    assert await asyncio.to_thread(begun.wait, 30)
    assert await second.claim(job.job_id) is not None
    claimed.set()
    assert await looking


async def test_a_lease_that_ran_out_is_seen_and_claimed_with_a_higher_token(
    store: SqlJobStore, second: SqlLeases
) -> None:
    job, lease = await created(store, holder=FLEETING)
    assert (await second.look()).abandoned == (job.job_id,)
    taken = await second.claim(job.job_id)
    assert taken is not None
    assert taken.token > lease.token
    assert (await second.look()).abandoned == ()


async def test_whoever_lost_its_lease_writes_nothing_more(
    store: SqlJobStore, second: SqlLeases
) -> None:
    job, before, taken = await taken_over(store, second)
    call = ToolCall(
        call_id="c" * 32,
        plan_id="d" * 32,
        task_id="load",
        tool_name="sql.run",
        arguments={},
        timestamp=NOW,
    )
    seen = Observation(
        observation_id="0" * 32,
        call_id=call.call_id,
        status=ObservationStatus.TIMEOUT,
        error_message="late",
        error_category="resource_exhausted",
        execution_time_seconds=1.0,
        timestamp=NOW,
    )
    events = await store.events(job.job_id, 0)
    assert not await before.held()
    for write in (
        before.save(job.model_copy(update={"state": JobState.FAILED}), [("state", {})]),
        before.save_step(job, job.steps[0], call=call),
        before.keep_observation(job, call, seen),
    ):
        with pytest.raises(LeaseLostError):
            await write
    assert await store.get("ann", job.job_id) == job
    assert await store.events(job.job_id, 0) == events
    assert await store.observations(job.job_id) == []
    now = store.under(taken)
    assert await now.held()
    assert (await now.save_step(job, job.steps[0], call=call)).job_id == job.job_id


async def test_an_older_claim_of_the_same_planner_writes_nothing_more(
    store: SqlJobStore, first: SqlLeases
) -> None:
    job, lease = await created(store, holder=FLEETING)
    again = await first.claim(job.job_id)
    assert again is not None
    assert (again.owner, lease.owner) == (FIRST.owner, FLEETING.owner)
    older = replace(again, token=again.token - 1)
    with pytest.raises(LeaseLostError):
        await store.under(older).save(job.model_copy(update={"state": JobState.PLANNING}))
    assert not await store.under(older).held()
    assert (await store.get(job.tenant, job.job_id)).state is JobState.SUBMITTED
    await store.under(again).save(job.model_copy(update={"state": JobState.PLANNING}))


async def test_a_slow_planner_whose_job_nobody_took_goes_on(store: SqlJobStore) -> None:
    job, lease = await created(store, holder=FLEETING)
    writer = store.under(lease)
    assert (await writer.save(job.model_copy(update={"state": JobState.PLANNING}))).state


async def test_renewing_tells_which_jobs_are_still_held(
    store: SqlJobStore, first: SqlLeases, second: SqlLeases, database: Database, clock: HeldClock
) -> None:
    kept, _ = await created(store)
    lost, _ = await created(store, holder=FLEETING)
    assert await second.claim(lost.job_id) is not None
    assert await first.renew([kept.job_id, lost.job_id]) == {kept.job_id}
    fleeting = SqlLeases(database, clock, FLEETING)
    assert await fleeting.renew([lost.job_id]) == frozenset()


async def test_a_job_that_ended_while_it_was_worked_on_is_not_lost(
    store: SqlJobStore, first: SqlLeases
) -> None:
    job, lease = await created(store)
    failure = Failure(reason="INTERNAL", message="it broke", hint="Ask again.")
    await store.under(lease).save(
        job.model_copy(update={"state": JobState.FAILED, "failure": failure})
    )
    assert await first.renew([job.job_id]) == {job.job_id}, "its checkpoint is yet to be published"


async def test_a_job_let_go_is_free_at_once(
    store: SqlJobStore, first: SqlLeases, second: SqlLeases
) -> None:
    job, lease = await created(store)
    await first.release(lease)
    assert (await second.look()).abandoned == (job.job_id,)
    taken = await second.claim(job.job_id)
    assert taken is not None
    await first.release(lease)
    assert await store.under(taken).held(), "an old lease releases nothing"


async def test_a_wish_to_stop_reaches_the_owner_and_whoever_comes_after(
    store: SqlJobStore, first: SqlLeases, second: SqlLeases
) -> None:
    job, lease = await created(store)
    await second.request_cancel(job.job_id)
    assert (await first.look()).cancelled == (job.job_id,)
    assert (await second.look()).cancelled == ()
    await first.release(lease)
    taken = await second.claim(job.job_id)
    assert taken is not None
    assert taken.cancel_requested


async def test_a_job_that_waits_for_a_person_is_held_by_nobody_and_spends_no_time(
    store: SqlJobStore, second: SqlLeases, clock: HeldClock
) -> None:
    job, lease = await created(store, new_job(timeout=60))
    writer = store.under(lease)
    question = Clarification(question="which amount?", options=("net", "gross"))
    job = await writer.save(job.model_copy(update={"state": JobState.PLANNING}))
    await writer.save(job.model_copy(update={"state": JobState.WAITING, "clarification": question}))
    assert not await writer.held()
    assert (await second.look()).abandoned == (), "there is nothing to do for it"
    clock.advance(7200)
    taken = await second.claim(job.job_id)
    assert taken is not None
    assert taken.seconds_left == 60


@pytest.mark.parametrize("state", [JobState.FAILED, JobState.CANCELLED, JobState.COMPLETED])
async def test_an_ended_job_is_never_claimed_again(
    store: SqlJobStore, second: SqlLeases, state: JobState
) -> None:
    job, writer = await executing(store)
    failure = None if state is JobState.COMPLETED else Failure(reason="TIMEOUT", message="over")
    await writer.save(
        job.model_copy(update={"state": state, "answer": Answer(), "failure": failure})
    )
    assert await second.claim(job.job_id) is None
    assert (await second.look()).abandoned == ()


async def test_a_job_s_time_goes_on_while_no_planner_has_it(
    store: SqlJobStore, second: SqlLeases, clock: HeldClock, database: Database
) -> None:
    job, lease = await created(store, new_job(timeout=60), FLEETING)
    assert lease.seconds_left == 60
    clock.advance(45)
    taken = await second.claim(job.job_id)
    assert taken is not None
    if database.dialect == "sqlite":
        assert taken.seconds_left == 15
    else:
        assert 0 < taken.seconds_left < 60, "the database's own clock moved"


async def test_a_job_that_nobody_knows_cannot_be_claimed(first: SqlLeases) -> None:
    with pytest.raises(AssayError) as caught:
        await first.claim("0" * 32)
    assert caught.value.reason.code == "NOT_FOUND"


class TurnedClock(HeldClock):
    """The time of day was set, as an administrator or a time server may; no time went by."""

    def turn(self, hours: float) -> None:
        self._now += timedelta(hours=hours)


@pytest.mark.parametrize("hours", [-1.0, 1.0])
async def test_a_clock_that_jumps_an_hour_hands_no_job_to_a_second_planner(
    database: Database, hours: float
) -> None:
    turned = TurnedClock(NOW)
    store, other = SqlJobStore(database, turned), SqlLeases(database, turned, SECOND)
    job, lease = await created(store, new_job(timeout=60))
    turned.turn(hours)
    assert (await other.look()).abandoned == ()
    assert await other.claim(job.job_id) is None
    assert await store.under(lease).held()


async def test_on_sqlite_a_lease_runs_out_by_the_machine_s_monotonic_clock(
    store: SqlJobStore, first: SqlLeases, second: SqlLeases, clock: HeldClock, database: Database
) -> None:
    if database.dialect != "sqlite":
        pytest.skip("PostgreSQL goes by its own clock")
    job, _ = await created(store)
    clock.advance(2.75)
    assert await first.renew([job.job_id]) == {job.job_id}
    clock.advance(2.75)
    assert await second.claim(job.job_id) is None
    clock.advance(0.25)
    assert await second.claim(job.job_id) is not None


async def test_on_sqlite_a_lease_does_not_outlive_a_restart_of_the_machine(
    store: SqlJobStore, clock: HeldClock, database: Database
) -> None:
    if database.dialect != "sqlite":
        pytest.skip("PostgreSQL goes by its own clock")
    clock.advance(100_000)
    job, _ = await created(store)
    rebooted = SqlLeases(database, HeldClock(NOW), SECOND)
    assert (await rebooted.look()).abandoned == (job.job_id,)
    taken = await rebooted.claim(job.job_id)
    assert taken is not None
    assert taken.seconds_left == job.request.constraints.timeout_seconds


async def test_the_migrations_make_just_the_tables_of_the_models(database: Database) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    different = await database.reading(
        lambda s: compare_metadata(MigrationContext.configure(s.connection()), Base.metadata)
    )
    assert different == []


async def test_tenants_take_turns_and_what_was_begun_before_goes_first(
    store: SqlJobStore, first: SqlLeases, clock: HeldClock
) -> None:
    began, lease = await created(store, new_job("cat"))
    flood = [await store.create(new_job("ann"), None) for _ in range(3)]
    other, _ = await store.create(new_job("bob"), None)
    taken = await first.claim(flood[0][0].job_id)
    assert taken is not None
    order = (await first.look()).queue
    assert order.at_work == 2
    assert order.waiting[0].job_id == other.job_id, "ann has something at work"
    await first.release(lease)
    again = (await first.look()).queue.waiting
    assert [job.job_id for job in again][:2] == [began.job_id, other.job_id]
    assert again[0].begun


async def test_waiting_for_its_turn_costs_a_job_none_of_its_time(
    store: SqlJobStore, first: SqlLeases, clock: HeldClock, database: Database
) -> None:
    job, lease = await store.create(new_job(timeout=60), None)
    assert lease is None
    clock.advance(90)
    if database.dialect == "sqlite":
        assert (await first.look()).queue.waiting[0].waited == 90
    taken = await first.claim(job.job_id)
    assert taken is not None
    assert (taken.token, taken.seconds_left) == (1, 60)
    await first.release(taken, rested=True)
    clock.advance(30)
    again = await first.claim(job.job_id)
    assert again is not None
    assert again.seconds_left == 60
    assert taken.waited_seconds == (90 if database.dialect == "sqlite" else taken.waited_seconds)


async def test_a_job_s_time_is_spent_by_waiting_before_and_after_it_was_begun(
    store: SqlJobStore, first: SqlLeases, clock: HeldClock, database: Database
) -> None:
    if database.dialect != "sqlite":
        pytest.skip("PostgreSQL's own clock cannot be moved")
    waits, _ = await store.create(new_job(timeout=60), None)
    begun, lease = await created(store, new_job(timeout=60))
    await first.release(lease)

    async def left() -> dict[str, float]:
        return {job.job_id: job.left for job in (await first.look()).queue.waiting}

    clock.advance(59)
    assert await left() == {waits.job_id: 1.0, begun.job_id: 1.0}
    clock.advance(1)
    assert await left() == {waits.job_id: 0.0, begun.job_id: 0.0}
