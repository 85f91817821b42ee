"""A job whose end cannot be stored: whoever watches it is told all the same."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from mesh import context as calls
from mesh.clock import HeldClock
from mesh.errors import DISK_FULL, AssayError
from mesh.storage.database import Database, open_database
from services.planner.adapters.job_store import SqlJobStore
from services.planner.adapters.job_writer import SqlJobWriter
from services.planner.adapters.leases import SqlLeases
from services.planner.adapters.reasoner_rules import RulesReasoner
from services.planner.app import Planner
from services.planner.domain.jobs.job import Job
from services.planner.domain.jobs.lease import Lease
from services.planner.domain.request import MAX_TIMEOUT_SECONDS
from services.planner.jobs.collaborators import Collaborators
from services.planner.jobs.keeper import Rhythm
from services.planner.jobs.setbacks import GRACE_SECONDS
from tests.contract.jobs import FIRST, MIGRATIONS, NOW, created

pytestmark = pytest.mark.asyncio


class FullWriter(SqlJobWriter):
    """Stores nothing."""

    async def save(
        self, job: Job, events: Sequence[Any] = (), decisions: Sequence[Any] = ()
    ) -> Job:
        raise AssayError(DISK_FULL, "the disk is full: /data/planner.sqlite could not be written")


class FullStore(SqlJobStore):
    """A store that reads, and on which jobs cannot be carried on."""

    def under(self, lease: Lease) -> SqlJobWriter:
        return FullWriter(self.database, self.clock, lease)

    def __init__(self, database: Database, clock: HeldClock) -> None:
        super().__init__(database, clock)
        self.database, self.clock = database, clock


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    url = f"sqlite:///{tmp_path / 'jobs.sqlite'}"
    database = await asyncio.to_thread(open_database, url, MIGRATIONS)
    yield database
    await database.close()


async def test_a_watch_ends_with_the_reason_once_the_jobs_time_is_over(database: Database) -> None:
    clock = HeldClock(NOW)
    job, lease = await created(SqlJobStore(database, clock))
    leases = SqlLeases(database, clock, FIRST)
    await leases.release(lease)
    collaborators = Collaborators(FullStore(database, clock), None, None, None, RulesReasoner())  # type: ignore[arg-type]
    planner = Planner(collaborators, leases, FIRST, clock, Rhythm(look_seconds=0.01))
    await planner.start()
    with calls.entered(calls.CallContext(tenant=job.tenant)):
        seen = planner.watch(job.job_id, 0)
        async with asyncio.timeout(20):
            await anext(seen)
            told = asyncio.create_task(_to_its_end(seen))
            while (await leases.look()).abandoned == ():
                await asyncio.sleep(0)
            assert not told.done()
            clock.advance(MAX_TIMEOUT_SECONDS + GRACE_SECONDS)
            with pytest.raises(AssayError) as caught:
                await told
    assert caught.value.reason is DISK_FULL
    assert "/data/planner.sqlite" in caught.value.message
    await planner.stop()


async def _to_its_end(events: AsyncIterator[object]) -> None:
    async for _ in events:
        pass
