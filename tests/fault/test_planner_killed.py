"""A planner is killed as `kill -9` does; another goes on, and nothing is lost or done twice."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import time
from pathlib import Path

import pytest
import pytest_asyncio

from assay.common.v1 import job_pb2
from tests.busy import allowing
from tests.fault.support import USUAL, Ward, asked, died
from tests.mesh.support import for_planner

pytestmark = pytest.mark.asyncio(loop_scope="module")

COMMITS = (
    "submitted",
    "planning",
    "plan-decided",
    "executing",
    "step-running",
    "observed",
    "step-done",
    "narrate-decided",
    "completed",
)
APPENDS = ("request_submitted", "plan_created", "tool_called", "observation_recorded")
EVERYWHERE = [
    *(f"planner: {name}, {when}" for name in COMMITS for when in ("uncommitted", "committed")),
    *(f"planner: {name}, appended" for name in APPENDS),
    "planner: step-done, committed#2",
    "planner: executing, uncommitted#2",
    "planner: executing, committed#2",
    "planner: executing, committed#3",
    "planner: artifact_generated, appended#2",
    *(f"planner: checkpoint, {when}" for when in ("unpublished", "published")),
]
# Of every kind one: before and after a commit, after an append that nothing has been stored of,
# at the first step and at the last.
SOME = [
    "planner: submitted, uncommitted",
    "planner: plan-decided, committed",
    "planner: plan_created, appended",
    "planner: step-running, committed",
    "planner: observed, uncommitted",
    "planner: observation_recorded, appended",
    "planner: narrate-decided, uncommitted",
    "planner: completed, uncommitted",
    "planner: checkpoint, unpublished",
]
# `make fault` asks for many.
KILLS = int(os.environ.get("ASSAY_FAULT_KILLS", "2"))
HANDED_OVER_WITHIN = 3.0
PLACES = EVERYWHERE if KILLS > 2 else SOME


@pytest_asyncio.fixture(loop_scope="module")
async def undisturbed_run(ward: Ward, sales: Path) -> None:
    """One run in which nobody dies: what every other must come to."""
    if not ward.undisturbed:
        job = await ward.caller.asked(asked(sales))
        ward.undisturbed, ward.steps = ward.artifacts(job.job_id), len(job.steps)
        assert {"charts", "reports", "tables"} <= {name.split("/")[0] for name in ward.undisturbed}
    ward.ledger.completed.clear()


@pytest.mark.usefixtures("undisturbed_run")
@pytest.mark.parametrize("place", PLACES)
async def test_a_planner_killed_around_a_commit_loses_and_repeats_nothing(
    ward: Ward, sales: Path, place: str
) -> None:
    request = asked(sales)
    async with ward.victim(place) as (process, stub):
        await ward.create(stub, request)
        death = await died(process)
        job = await ward.ended(request.request_id, death)
    await ward.check(job)
    ward.fsck()


@pytest.mark.usefixtures("undisturbed_run")
async def test_with_the_usual_lease_a_job_goes_on_within_five_seconds(
    ward: Ward, sales: Path
) -> None:
    request = asked(sales)
    async with ward.victim("planner: observed, committed", USUAL) as (process, stub):
        await ward.create(stub, request)
        death = await died(process)
        job = await ward.ended(request.request_id, death)
    await ward.check(job)


@pytest.mark.usefixtures("undisturbed_run")
@pytest.mark.parametrize("seed", range(KILLS))
async def test_a_planner_killed_at_any_moment_loses_and_repeats_nothing(
    ward: Ward, sales: Path, seed: int
) -> None:
    request = asked(sales)
    async with ward.victim() as (process, stub):
        creating = asyncio.create_task(ward.create(stub, request))
        await asyncio.sleep(random.Random(seed).uniform(0.0, 0.8))
        process.kill()
        death = time.monotonic()
        await creating
        job = await ward.ended(request.request_id, death)
    await ward.check(job)
    ward.fsck()


@pytest.mark.usefixtures("undisturbed_run")
async def test_a_planner_that_slept_through_its_lease_writes_nothing_when_it_wakes(
    ward: Ward, sales: Path
) -> None:
    request = asked(sales)
    async with ward.victim() as (process, stub):
        with ward.ledger.holding("plot_render"):
            await stub.CreateJob(for_planner(request))
            assert await asyncio.to_thread(ward.ledger.held.wait, 20)
            asleep = await ward.freeze(process)
            ending = asyncio.create_task(ward.ended(request.request_id, asleep))
            await ward.taken_over(request.request_id)
            ward.ledger.door.set()
            job = await ending
        entries = await ward.entries(request.request_id)
        process.process.send_signal(signal.SIGCONT)
        await ward.logged("went on with another planner")
        assert await ward.entries(request.request_id) == entries
        assert await ward.caller.job(request.request_id) == job
    await ward.check(job)
    ward.fsck()


@pytest.mark.usefixtures("undisturbed_run")
async def test_a_planner_told_to_stop_hands_its_jobs_over_at_once(ward: Ward, sales: Path) -> None:
    request = asked(sales)
    lease = {**USUAL, "ASSAY_PLANNER_LEASE_SECONDS": "60"}
    async with ward.victim(lease=lease) as (process, stub):
        with ward.ledger.holding("plot_render"):
            await stub.CreateJob(for_planner(request))
            assert await asyncio.to_thread(ward.ledger.held.wait, 20)
            told = time.monotonic()
            process.process.send_signal(signal.SIGTERM)
            await ward.taken_over(request.request_id)
            assert time.monotonic() - told < allowing(HANDED_OVER_WITHIN), (
                "long before the lease runs out"
            )
            ward.ledger.door.set()
        assert await asyncio.to_thread(process.process.wait, 30) == 0
        await ward.caller.watched(request.request_id)
        job = await ward.caller.job(request.request_id)
    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    ward.fsck()
