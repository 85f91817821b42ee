"""What Ctrl-C does to a job: it is cancelled, and what really became of it is told."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.common.v1.job_pb2 import JobState
from clients.python.cli.as_json import state_name
from mesh.errors import JOB_FINISHED, AssayError

if TYPE_CHECKING:
    from assay.common.v1.job_pb2 import Job
    from clients.python.cli.screen import Screen
    from clients.python.client import AssayClient

ACKNOWLEDGED_SECONDS = 8.0
"""How long the mesh has to say that a job was cancelled: a call that computes ends within two
seconds, on a busy machine some more. A second Ctrl-C waits for nothing."""
_SILENT_SECONDS = 1.0


@dataclass(frozen=True)
class Stopped:
    """What became of a job at Ctrl-C: the job as the mesh has it, unless it did not say, and what
    to tell where it was not simply cancelled."""

    job: Job | None
    message: str = ""


async def stopped(screen: Screen, client: AssayClient, job_id: str) -> Stopped:
    """Cancel a job and wait until the mesh says what became of it; raises nothing."""
    cancelling = asyncio.ensure_future(client.cancel(job_id))
    try:
        async with asyncio.timeout(ACKNOWLEDGED_SECONDS):
            await asyncio.wait([cancelling], timeout=_SILENT_SECONDS)
            if not cancelling.done():
                screen.remark("cancelling; Ctrl-C again leaves without waiting for it")
            job = await cancelling
    except TimeoutError:
        return Stopped(
            None,
            f"asked to stop, but the mesh did not confirm it within {ACKNOWLEDGED_SECONDS:.0f} s; "
            "the job may still run",
        )
    except AssayError as error:
        if error.reason is not JOB_FINISHED:
            return Stopped(
                None,
                f"the mesh did not take the wish to stop ({error.message}); the job may still run",
            )
        return await _ended(client, job_id)
    if job.state == JobState.JOB_STATE_CANCELLED:
        return Stopped(job)
    return Stopped(job, f"the wish to stop is on record; the job is still {state_name(job.state)}")


async def _ended(client: AssayClient, job_id: str) -> Stopped:
    """Of a job that was faster than the wish to stop it."""
    try:
        async with asyncio.timeout(_SILENT_SECONDS):
            job = await client.get_job(job_id)
    except (AssayError, TimeoutError):
        return Stopped(None, "the job had ended already")
    return Stopped(job, f"the job had ended already: it is {state_name(job.state)}")
