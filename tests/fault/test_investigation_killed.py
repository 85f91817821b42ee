"""A planner is killed in the middle of an investigation; another goes on from what was recorded.

No call runs twice, no iteration is judged twice, and what comes out is what an undisturbed run
gives.
"""

from __future__ import annotations

import json
import os
import random
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from assay.common.v1 import job_pb2
from assay.gateway.v1 import audit_service_pb2 as records_pb
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from services.executor.tools import (
    metric_change,
    metric_contribution,
    metric_cube,
    metric_leaf_quality,
    metric_leaves,
    metric_margins,
    metric_quality,
    metric_search,
)
from tests.fault.support import LEASE, Ledger, Ward, died, the_ward
from tests.mesh.movements import movement, of_leaves, write_leaves, write_orders

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(300)]

# An investigation is more work than a question: on a busy machine shorter leases run out.
PATIENT = {**LEASE, "ASSAY_PLANNER_LEASE_SECONDS": "10"}

TOOLS = {
    "metric_change": metric_change,
    "metric_contribution": metric_contribution,
    "metric_cube": metric_cube,
    "metric_leaf_quality": metric_leaf_quality,
    "metric_leaves": metric_leaves,
    "metric_margins": metric_margins,
    "metric_quality": metric_quality,
    "metric_search": metric_search,
}
# Of every iteration: decided and not planned, planned and not run, run and not judged, judged. The
# second and later of a kind are in the middle of the loop.
EVERYWHERE = [
    "planner: investigate-decided, committed",
    "planner: plan_created, appended",
    "planner: executing, committed",
    "planner: next_step-decided, uncommitted",
    "planner: next_step-decided, committed",
    "planner: next_step-decided, committed#3",
    "planner: plan_created, appended#3",
    "planner: tool_called, appended#2",
    "planner: step-running, committed#3",
    "planner: observed, committed#3",
    "planner: observation_recorded, appended#4",
    "planner: step-done, committed#4",
    "planner: finding-decided, uncommitted#2",
    "planner: finding-decided, committed#2",
    "planner: finding-decided, committed#4",
    "planner: narrate-decided, uncommitted",
    "planner: narrate-decided, committed",
    "planner: artifact_generated, appended#2",
]
SOME = [EVERYWHERE[i] for i in (6, 9, 13)]
KILLS = int(os.environ.get("ASSAY_FAULT_KILLS", "2"))
PLACES = EVERYWHERE if KILLS > 2 else SOME


@pytest.fixture(scope="module")
def ledger() -> Iterator[Ledger]:
    """What tools completed, over the lives of all planners."""
    kept = Ledger()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASSAY_EMBEDDER", "hashed")
        for name, module in TOOLS.items():
            patch.setattr(module, name, kept.watch(name, getattr(module, name)))
        for name, value in PATIENT.items():
            patch.setenv(name, value)
        yield kept


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def ward(ledger: Ledger) -> AsyncIterator[Ward]:
    """Peers and a second planner in this process; short, because a socket's path must be."""
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        async with the_ward(Path(folder), ledger) as ward:
            yield ward


@pytest.fixture(scope="module")
def orders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_orders(tmp_path_factory.mktemp("orders") / "orders.csv")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def undisturbed(ward: Ward, orders: Path) -> job_pb2.Job:
    """One run in which nobody dies: what every other must come to."""
    job = await ward.caller.asked(movement(orders))
    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    assert len(job.investigation_result.iterations) > 3
    return job


def _told(job: job_pb2.Job) -> dict[str, Any]:
    """What an investigation came to, without ids, times and places of this run."""
    result = job.investigation_result
    return {
        "text": job.answer.text,
        "explanations": [
            (one.title, one.effect.value, one.effect.p_value) for one in result.explanations
        ],
        "hypotheses": [(one.hypothesis_id, one.title, one.status) for one in result.hypotheses],
        "findings": [(one.finding_id, one.summary) for one in result.ledger.findings],
        "iterations": [(one.iteration, one.decision, one.reason) for one in result.iterations],
        "exit": result.ledger.exit_reason,
        "files": sorted(file.content_ref.rpartition("/")[2] for file in job.answer.artifacts),
        "steps": [(step.task_id, step.state) for step in job.steps],
    }


async def _check(ward: Ward, job: job_pb2.Job, undisturbed: job_pb2.Job) -> None:
    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    assert _told(job) == _told(undisturbed)
    done = Counter(ward.ledger.completed)
    assert max(done.values()) == 1, f"ran twice: {done}"
    entries = await ward.entries(job.job_id)
    kinds = Counter(entry.event_type for entry in entries)
    iterations = len(job.investigation_result.iterations)
    assert kinds["request_submitted"] == kinds["policy_decision"] == 1
    assert kinds["tool_called"] == len(job.steps)
    assert kinds["observation_recorded"] == len(job.steps) + iterations
    data = [json.loads(entry.event_data_json) for entry in entries]
    judged = [one["iteration"] for one in data if "hypothesis_status_changes" in one]
    assert judged == list(range(1, iterations + 1))
    verified = await ward.caller.records.VerifyJob(records_pb.VerifyJobRequest(job_id=job.job_id))
    assert verified.ok, verified
    ward.fsck()


async def _ended(ward: Ward, request: jobs_pb.CreateJobRequest) -> job_pb2.Job:
    await ward.caller.watched(request.request_id)
    return await ward.caller.job(request.request_id)


@pytest.mark.parametrize("place", PLACES)
async def test_a_planner_killed_in_the_middle_of_an_iteration_loses_and_repeats_nothing(
    ward: Ward, orders: Path, undisturbed: job_pb2.Job, place: str
) -> None:
    request = movement(orders)
    ward.ledger.completed.clear()
    async with ward.victim(place, PATIENT) as (process, stub):
        await ward.create(stub, request)
        await died(process, 120)
        job = await _ended(ward, request)
    await _check(ward, job, undisturbed)


@pytest.mark.parametrize("seed", range(KILLS // 2))
async def test_a_planner_killed_at_any_moment_of_an_investigation_loses_and_repeats_nothing(
    ward: Ward, orders: Path, undisturbed: job_pb2.Job, seed: int
) -> None:
    """The moment is an event that a watcher sees, so that it falls anywhere in the loop."""
    request = movement(orders)
    ward.ledger.completed.clear()
    events = random.Random(seed).randint(2, 40)
    async with ward.victim(lease=PATIENT) as (process, stub):
        await ward.create(stub, request)
        watching = ward.caller.jobs.WatchJob(jobs_pb.WatchJobRequest(job_id=request.request_id))
        seen, until = 0, time.monotonic() + 120
        async for _ in watching:
            seen += 1
            if seen == events or time.monotonic() > until:
                break
        process.kill()
        watching.cancel()
        job = await _ended(ward, request)
    await _check(ward, job, undisturbed)


async def test_one_of_leaves_goes_on_where_it_was_too(ward: Ward, tmp_path: Path) -> None:
    place = write_leaves(tmp_path / "leaves.csv")
    undisturbed = await ward.caller.asked(of_leaves(place))
    request = of_leaves(place)
    ward.ledger.completed.clear()
    async with ward.victim("planner: finding-decided, committed#2", PATIENT) as (process, stub):
        await ward.create(stub, request)
        await died(process, 120)
        job = await _ended(ward, request)
    await _check(ward, job, undisturbed)
