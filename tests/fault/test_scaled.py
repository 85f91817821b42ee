"""Replicas behind one name: a lost one loses no job, and one that is replaced fails no call."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import pytest_asyncio

from assay.common.v1 import job_pb2
from clients.python.client import AssayClient
from clients.python.question import Question
from mesh.objects.bucket import BucketPlace
from mesh.testing.object_server import ObjectServerAbsent, fresh_bucket, object_server
from tests.busy import allowing
from tests.fault.scaled import REPLICAS, Replica, Scaled, scaled

pytestmark = pytest.mark.asyncio(loop_scope="module")
PATIENCE = (0.1,) * 50 + (1.0,) * 60
QUESTIONS = (
    "total quantity by region",
    "average price by product",
    "number of sales by month",
    "top 3 products by quantity",
    "total quantity by product as a bar chart",
    "highest price by region",
)


@pytest.fixture(scope="module")
def bucket() -> Iterator[BucketPlace]:
    try:
        with object_server() as place:
            yield fresh_bucket(place)
    except ObjectServerAbsent as absent:
        pytest.skip(str(absent))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def mesh(
    tmp_path_factory: pytest.TempPathFactory, postgres: Callable[[], str], bucket: BucketPlace
) -> AsyncIterator[Scaled]:
    """One mesh for all of it: what one test kills, the next finds started again."""
    databases = {name: postgres() for name in ("gateway", "planner", "executor")}
    async with scaled(tmp_path_factory.mktemp("scaled"), databases, bucket) as running:
        yield running


async def ended(client: AssayClient, sales: Path, question: str) -> job_pb2.Job:
    """A job once it has ended, through whatever happens meanwhile."""
    request = await client.request(Question(question, data=(str(sales),), assume=True))
    job = await client.submit(request)
    async for _ in client.watch(job.job_id):
        pass
    return await client.get_job(job.job_id)


async def at_work(client: AssayClient, jobs: list[asyncio.Task[job_pb2.Job]]) -> None:
    """Return once some job is at work, and none has ended."""
    async with asyncio.timeout(allowing(60)):
        while True:
            states = {job.state for job in await client.list_jobs()}
            if job_pb2.JOB_STATE_EXECUTING in states or any(job.done() for job in jobs):
                return


def completed(jobs: list[job_pb2.Job]) -> None:
    assert {job.state for job in jobs} == {job_pb2.JOB_STATE_COMPLETED}, [
        (job.job_id, job.state, job.failure) for job in jobs
    ]


@pytest.mark.timeout(600)
@pytest.mark.parametrize("lost", ["gateway", "planner", "executor"])
async def test_jobs_survive_the_loss_of_any_replica(mesh: Scaled, sales: Path, lost: str) -> None:
    """Killed in the midst of six jobs, and not replaced: the others take over what it had."""
    async with AssayClient(mesh.target, "ann", resume_delays=PATIENCE) as client:
        first = await ended(client, sales, "total quantity")
        asked = [asyncio.create_task(ended(client, sales, each)) for each in QUESTIONS]
        await at_work(client, asked)
        mesh.replicas[lost][0].kill()
        jobs = await asyncio.gather(*asked)
        completed([first, *jobs])
        for job in jobs:
            assert (await client.verify(job.job_id)).ok
    await mesh.replicas[lost][0].start()


@pytest.mark.timeout(900)
async def test_a_rolling_restart_under_load_fails_no_call(mesh: Scaled, sales: Path) -> None:
    """Each replica of gateway, planner and executor is replaced in turn, as a Deployment does:
    stopped gently, then another started, while jobs are asked for and looked up without end."""
    over = asyncio.Event()
    jobs: list[job_pb2.Job] = []
    looked = 0

    async def asking(client: AssayClient) -> None:
        number = 0
        while not over.is_set():
            jobs.append(await ended(client, sales, QUESTIONS[number % len(QUESTIONS)]))
            number += 1

    async def looking(client: AssayClient) -> None:
        nonlocal looked
        while not over.is_set():
            await client.list_jobs()
            looked += 1
            with suppress(TimeoutError):
                await asyncio.wait_for(over.wait(), 0.05)

    async with AssayClient(mesh.target, "ann") as client:
        load = [
            *(asyncio.create_task(asking(client)) for _ in range(2)),
            asyncio.create_task(looking(client)),
        ]
        for name in ("executor", "planner", "gateway"):
            for replica in mesh.replicas[name]:
                await replaced(replica)
        over.set()
        await asyncio.gather(*load)
    completed(jobs)
    assert len(jobs) >= len(QUESTIONS)
    assert looked > 100
    assert sum(REPLICAS.values()) == len(mesh.all())


async def replaced(replica: Replica) -> None:
    """End a replica gently, and start another in its place."""
    assert await replica.stop() == 0
    await replica.start()
