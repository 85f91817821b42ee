"""ArtifactService: files and frames of the caller's jobs, streamed from the executor."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from pathlib import PurePath
from typing import Any

import grpc
from grpc import aio

from assay.common.v1 import analysis_pb2, data_pb2, job_pb2
from assay.executor.v1 import executor_service_pb2 as executor_pb
from assay.gateway.v1 import artifact_service_pb2 as pb
from assay.gateway.v1 import artifact_service_pb2_grpc
from assay.planner.v1 import planner_service_pb2 as planner_pb
from assay.planner.v1 import planner_service_pb2_grpc
from gateway.admission.strangers import Strangers
from gateway.artifacts.answers import artifacts_of, frame_of
from gateway.artifacts.frames import ExecutorStub, frame_messages
from gateway.domain.session import SessionFile, absent
from gateway.files.app import Files
from gateway.files.readers import Readers
from gateway.files.rpc import file_message
from gateway.forwarding import answered, relayed
from gateway.jobs.showing import shown_artifact, shown_frame, shown_job
from mesh.errors import CANCELLED, INVALID_ARGUMENT, AssayError
from mesh.ids import parse_id

Context = aio.ServicerContext[Any, Any]

_SERVICE = pb.DESCRIPTOR.services_by_name["ArtifactService"].full_name


def serve_artifacts(servicer: ArtifactServicer, server: aio.Server) -> None:
    """Add the service; what its ReadFrame answers is not serialized once more."""
    artifact_service_pb2_grpc.add_ArtifactServiceServicer_to_server(servicer, server)
    server.add_registered_method_handlers(
        _SERVICE,
        {
            "ReadFrame": grpc.unary_stream_rpc_method_handler(
                servicer.ReadFrame, request_deserializer=pb.ReadFrameRequest.FromString
            )
        },
    )


class ArtifactServicer(artifact_service_pb2_grpc.ArtifactServiceServicer):
    """Serves assay.gateway.v1.ArtifactService.

    The planner says whether a job is the caller's, the job's answer says what belongs to it.
    """

    def __init__(
        self,
        planner: planner_service_pb2_grpc.PlannerServiceStub,
        strangers: Strangers,
        executor: ExecutorStub,
        files: Files,
        readers: Readers,
        local_paths: Callable[[Context], bool],
    ) -> None:
        self._readers = readers
        self._local_paths = local_paths
        self._files = files
        self._planner = planner
        self._strangers = strangers
        self._executor = executor

    async def ListArtifacts(
        self, request: pb.ListArtifactsRequest, context: Context
    ) -> pb.ListArtifactsResponse:
        """A job's artifacts."""
        job = shown_job(await self._job(request.job_id), self._local_paths(context))
        return pb.ListArtifactsResponse(artifacts=artifacts_of(job))

    async def GetArtifact(
        self, request: pb.GetArtifactRequest, context: Context
    ) -> pb.GetArtifactResponse:
        """One artifact's particulars."""
        found = await self._artifact(request.job_id, request.artifact_id)
        return pb.GetArtifactResponse(artifact=shown_artifact(found, self._local_paths(context)))

    async def DownloadArtifact(
        self, request: pb.DownloadArtifactRequest, context: Context
    ) -> AsyncIterator[pb.DownloadArtifactResponse]:
        """One artifact's bytes."""
        found = await self._artifact(request.job_id, request.artifact_id)
        wanted = executor_pb.GetArtifactRequest(content_ref=found.content_ref)
        async with self._readers.place():
            call = self._executor.GetArtifact(wanted)
            async for piece in relayed(call, "executor", context):
                yield pb.DownloadArtifactResponse(chunk=piece.chunk)

    async def ReadFrame(  # type: ignore[override]  # answers are serialized already
        self, request: pb.ReadFrameRequest, context: Context
    ) -> AsyncIterator[bytes]:
        """A frame of a job that its answer, a claim of its answer or a step names, or of a file."""
        if request.file_id:
            frame = await self._frame_of_file(request.file_id)
        else:
            job = await self._job(request.job_id)
            with self._strangers.noticing("frame", request.digest.strip().lower()):
                frame = frame_of(job, request.digest)
        messages = frame_messages(self._executor, frame, request.first_row, context)
        async with self._readers.place(), aclosing(messages):
            async for message in messages:
                yield message

    async def WriteFrame(
        self, request_iterator: AsyncIterator[pb.WriteFrameRequest], context: Context
    ) -> pb.WriteFrameResponse:
        """Store a frame as a file of a session."""
        first = await anext(aiter(request_iterator), None)
        if first is None or first.WhichOneof("part") != "head":
            raise AssayError(
                INVALID_ARGUMENT,
                "a frame begins with a head that names its session",
                fields={"head": "must be the first message"},
            )
        head = first.head
        name = head.name if PurePath(head.name).suffix else f"{head.name or 'frame'}.arrows"
        stored = await self._files.upload(
            parse_id(head.session_id, "head.session_id"),
            name,
            head.description,
            _whole(request_iterator),
            frame=True,
        )
        frame = shown_frame(await self._kept(stored), self._local_paths(context))
        return pb.WriteFrameResponse(frame=frame, file=file_message(stored))

    async def _frame_of_file(self, file_id: str) -> data_pb2.FrameRef:
        return await self._kept(await self._files.get(parse_id(file_id, "file_id")))

    async def _kept(self, file: SessionFile) -> data_pb2.FrameRef:
        wanted = executor_pb.KeepFrameRequest(
            file_digest=file.content.digest, name=PurePath(file.original_name).stem
        )
        return (await answered(self._executor.KeepFrame(wanted), "executor")).frame

    async def _job(self, job_id: str) -> job_pb2.Job:
        wanted = planner_pb.GetJobRequest(job_id=parse_id(job_id, "job_id"))
        with self._strangers.noticing("job", wanted.job_id):
            return (await answered(self._planner.GetJob(wanted), "planner")).job

    async def _artifact(self, job_id: str, artifact_id: str) -> analysis_pb2.Artifact:
        wanted = parse_id(artifact_id, "artifact_id")
        for artifact in artifacts_of(await self._job(job_id)):
            if artifact.artifact_id == wanted:
                return artifact
        with self._strangers.noticing("artifact", wanted):
            raise absent("artifact", wanted)


async def _whole(parts: AsyncIterator[pb.WriteFrameRequest]) -> AsyncIterator[bytes]:
    """The pieces of a frame. Raises AssayError(CANCELLED) when its end does not follow them."""
    async for part in parts:
        if part.WhichOneof("part") == "end":
            return
        yield part.chunk.data
    raise AssayError(CANCELLED, "the frame broke off before its end")
