"""What leases do as time goes by: on SQLite, whose clock is ours to move."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mesh.clock import HeldClock
from mesh.storage.database import Database, open_database
from services.planner.adapters.job_store import SqlJobStore
from services.planner.adapters.leases import SqlLeases, require
from services.planner.adapters.tables import LeaseRow
from services.planner.domain.clarification import Clarification
from services.planner.domain.failure import Failure
from services.planner.domain.jobs.job import Job, JobState
from services.planner.domain.jobs.lease import Holder, Lease, LeaseLostError
from tests.contract.jobs import FIRST, MIGRATIONS, NOW, SECOND, created, new_job
from tests.migrated import migrated_file

FAILED = {
    "state": JobState.FAILED,
    "failure": Failure(reason="INTERNAL", message="it broke", hint="Ask again."),
}


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    url = migrated_file(tmp_path / "jobs.sqlite", MIGRATIONS)
    opened = await asyncio.to_thread(open_database, url, MIGRATIONS)
    yield opened
    await opened.close()


@pytest.fixture
def clock() -> HeldClock:
    held = HeldClock(NOW)
    held.advance(100.0)
    return held


@pytest.fixture
def store(database: Database, clock: HeldClock) -> SqlJobStore:
    return SqlJobStore(database, clock)


@pytest.fixture
def first(database: Database, clock: HeldClock) -> SqlLeases:
    return SqlLeases(database, clock, FIRST)


@pytest.fixture
def second(database: Database, clock: HeldClock) -> SqlLeases:
    return SqlLeases(database, clock, SECOND)


async def waiting(store: SqlJobStore, tenant: str) -> str:
    job, _ = await store.create(new_job(tenant), None)
    return job.job_id


async def asked_a_person(store: SqlJobStore, job: Job, lease: Lease) -> Job:
    writer = store.under(lease)
    question = Clarification(question="which amount?", options=("net", "gross"))
    job = await writer.save(job.model_copy(update={"state": JobState.PLANNING}))
    waits = {"state": JobState.WAITING, "clarification": question}
    return await writer.save(job.model_copy(update=waits))


async def order(leases: SqlLeases) -> list[str]:
    return [job.tenant for job in (await leases.look()).queue.waiting]


# --- renewing


async def test_only_the_jobs_that_are_named_are_renewed(
    store: SqlJobStore, first: SqlLeases, second: SqlLeases, clock: HeldClock
) -> None:
    kept, _ = await created(store)
    left, _ = await created(store)
    clock.advance(2.0)
    assert await first.renew([kept.job_id]) == {kept.job_id}
    clock.advance(2.0)
    assert (await second.look()).abandoned == (left.job_id,)
    assert await second.claim(left.job_id) is not None
    assert await second.claim(kept.job_id) is None


async def test_a_planner_that_holds_for_longer_than_before_holds_for_so_long(
    store: SqlJobStore, database: Database, second: SqlLeases, clock: HeldClock
) -> None:
    job, _ = await created(store)
    longer = SqlLeases(database, clock, Holder(FIRST.owner, 10.0))
    assert await longer.renew([job.job_id]) == {job.job_id}
    for seconds in (1.0, 8.0):
        clock.advance(seconds)
        assert await second.claim(job.job_id) is None


async def test_a_job_that_was_let_go_and_still_wants_work_is_lost(
    store: SqlJobStore, first: SqlLeases
) -> None:
    job, lease = await created(store)
    await first.release(lease)
    assert await first.renew([job.job_id]) == frozenset()


async def test_a_job_that_waits_for_a_person_is_lost_once_another_planner_has_it(
    store: SqlJobStore, first: SqlLeases, second: SqlLeases
) -> None:
    job = await asked_a_person(store, *await created(store))
    assert await first.renew([job.job_id]) == {job.job_id}
    assert await second.claim(job.job_id) is not None
    assert await first.renew([job.job_id]) == frozenset()


async def test_of_jobs_that_ended_only_those_that_were_asked_for_are_told(
    store: SqlJobStore, first: SqlLeases
) -> None:
    job, lease = await created(store)
    await store.under(lease).save(job.model_copy(update=FAILED))
    other, _ = await created(store)
    assert await first.renew([other.job_id]) == {other.job_id}


# --- letting go


async def test_a_lease_that_is_not_the_last_one_lets_go_of_nothing(
    store: SqlJobStore, first: SqlLeases, second: SqlLeases
) -> None:
    job, lease = await created(store)
    await first.release(replace(lease, token=lease.token - 1))
    await first.release(replace(lease, owner=SECOND.owner))
    assert await second.claim(job.job_id) is None
    await first.release(lease)
    assert await second.claim(job.job_id) is not None


async def test_a_job_is_given_back_its_time_only_if_nobody_worked_on_it(
    store: SqlJobStore, first: SqlLeases, second: SqlLeases, clock: HeldClock
) -> None:
    job, lease = await created(store, new_job(timeout=60))
    clock.advance(2.0)
    await first.release(lease)
    taken = await second.claim(job.job_id)
    assert taken is not None
    assert taken.seconds_left == 58
    await second.release(taken, rested=True)
    assert (await first.look()).abandoned == (job.job_id,)
    again = await first.claim(job.job_id)
    assert again is not None
    assert again.seconds_left == 60


@pytest.mark.parametrize("change", [{"token": 2}, {"token": 0}, {"owner": SECOND.owner}])
async def test_what_is_written_needs_the_last_lease_by_token_and_by_owner(
    database: Database, store: SqlJobStore, change: dict[str, Any]
) -> None:
    _, lease = await created(store)
    row = await database.in_transaction(lambda session: require(session, lease).token)
    assert row == lease.token == 1
    with pytest.raises(LeaseLostError):
        await database.in_transaction(
            lambda session: require(session, replace(lease, **change)).token
        )


async def test_a_lease_of_a_job_that_is_not_there_is_lost(
    database: Database, store: SqlJobStore
) -> None:
    _, lease = await created(store)
    with pytest.raises(LeaseLostError):
        await database.in_transaction(
            lambda session: require(session, replace(lease, job_id="0" * 32)).token
        )


# --- stopping


async def test_a_wish_to_stop_is_one_job_s(store: SqlJobStore, first: SqlLeases) -> None:
    _, _ = await created(store)
    stopped, _ = await created(store)
    assert (await first.look()).cancelled == ()
    await first.request_cancel(stopped.job_id)
    assert (await first.look()).cancelled == (stopped.job_id,)


async def test_a_job_that_waits_for_a_person_is_taken_up_to_be_stopped(
    store: SqlJobStore, first: SqlLeases, second: SqlLeases
) -> None:
    job = await asked_a_person(store, *await created(store))
    ended, lease = await created(store)
    await store.under(lease).save(ended.model_copy(update=FAILED))
    assert (await second.look()).abandoned == ()
    for one in (job, ended):
        await second.request_cancel(one.job_id)
    found = await second.look()
    assert found.abandoned == (job.job_id,)
    assert found.queue.waiting[0].cancelled


# --- turns


async def test_a_job_waits_until_it_is_first_begun_and_is_begun_once(
    store: SqlJobStore, database: Database, first: SqlLeases, clock: HeldClock
) -> None:
    job_id = await waiting(store, "ann")
    clock.advance(7.0)
    assert [job.waited for job in (await first.look()).queue.waiting] == [7.0]
    lease = await first.claim(job_id)
    assert lease is not None
    assert lease.waited_seconds == 7.0
    clock.advance(5.0)
    again = await first.claim(job_id)
    assert again is not None
    assert again.waited_seconds == 0.0, "it was begun before"
    begun = await database.reading(lambda session: session.get_one(LeaseRow, job_id).begun_at)
    assert begun == 107.0


async def test_a_job_that_was_begun_and_asked_a_person_is_no_newcomer(
    store: SqlJobStore, first: SqlLeases, clock: HeldClock
) -> None:
    job = await asked_a_person(store, *await created(store))
    clock.advance(50.0)
    lease = await first.claim(job.job_id)
    assert lease is not None
    assert lease.waited_seconds == 0.0


async def test_a_job_of_which_is_not_known_since_when_it_waits_has_not_waited(
    store: SqlJobStore, database: Database, first: SqlLeases, clock: HeldClock
) -> None:
    job_id = await waiting(store, "ann")

    def forget(session: object) -> None:
        session.get_one(LeaseRow, job_id).waiting_since = None  # type: ignore[attr-defined]

    await database.in_transaction(forget)
    assert [job.waited for job in (await first.look()).queue.waiting] == [0.0]
    clock.advance(-101.0)
    other = await waiting(store, "bob")
    clock.advance(-0.5)
    found = {job.job_id: job.waited for job in (await first.look()).queue.waiting}
    assert found == {job_id: 0.0, other: 0.0}, "the clock began anew"


async def ended_job(store: SqlJobStore, tenant: str) -> None:
    """A job of a tenant that is begun now and ends at once."""
    job, lease = await created(store, new_job(tenant))
    await store.under(lease).save(job.model_copy(update=FAILED))


@pytest.mark.parametrize("pause", [0.2, 10.0])
async def test_who_had_no_turn_for_longest_is_next(
    store: SqlJobStore, first: SqlLeases, clock: HeldClock, pause: float
) -> None:
    await waiting(store, "ann")
    clock.advance(pause)
    await waiting(store, "bob")
    clock.advance(pause)
    assert await order(first) == ["ann", "bob"], "who came first"
    await ended_job(store, "ann")
    clock.advance(pause)
    assert await order(first) == ["bob", "ann"], "ann had a turn since"


async def test_a_turn_of_before_the_clock_began_anew_counts_for_nothing(
    store: SqlJobStore, database: Database, clock: HeldClock
) -> None:
    clock.advance(1_000.0)
    await ended_job(store, "ann")
    anew = HeldClock(NOW)
    later, leases = SqlJobStore(database, anew), SqlLeases(database, anew, FIRST)
    anew.advance(10.0)
    await waiting(later, "ann")
    anew.advance(1.0)
    await waiting(later, "bob")
    anew.advance(1.0)
    assert await order(leases) == ["ann", "bob"]
