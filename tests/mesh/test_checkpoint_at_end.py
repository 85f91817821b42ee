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
from services.audit.fsck import read_checkpoint
from services.planner.adapters.audit import RemoteAudit
from tests.mesh.support import Caller, question


class Publishing:
    """The planner's wish for checkpoints: how often it was fulfilled, and a way to hold it up."""

    def __init__(self) -> None:
        self.published = 0
        self.changed = asyncio.Condition()
        self.allowed = asyncio.Event()
        self.allowed.set()
        self.failing = False

    async def times(self, number: int) -> None:
        """Return once so many were published."""
        async with self.changed, asyncio.timeout(20):
            await self.changed.wait_for(lambda: self.published >= number)


@pytest_asyncio.fixture
async def publishing(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Publishing]:
    seen, publish = Publishing(), RemoteAudit.publish

    async def watched(audit: RemoteAudit) -> None:
        await seen.allowed.wait()
        if seen.failing:
            raise AssayError(AUDIT_UNAVAILABLE, "the disk is full")
        await publish(audit)
        async with seen.changed:
            seen.published += 1
            seen.changed.notify_all()

    monkeypatch.setattr(RemoteAudit, "publish", watched)
    yield seen
    seen.allowed.set()


async def covered(caller: Caller, mesh: MeshSettings, job_id: str) -> bool:
    """Whether the newest published checkpoint covers all of a job; asking makes none."""
    listing = records_pb.ListEntriesRequest(job_id=job_id)
    last = (await caller.records.ListEntries(listing)).entries[-1]
    newest = read_checkpoint(mesh.home / "audit" / "checkpoints")
    return newest is not None and newest.size > last.leaf_index


async def test_an_answered_job_is_covered_by_a_checkpoint_that_nobody_asked_for(
    publishing: Publishing, mesh: MeshSettings, ann: Caller, sales: Path
) -> None:
    job = await ann.asked(question("total quantity by region", sales))
    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    await publishing.times(1)
    assert await covered(ann, mesh, job.job_id)


async def test_so_is_one_that_failed_and_one_that_was_cancelled(
    publishing: Publishing, mesh: MeshSettings, ann: Caller, tmp_path: Path
) -> None:
    failed = await ann.asked(question("total quantity", tmp_path / "gone.csv"))
    await publishing.times(1)
    assert await covered(ann, mesh, failed.job_id)
    orders = tmp_path / "orders.csv"
    orders.write_text("region,net_amount,gross_amount\nNorth,10.5,12.6\nSouth,20,24\n")
    waiting = await ann.asked(question("total amount by region", orders, assume=False))
    assert waiting.state == job_pb2.JOB_STATE_WAITING
    await ann.jobs.CancelJob(jobs_pb.CancelJobRequest(job_id=waiting.job_id))
    await publishing.times(2)
    assert await covered(ann, mesh, waiting.job_id)


async def test_the_answer_does_not_wait_for_its_checkpoint(
    publishing: Publishing, mesh: MeshSettings, ann: Caller, sales: Path
) -> None:
    publishing.allowed.clear()
    job = await ann.asked(question("total quantity by region", sales))
    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    assert not await covered(ann, mesh, job.job_id)


async def test_a_checkpoint_that_cannot_be_published_fails_no_job(
    publishing: Publishing, ann: Caller, sales: Path
) -> None:
    publishing.failing = True
    job = await ann.asked(question("total quantity by region", sales))
    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    verified = await ann.records.VerifyJob(records_pb.VerifyJobRequest(job_id=job.job_id))
    assert verified.ok
