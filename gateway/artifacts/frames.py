"""Passing frames on: from the executor's file where this host has it, else from its stream.

The rows are never decoded here. An Arrow file is an Arrow stream between a mark and an index, so
its bytes are sent as they lie there. What an executor sends is handed on as it came: its messages
and the gateway's are equal on the wire (`mesh.frames.wire`).
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
from mesh.frames.sending import messages, stored_spans

log = logging.getLogger("assay.gateway")

_READ_FRAME = "/assay.executor.v1.ExecutorService/ReadFrame"


class ExecutorStub(executor_service_pb2_grpc.ExecutorServiceStub):
    """The generated stub, and `ReadFrameMessages`: ReadFrame whose answers stay serialized."""

    def __init__(self, channel: aio.Channel) -> None:
        super().__init__(channel)
        self.ReadFrameMessages: aio.UnaryStreamMultiCallable[executor_pb.ReadFrameRequest, bytes]
        self.ReadFrameMessages = channel.unary_stream(
            _READ_FRAME, request_serializer=executor_pb.ReadFrameRequest.SerializeToString
        )


async def frame_messages(
    executor: ExecutorStub,
    frame: data_pb2.FrameRef,
    first_row: int,
    context: aio.ServicerContext[Any, Any],
) -> AsyncGenerator[bytes]:
    """A frame's rows from `first_row` on, as serialized `ReadFrameResponse`s.

    Their chunks, joined, are a valid Arrow IPC stream. `frame` tells its digest and where it may
    be; the executor that is asked passes it on when another has it.

    Raises AssayError: what the executor refuses with, SERVICE_UNAVAILABLE, INVALID_ARGUMENT.
    """
    wanted = executor_pb.LocateFrameRequest(frame=frame)
    located = await answered(executor.LocateFrame(wanted), "executor")
    path = await asyncio.to_thread(_here, located.frame)
    if path is not None:
        async with aclosing(messages(stored_spans(path, first_row))) as read:
            async for message in read:
                yield message
        return
    wanted_rows = executor_pb.ReadFrameRequest(
        digest=frame.digest, first_row=first_row, locations=frame.locations
    )
    async for message in relayed(executor.ReadFrameMessages(wanted_rows), "executor", context):
        yield message


def _here(frame: data_pb2.FrameRef) -> Path | None:
    """A file of the frame on this host that nobody else could have written."""
    for place in frame.locations:
        path = Path(place.uri)
        try:
            if place.kind == data_pb2.FRAME_LOCATION_KIND_PATH and not others_may_write(path):
                path.open("rb").close()
                return path
        except OSError as error:
            if not isinstance(error, FileNotFoundError):
                log.info("frame %s is not read from its file: %s", frame.digest[:12], error)
    return None
