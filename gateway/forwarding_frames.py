"""Passing frames on: from the executor's file where this host has it, else from its stream.

The rows are never decoded here. An Arrow file is an Arrow stream between a mark and an index, so
its bytes are sent as they lie there.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import Any

from grpc import aio

from assay.common.v1 import data_pb2
from assay.executor.v1 import executor_service_pb2 as executor_pb
from assay.executor.v1 import executor_service_pb2_grpc
from gateway.forwarding import answered, relayed
from mesh.frames.plane import others_may_write
from mesh.frames.sending import ahead, stored_pieces

log = logging.getLogger("assay.gateway")


async def frame_chunks(
    executor: executor_service_pb2_grpc.ExecutorServiceStub,
    digest: str,
    first_row: int,
    context: aio.ServicerContext[Any, Any],
) -> AsyncGenerator[bytes]:
    """An Arrow IPC stream of a frame's rows from `first_row` on; joined the chunks are valid.

    Raises AssayError: what the executor refuses with, SERVICE_UNAVAILABLE, INVALID_ARGUMENT.
    """
    wanted = executor_pb.LocateFrameRequest(frame=data_pb2.FrameRef(digest=digest))
    located = await answered(executor.LocateFrame(wanted), "executor")
    path = await asyncio.to_thread(_here, located.frame)
    if path is not None:
        async with aclosing(ahead(stored_pieces(path, first_row))) as pieces:
            async for data in pieces:
                yield data
        return
    call = executor.ReadFrame(executor_pb.ReadFrameRequest(digest=digest, first_row=first_row))
    async for piece in relayed(call, "executor", context):
        yield piece.chunk.data


def _here(frame: data_pb2.FrameRef) -> Path | None:
    """A file of the frame on this host that nobody else could have written."""
    for place in frame.locations:
        path = Path(place.uri)
        try:
            if place.kind == "path" and not others_may_write(path):
                path.open("rb").close()
                return path
        except OSError as error:
            if not isinstance(error, FileNotFoundError):
                log.info("frame %s is not read from its file: %s", frame.digest[:12], error)
    return None
