"""Replicas behind one name: a lost one loses no job, and one that is replaced fails no call."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest

from assay.common.v1 import job_pb2
from clients.python.client import AssayClient
from tests.scaled.asking import PATIENCE, QUESTIONS, Told, all_asked, at_work, ended, told_of
from tests.scaled.observed import ran_again
from tests.scaled.world import REPLICAS, Replica, Scaled
from tests.thorough import some, times

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(1_500)]


async def checked(
    client: AssayClient, mesh: Scaled, truth: dict[str, Told], jobs: list[job_pb2.Job]
) -> None:
    """The answers are those of an undisturbed process, are proved, and no step was done twice."""
    assert [told_of(job) for job in jobs] == [truth[each] for each in QUESTIONS]
    for job in jobs:
        verified = await client.verify(job.job_id)
        assert verified.ok, verified
    assert ran_again(mesh.runs) == []


async def test_questions_in_flight_are_answered_as_by_one_process(
    mesh: Scaled, sales: Path, truth: dict[str, Told]
) -> None:
    async with AssayClient(mesh.target, "ann", resume_delays=PATIENCE) as client:
        jobs = await asyncio.gather(*all_asked(client, sales))
        await checked(client, mesh, truth, jobs)


@pytest.mark.parametrize("lost", ["gateway", "planner", "executor", "memory", "audit"])
async def test_jobs_survive_the_loss_of_any_process(
    mesh: Scaled, sales: Path, truth: dict[str, Told], lost: str
) -> None:
    """Killed in the midst of jobs. Replicas take over what it had; of audit there is one,
    which is started again at once, as its StatefulSet would; without memory jobs go on."""
    async with AssayClient(mesh.target, "ann", resume_delays=PATIENCE) as client:
        await ended(client, sales, QUESTIONS[0])
        asked = all_asked(client, sales)
        await at_work(client, asked)
        mesh.replicas[lost][0].kill()
        if lost == "audit":
            await mesh.replicas[lost][0].start()
        jobs = await asyncio.gather(*asked)
        await checked(client, mesh, truth, jobs)
    await mesh.started_again()


ASKERS = times(1, 2)
PAUSE_SECONDS = times(0.4, 0.05)
"""Between two looks."""


async def test_a_rolling_restart_under_load_fails_no_call(
    mesh: Scaled, sales: Path, truth: dict[str, Told]
) -> None:
    """Processes are replaced in turn, one of each service or all of them, as a Deployment does:
    stopped gently, then another started, while files are uploaded, jobs asked for and looked up
    without end; the next one once a job more has ended."""
    over, one_more = asyncio.Event(), asyncio.Event()
    jobs: list[tuple[str, job_pb2.Job]] = []
    looked = 0

    async def asking(client: AssayClient, first: int) -> None:
        number = first
        while not over.is_set():
            question = QUESTIONS[number % len(QUESTIONS)]
            jobs.append((question, await ended(client, sales, question)))
            one_more.set()
            number += 1

    async def looking(client: AssayClient) -> None:
        nonlocal looked
        while not over.is_set():
            await client.list_jobs()
            looked += 1
            with suppress(TimeoutError):
                await asyncio.wait_for(over.wait(), PAUSE_SECONDS)

    async with AssayClient(mesh.target, "ann", resume_delays=PATIENCE) as client:
        load = [
            *(asyncio.create_task(asking(client, 6 * number)) for number in range(ASKERS)),
            asyncio.create_task(looking(client)),
        ]
        try:
            for name in ("executor", "planner", "gateway", "memory", "audit"):
                for replica in some(mesh.replicas[name], 1):
                    one_more.clear()
                    await replaced(replica)
                    going_on = asyncio.create_task(one_more.wait())
                    await asyncio.wait([*load, going_on], return_when=asyncio.FIRST_COMPLETED)
                    going_on.cancel()
        finally:
            over.set()
        await asyncio.gather(*load)
        for question, job in jobs:
            assert told_of(job) == truth[question]
        assert (await client.verify(jobs[-1][1].job_id)).ok
    assert len(jobs) >= len(QUESTIONS) // 2
    assert looked > 10
    assert sum(REPLICAS.values()) == len(mesh.all())
    assert ran_again(mesh.runs) == []


async def replaced(replica: Replica) -> None:
    """End a replica gently, and start another in its place."""
    assert await replica.stop() == 0
    await replica.start()
