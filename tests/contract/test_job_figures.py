"""What metrics tell of all jobs: the same on SQLite and on PostgreSQL."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from sqlalchemy import update
from sqlalchemy.orm import Session

from mesh.clock import HeldClock
from mesh.storage.database import Database, open_database
from services.planner.adapters.job_figures import JobFigures
from services.planner.adapters.job_store import SqlJobStore
from services.planner.adapters.leases import SqlLeases
from services.planner.adapters.tables import LeaseRow
from services.planner.domain.jobs.job import JobState
from services.planner.domain.jobs.lease import Holder
from services.planner.domain.request import JobKind
from tests.contract.jobs import FIRST, MIGRATIONS, NOW, created, new_job
from tests.migrated import migrated

HOUR = 3600.0
# A lease of no time at all has run out when the next transaction looks.
FLEETING = Holder("f" * 32, 0.0)


@pytest.fixture(params=["sqlite", "postgresql"])
async def database(request: pytest.FixtureRequest) -> AsyncIterator[Database]:
    url = migrated(request, MIGRATIONS)
    opened = await asyncio.to_thread(open_database, url, MIGRATIONS)
    yield opened
    await opened.close()


LIVE = {state.value for state in JobState if not state.final}


async def test_jobs_that_have_not_ended_are_counted_by_state_with_none_left_out(
    database: Database,
) -> None:
    clock = HeldClock(NOW)
    store, figures = SqlJobStore(database, clock), JobFigures(database, clock)
    nothing = await asyncio.to_thread(figures.jobs)
    assert {told["assay.state"] for _, told in nothing} == LIVE
    assert sum(count for count, _ in nothing) == 0

    job, lease = await created(store)
    await store.under(lease).save(job.model_copy(update={"state": JobState.PLANNING}))
    await created(store)
    counted = {
        told["assay.state"]: count
        for count, told in await asyncio.to_thread(figures.jobs)
        if told["assay.kind"] == "analysis"
    }
    assert (counted["submitted"], counted["planning"], counted["executing"]) == (1, 1, 0)
    job = await store.get(job.tenant, job.job_id)
    ended = job.model_copy(update={"state": JobState.CANCELLED, "end_logged": True})
    await store.under(lease).save(ended)
    counted = {
        told["assay.state"]: count
        for count, told in await asyncio.to_thread(figures.jobs)
        if told["assay.kind"] == "analysis"
    }
    assert counted == {"submitted": 1, "planning": 0, "executing": 0, "waiting": 0}
    assert await asyncio.to_thread(figures.unlogged_ends) == [(0, {})]


async def test_the_queue_is_as_old_as_the_oldest_job_that_nobody_works_on(
    database: Database,
) -> None:
    clock = HeldClock(NOW)
    store, figures = SqlJobStore(database, clock), JobFigures(database, clock)

    async def ages() -> dict[str, float]:
        found = await asyncio.to_thread(figures.queue_ages)
        return {told["assay.kind"]: seconds for seconds, told in found}

    assert await ages() == {kind.value: 0.0 for kind in JobKind}

    _, held = await created(store, new_job(minutes=-5))
    await created(store, new_job(minutes=-2), FLEETING)
    await created(store, new_job(minutes=-1), FLEETING)
    assert (await ages())["analysis"] == 120.0

    await SqlLeases(database, clock, FIRST).release(held)
    assert (await ages())["analysis"] == 300.0


async def test_a_lease_grows_old_until_it_is_renewed(database: Database) -> None:
    clock = HeldClock(NOW)
    store, figures = SqlJobStore(database, clock), JobFigures(database, clock)

    async def age() -> float:
        found = await asyncio.to_thread(figures.lease_ages)
        return {told["assay.kind"]: seconds for seconds, told in found}["analysis"]

    assert await age() == 0.0

    job, _ = await created(store)
    await asyncio.to_thread(database.run, _an_hour_older)
    aged = await age()
    await SqlLeases(database, clock, FIRST).renew([job.job_id])
    renewed = await age()
    assert aged >= HOUR > renewed, "PostgreSQL's own clock goes on meanwhile"
    if database.dialect == "sqlite":
        assert (aged, renewed) == (HOUR, 0.0)


def _an_hour_older(session: Session) -> None:
    """As if every lease had been taken an hour ago: PostgreSQL's clock is not ours to move."""
    session.execute(update(LeaseRow).values(lease_until=LeaseRow.lease_until - HOUR))
