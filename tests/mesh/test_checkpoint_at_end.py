"""A checkpoint covers a job's last entry soon after the job has ended, and never holds it up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from assay.common.v1 import job_pb2
from assay.gateway.v1 import audit_service_pb2 as records_pb
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from mesh.config import MeshSettings
from mesh.errors import AUDIT_UNAVAILABLE, AssayError
from mesh.testing.mesh import running_mesh
from services.__main__ import factories
from services.audit.fsck import read_checkpoint
from services.planner.adapters.audit import RemoteAudit
from tests.busy import allowing
from tests.mesh import shared
from tests.mesh.support import Caller, question

pytestmark = shared.ON_ONE_LOOP
mesh, ann = shared.mesh, shared.ann


class Publishing:
    """The planner's wish for checkpoints: when it was fulfilled, and a way to hold it up."""

    def __init__(self) -> None:
        self.published = asyncio.Event()
        self.allowed = asyncio.Event()
        self.allowed.set()
        self.failing = False


@pytest_asyncio.fixture(loop_scope="session")
async def publishing(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Publishing]:
    seen, publish = Publishing(), RemoteAudit.publish

    async def watched(audit: RemoteAudit) -> None:
        await seen.allowed.wait()
        if seen.failing:
            raise AssayError(AUDIT_UNAVAILABLE, "the disk is full")
        await publish(audit)
        seen.published.set()

    monkeypatch.setattr(RemoteAudit, "publish", watched)
    yield seen
    seen.allowed.set()


async def covered(caller: Caller, mesh: MeshSettings, job_id: str) -> bool:
    """Whether the newest published checkpoint covers all of a job; asking makes none."""
    listing = records_pb.ListEntriesRequest(job_id=job_id)
    last = (await caller.records.ListEntries(listing)).entries[-1]
    newest = read_checkpoint(mesh.home / "audit" / "checkpoints")
    return newest is not None and newest.size > last.leaf_index


async def soon_covered(
    publishing: Publishing, caller: Caller, mesh: MeshSettings, job_id: str
) -> None:
    """Return once a checkpoint that the planner wished for covers all of a job.

    The first may be one that another job's end brought."""
    async with asyncio.timeout(allowing(20)):
        while not await covered(caller, mesh, job_id):
            await publishing.published.wait()
            publishing.published.clear()


async def test_an_answered_job_is_covered_by_a_checkpoint_that_nobody_asked_for(
    publishing: Publishing, mesh: MeshSettings, ann: Caller, sales: Path
) -> None:
    job = await ann.asked(question("how many sales are there?", sales))
    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    await soon_covered(publishing, ann, mesh, job.job_id)


async def test_so_is_one_that_failed_and_one_that_was_cancelled(
    publishing: Publishing, mesh: MeshSettings, ann: Caller, tmp_path: Path
) -> None:
    failed = await ann.asked(question("total quantity", tmp_path / "gone.csv"))
    await soon_covered(publishing, ann, mesh, failed.job_id)
    orders = tmp_path / "orders.csv"
    orders.write_text("region,net_amount,gross_amount\nNorth,10.5,12.6\nSouth,20,24\n")
    waiting = await ann.asked(question("total amount by region", orders, assume=False))
    assert waiting.state == job_pb2.JOB_STATE_WAITING
    await ann.jobs.CancelJob(jobs_pb.CancelJobRequest(job_id=waiting.job_id))
    await soon_covered(publishing, ann, mesh, waiting.job_id)


async def test_the_answer_does_not_wait_for_its_checkpoint(
    publishing: Publishing, home: Path, sales: Path
) -> None:
    """On a mesh of its own: at another the interval might bring a checkpoint just now."""
    publishing.allowed.clear()
    async with running_mesh(home, factories) as own, Caller(own) as caller:
        job = await caller.asked(question("how many sales are there?", sales))
        assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
        assert not await covered(caller, own, job.job_id)
        publishing.allowed.set()


async def test_a_checkpoint_that_cannot_be_published_fails_no_job(
    publishing: Publishing, ann: Caller, sales: Path
) -> None:
    publishing.failing = True
    job = await ann.asked(question("how many sales are there?", sales))
    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    verified = await ann.records.VerifyJob(records_pb.VerifyJobRequest(job_id=job.job_id))
    assert verified.ok
