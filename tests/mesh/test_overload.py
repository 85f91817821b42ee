"""More is asked than can be done: who waits is told, who is refused too, nobody times out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from assay.common.v1 import job_pb2
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from mesh.config import MeshSettings
from mesh.errors import AssayError
from mesh.testing.mesh import running_mesh
from mesh.transport.status import from_rpc_error
from services.__main__ import factories
from tests.mesh import shared
from tests.mesh.support import FINAL, Caller, question

pytestmark = shared.ON_ONE_LOOP

SLOTS, PLACES = 1, 4


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def small() -> AsyncIterator[MeshSettings]:
    """A mesh that works on one job at a time, and lets four wait, two of them one user's."""
    settings = {"JOBS_AT_ONCE": str(SLOTS), "QUEUE_JOBS": str(PLACES)}
    async with shared.settled_mesh(
        {f"ASSAY_PLANNER_{name}": value for name, value in settings.items()}
    ) as running:
        yield running


async def offered(caller: Caller, sales: Path) -> job_pb2.Job | AssayError:
    try:
        return await caller.create(question("how many sales are there?", sales))
    except Exception as error:
        return from_rpc_error(error)  # type: ignore[arg-type]


async def test_of_many_asked_at_once_each_is_answered_or_refused_with_a_time_to_try_again(
    small: MeshSettings, sales: Path
) -> None:
    async with Caller(small, "ann") as ann, Caller(small, "bob") as bob:
        callers = [ann, bob] * 6
        told = await asyncio.gather(*(offered(caller, sales) for caller in callers))
        taken = [
            (caller, job)
            for caller, job in zip(callers, told, strict=True)
            if isinstance(job, job_pb2.Job)
        ]
        assert SLOTS <= len(taken) <= SLOTS + PLACES
        for error in told:
            if isinstance(error, AssayError):
                assert error.reason.code == "QUEUE_FULL"
                assert error.retry_seconds is not None
                assert error.retry_seconds >= 1
        watched = await asyncio.gather(*(c.watched(job.job_id) for c, job in taken))
        for (caller, job), events in zip(taken, watched, strict=True):
            ended = await caller.job(job.job_id)
            assert ended.state == job_pb2.JOB_STATE_COMPLETED, ended.failure
            assert not ended.progress.HasField("queue_position")
            kept = sorted({event.sequence for event in events})
            assert kept == list(range(1, len(kept) + 1)), "places take no numbers"
        places = [
            [e.progress.queue_position for e in events if e.progress.HasField("queue_position")]
            for events in watched
        ]
        assert any(places), "those who wait are told"
        for told_places in filter(None, places):  # it grows only while others are still arriving
            onwards = told_places[told_places.index(max(told_places)) :]
            assert onwards == sorted(onwards, reverse=True)
        stored = [
            (await caller.jobs.ListJobs(jobs_pb.ListJobsRequest(page_size=100))).jobs
            for caller in (ann, bob)
        ]
        assert sum(map(len, stored)) == len(taken), "what was refused left nothing"


async def test_a_job_that_waits_is_cancelled_at_once_and_one_that_waited_too_long_says_so(
    home: Path, sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_PLANNER_JOBS_AT_ONCE", str(SLOTS))
    monkeypatch.setenv("ASSAY_PLANNER_WAIT_SECONDS", "0.001")
    async with running_mesh(home, factories) as settings, Caller(settings, "ann") as ann:
        jobs = [await ann.create(question("how many sales are there?", sales)) for _ in range(4)]
        last = (await ann.jobs.CancelJob(jobs_pb.CancelJobRequest(job_id=jobs[-1].job_id))).job
        assert last.state in FINAL
        for job in jobs:
            await ann.watched(job.job_id)
        ended = [await ann.job(job.job_id) for job in jobs]
        assert ended[0].state == job_pb2.JOB_STATE_COMPLETED, "it was begun at once"
        shed = [job for job in ended if job.failure.reason == "QUEUE_FULL"]
        assert shed
        assert "for its turn" in shed[0].failure.message


async def test_a_job_whose_time_is_over_before_its_turn_came_ends_and_says_so(
    home: Path, sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_PLANNER_JOBS_AT_ONCE", "1")
    slow = question("", sales, timeout=120)
    slow.analysis.statement = (
        "SELECT count(*) FROM range(200000) a, range(600000) b WHERE a.range + b.range = 17"
    )
    async with running_mesh(home, factories) as settings, Caller(settings, "ann") as ann:
        first = await ann.create(slow)
        late = await ann.asked(question("how many sales are there?", sales, timeout=1))
        still = await ann.job(first.job_id)
        assert (late.state, late.failure.reason) == (job_pb2.JOB_STATE_FAILED, "TIMEOUT")
        assert "waited 1 s for its turn" in late.failure.message
        assert still.state not in FINAL, "it was at work all the while"
        await ann.jobs.CancelJob(jobs_pb.CancelJobRequest(job_id=first.job_id))


async def test_a_repeated_request_is_answered_also_when_the_queue_is_full(
    small: MeshSettings, sales: Path
) -> None:
    async with Caller(small, "ann") as ann:
        wanted = [question("how many sales are there?", sales) for _ in range(SLOTS + PLACES // 2)]
        made = [await ann.create(request) for request in wanted]
        again = await ann.create(wanted[-1])
        assert again.job_id == made[-1].job_id
        for job in made:
            await ann.jobs.CancelJob(jobs_pb.CancelJobRequest(job_id=job.job_id))
