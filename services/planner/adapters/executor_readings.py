"""Follows how far the executor is with files that somebody waits for."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

import grpc

from assay.executor.v1 import executor_service_pb2 as pb
from assay.executor.v1 import executor_service_pb2_grpc as pb_grpc
from services.planner.domain.readings import Reading, Readings

_PATIENCE_SECONDS = 1.0  # nobody has to be told of what takes less, nor more often


@asynccontextmanager
async def followed(
    stub: pb_grpc.ExecutorServiceStub,
    readings: Readings,
    job_id: str,
    sources: Sequence[pb.Source],
) -> AsyncIterator[None]:
    """While a job waits for its sources, ask once a second how far they are. An executor that
    does not say is not asked again; the wait itself will tell why."""
    with readings.about(job_id) as heard:
        asking = asyncio.create_task(_ask(stub, heard, sources))
        try:
            yield
        finally:
            asking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await asking


async def _ask(
    stub: pb_grpc.ExecutorServiceStub,
    heard: Callable[[Sequence[Reading]], None],
    sources: Sequence[pb.Source],
) -> None:
    wanted = pb.GetReadingProgressRequest(sources=sources)
    while True:
        await asyncio.sleep(_PATIENCE_SECONDS)
        try:
            answer = await stub.GetReadingProgress(wanted)
        except grpc.RpcError:
            return
        heard([_reading(progress) for progress in answer.readings])


def _reading(progress: pb.ReadingProgress) -> Reading:
    return Reading(
        name=progress.source_name,
        seconds=progress.elapsed.ToMilliseconds() / 1e3,
        rows=progress.rows,
        of_rows=progress.of_rows,
        bytes=progress.bytes,
        of_bytes=progress.of_bytes,
    )
