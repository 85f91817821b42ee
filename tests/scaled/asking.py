"""Questions that are asked of the scaled profile, and what must be true of their answers."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from assay.common.v1 import job_pb2
from clients.python.client import AssayClient
from clients.python.question import Question
from tests.busy import allowing
from tests.thorough import times

_DOZEN = (
    "total quantity by region",
    "average price by product",
    "number of sales by month",
    "top 3 products by quantity",
    "total quantity by product as a bar chart",
    "highest price by region",
    "lowest price by product",
    "total quantity by month",
    "number of sales by region",
    "average quantity by product",
    "total quantity in North",
    "number of sales by product and region",
)
QUESTIONS = _DOZEN[: times(6, 12)]
"""A dozen that are in flight at once; half of them where not everything is run."""

PATIENCE = (0.1,) * 50 + (1.0,) * 120
"""Seconds between the tries of a client that waits for somebody to serve."""


LIMIT_SECONDS = 180
"""What a question may take; the most that is allowed, for what is measured here is not time."""


class Told(NamedTuple):
    """An answer: its words, and the digest of its table."""

    text: str
    table: str


def told_of(job: job_pb2.Job) -> Told:
    """What a job answered, which it must have."""
    assert job.state == job_pb2.JOB_STATE_COMPLETED, (job.job_id, job.state, str(job.failure))
    return Told(job.answer.text, job.answer.table.digest)


async def ended(client: AssayClient, sales: Path, question: str) -> job_pb2.Job:
    """A job once it has ended, through whatever happens meanwhile."""
    wanted = Question(question, data=(str(sales),), assume=True, timeout_seconds=LIMIT_SECONDS)
    request = await client.request(wanted)
    job = await client.submit(request)
    async for _ in client.watch(job.job_id):
        pass
    return await client.get_job(job.job_id)


def all_asked(
    client: AssayClient, sales: Path, questions: Sequence[str] = QUESTIONS
) -> list[asyncio.Task[job_pb2.Job]]:
    """Every question, all in flight at once."""
    return [asyncio.create_task(ended(client, sales, each)) for each in questions]


async def at_work(client: AssayClient, asked: list[asyncio.Task[job_pb2.Job]]) -> None:
    """Return once some job is at work."""
    async with asyncio.timeout(allowing(60)):
        while not any(task.done() for task in asked):
            jobs = await client.list_jobs()
            if any(job.state == job_pb2.JOB_STATE_EXECUTING for job in jobs):
                return
