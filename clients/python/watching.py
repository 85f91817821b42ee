"""Watch a job through broken connections, by sequence number."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from assay.common.v1.job_pb2 import JobEvent
from assay.gateway.v1.job_service_pb2 import WatchJobRequest
from assay.gateway.v1.job_service_pb2_grpc import JobServiceStub
from clients.python.calls import streamed
from mesh.errors import SERVICE_UNAVAILABLE, AssayError

RESUME_DELAYS = (0.05, 0.2, 0.5, 1.0, 2.0, 3.0, 4.0, 4.0, 4.0)
"""Seconds before each try to go on: together longer than a gateway takes to be started again.

The count starts again with every event that arrives."""
LONGEST_JOB_SECONDS = 4_000.0
"""A job is watched for longer than any may take: a causal one has at most an hour."""


async def watch(
    jobs: JobServiceStub,
    job_id: str,
    after_sequence: int = 0,
    delays: Sequence[float] = RESUME_DELAYS,
) -> AsyncGenerator[JobEvent]:
    """Events after `after_sequence`, each once, until the job ended or waits for a person.

    Raises AssayError; SERVICE_UNAVAILABLE only after every delay was tried without a new event.
    """
    failures = 0
    while True:
        request = WatchJobRequest(job_id=job_id, after_sequence=after_sequence)
        try:
            async with aclosing(
                streamed(jobs.WatchJob(request, timeout=LONGEST_JOB_SECONDS))
            ) as responses:
                async for response in responses:
                    event = response.event
                    # A place in the queue, and how far a model or the reading of a file is, are
                    # told and not kept: they have the number of what came before them.
                    passing = event.HasField("progress")
                    if event.sequence <= after_sequence and not passing:
                        continue
                    after_sequence, failures = max(after_sequence, event.sequence), 0
                    yield event
            return
        except AssayError as error:
            if error.reason is not SERVICE_UNAVAILABLE or failures == len(delays):
                raise
        await asyncio.sleep(delays[failures])
        failures += 1
