"""What operators see of jobs: the same on SQLite and on PostgreSQL, and of their tenant alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from mesh.clock import HeldClock
from mesh.storage.database import Database, open_database
from services.planner.adapters.job_store import SqlJobStore
from services.planner.adapters.leases import SqlLeases
from services.planner.adapters.overviews import SqlOverviews
from services.planner.domain.jobs.job import Job, JobFilter
from services.planner.domain.jobs.lease import Holder
from services.planner.domain.jobs.overview import Depth
from tests.contract.jobs import FIRST, MIGRATIONS, NOW, created, new_job
from tests.migrated import migrated

FLEETING = Holder("f" * 32, 0.0)
LONG = Holder("c" * 32, 3600.0)


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
def overviews(database: Database, clock: HeldClock) -> SqlOverviews:
    return SqlOverviews(database, clock)


def asked_by(user: str, tenant: str = "acme", minutes: int = 0) -> Job:
    return new_job(tenant, minutes).model_copy(update={"asked_by": user})


async def test_nothing_waits_and_nobody_asked_at_first(overviews: SqlOverviews) -> None:
    seen = await overviews.overview("acme")
    assert (seen.whole, seen.of("acme"), seen.held) == (Depth(0, 0), Depth(0, 0), ())
    assert await overviews.askers("acme") == []


async def test_what_is_worked_on_is_told_with_who_asked_and_for_how_long_it_is_held(
    database: Database, store: SqlJobStore, overviews: SqlOverviews, clock: HeldClock
) -> None:
    job, _ = await created(store, asked_by("ann"), LONG)
    await created(store, asked_by("bob", "other"), LONG)
    await created(store, asked_by("ann"), FLEETING)
    await SqlLeases(database, clock, FIRST).request_cancel(job.job_id)
    seen = await overviews.overview("acme")
    assert [(one.job_id, one.asked_by, one.holder) for one in seen.held] == [
        (job.job_id, "ann", LONG.owner)
    ]
    held = seen.held[0]
    assert 0 < held.lease_left <= 3600
    assert 0 < held.time_left <= 60
    assert held.stopping
    assert (seen.whole.waiting, seen.whole.at_work) == (1, 2), "of all tenants together"
    assert (seen.of("acme").waiting, seen.of("acme").at_work) == (1, 1)


async def test_a_job_whose_planner_died_is_held_by_nobody(
    store: SqlJobStore, overviews: SqlOverviews
) -> None:
    await created(store, asked_by("ann"), FLEETING)
    seen = await overviews.overview("acme")
    assert seen.held == ()
    assert seen.of("acme").waiting == 1


async def test_who_asked_is_counted_within_the_tenant_the_newest_first(
    store: SqlJobStore, overviews: SqlOverviews
) -> None:
    for job in (
        asked_by("ann"),
        asked_by("ann", minutes=2),
        asked_by("ben", minutes=5),
        asked_by("", minutes=1),
        asked_by("eve", "other"),
    ):
        await created(store, job)
    found = [(one.user, one.jobs) for one in await overviews.askers("acme")]
    assert found == [("ben", 1), ("ann", 2), ("", 1)]
    wanted = JobFilter(asked_by="ann")
    jobs, more = await store.page("acme", wanted, 1, "")
    assert [job.asked_by for job in jobs] == ["ann"]
    rest, end = await store.page("acme", wanted, 5, more)
    assert ([job.asked_by for job in rest], end) == (["ann"], "")
