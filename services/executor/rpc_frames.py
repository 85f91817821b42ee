"""The methods of ExecutorService that are about frames."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from grpc import aio

from assay.executor.v1 import executor_service_pb2 as pb
from assay.executor.v1 import executor_service_pb2_grpc as pb_grpc
from mesh.frames.sending import ahead
from services.executor import contract
from services.executor.app_frames import Frames
from services.executor.domain.thing import ThingKind, uploaded
from services.executor.frame_leases import Leases
from services.executor.ports import UploadedFiles

Context = aio.ServicerContext[Any, Any]


class FrameMethods(pb_grpc.ExecutorServiceServicer):
    """Turns messages about frames into use cases and back."""

    _frames: Frames
    _files: UploadedFiles
    _leases: Leases

    async def ReadFrame(
        self, request: pb.ReadFrameRequest, context: Context
    ) -> AsyncIterator[pb.ReadFrameResponse]:
        """An Arrow IPC stream in pieces."""
        pieces = self._frames.pieces(request.digest, request.first_row)
        async with aclosing(ahead(pieces)) as read:
            async for data in read:
                response = pb.ReadFrameResponse()
                response.chunk.data = data  # given to a constructor it would be copied once more
                yield response

    async def LocateFrame(
        self, request: pb.LocateFrameRequest, context: Context
    ) -> pb.LocateFrameResponse:
        """Where it is, with fresh tickets."""
        wanted = contract.frame_from(request.frame)
        found = await asyncio.to_thread(self._frames.locate, wanted)
        return pb.LocateFrameResponse(frame=contract.frame_to(found))

    async def KeepFrame(
        self, request: pb.KeepFrameRequest, context: Context
    ) -> pb.KeepFrameResponse:
        """A stored Arrow file as a frame."""
        path = await asyncio.to_thread(self._files.path, request.file_digest)
        admit = self._leases.admit(uploaded(request.file_digest), ThingKind.FRAME)
        frame = await asyncio.to_thread(self._frames.keep, path, request.name or "frame", admit)
        return pb.KeepFrameResponse(frame=contract.frame_to(frame))
