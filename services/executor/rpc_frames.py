"""The methods of ExecutorService that are about frames."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import grpc
from grpc import aio

from assay.executor.v1 import executor_service_pb2 as pb
from assay.executor.v1 import executor_service_pb2_grpc as pb_grpc
from mesh.frames.reference import FrameRef
from mesh.frames.sending import messages
from services.executor import contract
from services.executor.app_frames import Frames
from services.executor.domain.stored_item import StoredKind, uploaded
from services.executor.frame_leases import Leases
from services.executor.ports import UploadedFiles

Context = aio.ServicerContext[Any, Any]


_SERVICE = pb.DESCRIPTOR.services_by_name["ExecutorService"].full_name


def serve_executor(methods: FrameMethods, server: aio.Server) -> None:
    """Add ExecutorService; what its ReadFrame answers is not serialized once more."""
    pb_grpc.add_ExecutorServiceServicer_to_server(methods, server)
    server.add_registered_method_handlers(
        _SERVICE,
        {
            "ReadFrame": grpc.unary_stream_rpc_method_handler(
                methods.ReadFrame, request_deserializer=pb.ReadFrameRequest.FromString
            )
        },
    )


class FrameMethods(pb_grpc.ExecutorServiceServicer):
    """Turns messages about frames into use cases and back."""

    _frames: Frames
    _files: UploadedFiles
    _leases: Leases

    async def ReadFrame(  # type: ignore[override]  # answers are serialized already
        self, request: pb.ReadFrameRequest, context: Context
    ) -> AsyncIterator[bytes]:
        """An Arrow IPC stream in pieces."""
        elsewhere = contract.locations_from(request.locations)
        spans = self._frames.spans(request.digest, request.first_row, elsewhere)
        async with aclosing(messages(spans)) as read:
            async for message in read:
                yield message

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
        kept = await asyncio.to_thread(self._kept, request.file_digest, request.name or "frame")
        return pb.KeepFrameResponse(frame=contract.frame_to(kept))

    def _kept(self, file_digest: str, name: str) -> FrameRef:
        """The frame that a stored Arrow file is, for as long as the file is needed."""
        self._leases.require(StoredKind.SOURCE, file_digest)
        holder, file = uploaded(file_digest), self._files.path(file_digest)
        for digest in self._leases.held(holder, StoredKind.FRAME):
            if (known := self._frames.kept(digest, name)) is not None:
                return known
        return self._frames.keep(file, name, self._leases.admit(holder, StoredKind.FRAME))
