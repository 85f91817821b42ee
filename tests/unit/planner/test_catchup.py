"""What peers could not be told of jobs is told beside everything else: nobody waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from pathlib import Path

import pytest

from mesh.clock import HeldClock
from mesh.context import current
from mesh.storage.database import Database, open_database
from services.planner.adapters.job_store import SqlJobStore
from services.planner.adapters.leases import SqlLeases
from services.planner.app import Planner
from services.planner.domain.failure import Failure
from services.planner.domain.jobs.job import JobState
from services.planner.domain.jobs.lease import Lease
from services.planner.jobs.catchup import Catchup
from services.planner.jobs.collaborators import Collaborators
from services.planner.jobs.keeper import Keeper, Rhythm
from services.planner.ports import AuditEvent
from tests.contract.jobs import FIRST, MIGRATIONS, NOW, created

pytestmark = pytest.mark.asyncio


class AwayLog:
    """An audit log that is waited for until it is back."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.back = asyncio.Event()
        self.told: list[tuple[str, str]] = []

    async def append(self, request_id: str, events: Sequence[AuditEvent]) -> int:
        self.asked.set()
        await self.back.wait()
        self.told.append((current().tenant, request_id))
        return len(events)


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    url = f"sqlite:///{tmp_path / 'jobs.sqlite'}"
    database = await asyncio.to_thread(open_database, url, MIGRATIONS)
    yield database
    await database.close()


async def an_end_that_the_log_could_not_take(store: SqlJobStore) -> str:
    job, lease = await created(store)
    failure = Failure(reason="AUDIT_UNAVAILABLE", message="the log is away")
    update = {"state": JobState.FAILED, "failure": failure, "end_logged": False}
    await store.under(lease).save(job.model_copy(update=update))
    return job.job_id


class Noticed(SqlLeases):
    """Leases, and when they were renewed."""

    renewed: frozenset[str] = frozenset()

    async def renew(self, job_ids: Collection[str]) -> frozenset[str]:
        self.renewed = await super().renew(job_ids)
        return self.renewed


async def test_leases_are_renewed_while_the_audit_log_is_away(database: Database) -> None:
    clock, log = HeldClock(NOW), AwayLog()
    store, leases = SqlJobStore(database, clock), Noticed(database, clock, FIRST)
    job_id = await an_end_that_the_log_could_not_take(store)
    catchup = Catchup(Collaborators(store, None, None, log, None))  # type: ignore[arg-type]

    async def work(lease: Lease) -> None:
        await log.back.wait()

    keeper = Keeper(leases, work, clock, Rhythm(look_seconds=0.01), catchup.begin)
    async with asyncio.timeout(5):
        await keeper.start()
        await log.asked.wait()
        job, lease = await created(store)
        await keeper.begin(lease)
        clock.advance(1.0)
        while not leases.renewed:
            await asyncio.sleep(0)
        assert leases.renewed == {job.job_id}
        assert log.told == [], "and the log is still away"
        log.back.set()
        while await store.unlogged_ends():
            await asyncio.sleep(0)
        await keeper.stop()
        await catchup.stop()
    assert log.told == [("ann", job_id)], "in the name of whose job it is"


async def test_a_planner_stops_at_once_while_the_audit_log_is_away(database: Database) -> None:
    clock, log = HeldClock(NOW), AwayLog()
    store, leases = SqlJobStore(database, clock), SqlLeases(database, clock, FIRST)
    job_id = await an_end_that_the_log_could_not_take(store)
    with_ = Collaborators(store, None, None, log, None)  # type: ignore[arg-type]
    planner = Planner(with_, leases, FIRST, clock, Rhythm(look_seconds=0.01))
    async with asyncio.timeout(5):
        await planner.start()
        await log.asked.wait()
        await planner.stop()
    assert await store.unlogged_ends() == [("ann", job_id)], "it is told of the next time"
