"""Jobs that wait for their turn when their planner is killed are begun by another."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from assay.common.v1 import job_pb2
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from tests.fault.support import LEASE, Ward, asked, died

pytestmark = pytest.mark.asyncio(loop_scope="module")

ONE_AT_A_TIME = {**LEASE, "ASSAY_PLANNER_JOBS_AT_ONCE": "1"}


async def test_jobs_that_wait_in_a_killed_planner_are_begun_by_another(
    ward: Ward, sales: Path
) -> None:
    requests = [asked(sales) for _ in range(4)]
    with ward.ledger.holding("plot_render"):
        async with ward.victim(lease=ONE_AT_A_TIME) as (process, stub):
            for request in requests:
                await ward.create(stub, request)
            assert await asyncio.to_thread(ward.ledger.held.wait, 60)
            process.kill()
            await died(process)
        ward.ledger.door.set()
        jobs = [await _ended(ward, request.request_id) for request in requests]
    assert [job.state for job in jobs] == [job_pb2.JOB_STATE_COMPLETED] * len(jobs)
    for job in jobs:
        sequence = [entry.sequence_number for entry in await ward.entries(job.job_id)]
        assert sequence == list(range(1, len(sequence) + 1)), "begun once, whoever began it"
    ward.fsck()


async def _ended(ward: Ward, job_id: str) -> job_pb2.Job:
    async for _ in ward.caller.jobs.WatchJob(jobs_pb.WatchJobRequest(job_id=job_id)):
        pass
    return await ward.caller.job(job_id)
