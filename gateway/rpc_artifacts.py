"""ArtifactService: files and frames of the caller's jobs, streamed from the executor."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from grpc import aio

from assay.common.v1 import job_pb2
from assay.executor.v1 import executor_service_pb2 as executor_pb
from assay.executor.v1 import executor_service_pb2_grpc
from assay.gateway.v1 import artifact_service_pb2 as pb
from assay.gateway.v1 import artifact_service_pb2_grpc
from assay.planner.v1 import planner_service_pb2 as planner_pb
from assay.planner.v1 import planner_service_pb2_grpc
from gateway.domain.references import job_reference
from gateway.domain.session import absent
from gateway.forwarding import answered, relayed
from mesh.ids import parse_id

Context = aio.ServicerContext[Any, Any]


class ArtifactServicer(artifact_service_pb2_grpc.ArtifactServiceServicer):
    """Serves assay.gateway.v1.ArtifactService.

    The planner says whether a job is the caller's, the job's answer says what belongs to it.
    """

    def __init__(
        self,
        planner: planner_service_pb2_grpc.PlannerServiceStub,
        executor: executor_service_pb2_grpc.ExecutorServiceStub,
    ) -> None:
        self._planner = planner
        self._executor = executor

    async def ListArtifacts(
        self, request: pb.ListArtifactsRequest, context: Context
    ) -> pb.ListArtifactsResponse:
        """A job's artifacts."""
        return pb.ListArtifactsResponse(artifacts=(await self._answer(request.job_id)).artifacts)

    async def GetArtifact(
        self, request: pb.GetArtifactRequest, context: Context
    ) -> pb.GetArtifactResponse:
        """One artifact's particulars."""
        found = await self._artifact(request.job_id, request.artifact_id)
        return pb.GetArtifactResponse(artifact=found)

    async def DownloadArtifact(
        self, request: pb.DownloadArtifactRequest, context: Context
    ) -> AsyncIterator[pb.DownloadArtifactResponse]:
        """One artifact's bytes."""
        found = await self._artifact(request.job_id, request.artifact_id)
        call = self._executor.GetArtifact(
            executor_pb.GetArtifactRequest(content_ref=found.content_ref)
        )
        async for piece in relayed(call, "executor", context):
            yield pb.DownloadArtifactResponse(chunk=piece.chunk)

    async def ReadFrame(
        self, request: pb.ReadFrameRequest, context: Context
    ) -> AsyncIterator[pb.ReadFrameResponse]:
        """A frame of a job; only one that its answer or a claim of its answer names."""
        digest = request.digest.strip().lower()
        if digest not in frame_digests(await self._answer(request.job_id)):
            raise absent("frame", digest)
        call = self._executor.ReadFrame(executor_pb.ReadFrameRequest(digest=digest))
        async for piece in relayed(call, "executor", context):
            yield pb.ReadFrameResponse(chunk=piece.chunk)

    async def _answer(self, job_id: str) -> job_pb2.Answer:
        wanted = planner_pb.GetJobRequest(job_id=job_reference(job_id))
        return (await answered(self._planner.GetJob(wanted), "planner")).job.answer

    async def _artifact(self, job_id: str, artifact_id: str) -> job_pb2.Artifact:
        wanted = parse_id(artifact_id, "artifact_id")
        for artifact in (await self._answer(job_id)).artifacts:
            if artifact.artifact_id == wanted:
                return artifact
        raise absent("artifact", wanted)


def frame_digests(answer: job_pb2.Answer) -> frozenset[str]:
    """Digests of the frames that belong to an answer."""
    named = {answer.table.digest, answer.display.digest}
    named.update(claim.frame_digest for claim in answer.claims)
    return frozenset(named - {""})
