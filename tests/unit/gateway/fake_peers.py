"""The gateway's peers, played in memory behind the real contracts on a real socket."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
from grpc import aio

from assay.audit.v1 import audit_service_pb2_grpc
from assay.common.v1 import analysis_pb2, catalogue_pb2, data_pb2, job_pb2
from assay.executor.v1 import executor_service_pb2 as executor_pb
from assay.executor.v1 import executor_service_pb2_grpc
from assay.memory.v1 import memory_service_pb2 as memory_pb
from assay.memory.v1 import memory_service_pb2_grpc
from assay.planner.v1 import planner_service_pb2 as planner_pb
from assay.planner.v1 import planner_service_pb2_grpc
from mesh import context as calls
from mesh.config import MeshSettings
from mesh.digest import frame_digest
from mesh.errors import (
    CANCELLED,
    FILE_TOO_LARGE,
    INVALID_FILE_TYPE,
    JOB_FINISHED,
    NOT_FOUND,
    AssayError,
)
from mesh.frames.codec import stream_chunks
from mesh.transport.dial import Dial
from tests.unit.gateway.fake_audit import FakeAudit
from tests.unit.gateway.fake_catalogue import FakeCatalogue

Context = aio.ServicerContext[Any, Any]


class FakePlanner(FakeCatalogue):
    def __init__(self) -> None:
        super().__init__()
        self.jobs: dict[str, tuple[str, job_pb2.Job]] = {}
        self.requests: list[planner_pb.CreateJobRequest] = []
        self.watch_ended = asyncio.Event()
        self.watch_seconds: float | None = None
        self.looked_up: list[str] = []
        self.creating = asyncio.Event()
        self.may_create = asyncio.Event()
        self.may_create.set()
        self.context_request_ids: list[str] = []
        self.refusal: AssayError | None = None
        """How new jobs are refused."""

    def put(self, job: job_pb2.Job, tenant: str = "ann") -> job_pb2.Job:
        self.jobs[job.job_id] = (tenant, job)
        return job

    def _own(self, job_id: str) -> job_pb2.Job:
        tenant, job = self.jobs.get(job_id, ("", job_pb2.Job()))
        if tenant != calls.current().tenant:
            raise AssayError(NOT_FOUND, f"there is no job {job_id[:8]}")
        return job

    async def Converse(
        self, request: planner_pb.ConverseRequest, context: Context
    ) -> AsyncIterator[planner_pb.ConverseResponse]:
        raise NotImplementedError
        yield

    async def GetResponses(
        self, request: planner_pb.GetResponsesRequest, context: Context
    ) -> planner_pb.GetResponsesResponse:
        raise NotImplementedError

    async def AskAboutJob(
        self, request: planner_pb.AskAboutJobRequest, context: Context
    ) -> planner_pb.AskAboutJobResponse:
        raise NotImplementedError

    async def GetQueue(
        self, request: planner_pb.GetQueueRequest, context: Context
    ) -> planner_pb.GetQueueResponse:
        raise NotImplementedError

    async def ListAskers(
        self, request: planner_pb.ListAskersRequest, context: Context
    ) -> planner_pb.ListAskersResponse:
        raise NotImplementedError

    async def GetStorage(
        self, request: planner_pb.GetStorageRequest, context: Context
    ) -> planner_pb.GetStorageResponse:
        raise NotImplementedError

    async def ListGaps(
        self, request: planner_pb.ListGapsRequest, context: Context
    ) -> planner_pb.ListGapsResponse:
        raise NotImplementedError

    async def CreateJob(
        self, request: planner_pb.CreateJobRequest, context: Context
    ) -> planner_pb.CreateJobResponse:
        if self.refusal is not None:
            raise self.refusal
        self.requests.append(request)
        self.context_request_ids.append(calls.current().request_id)
        self.creating.set()
        await self.may_create.wait()
        if request.request_id in self.jobs:
            return planner_pb.CreateJobResponse(job=self._own(request.request_id))
        job = job_pb2.Job(
            job_id=request.request_id,
            state=job_pb2.JOB_STATE_SUBMITTED,
            analysis=request.analysis,
            session_id=request.session_id,
        )
        return planner_pb.CreateJobResponse(job=self.put(job, calls.current().tenant))

    async def GetJob(
        self, request: planner_pb.GetJobRequest, context: Context
    ) -> planner_pb.GetJobResponse:
        self.looked_up.append(request.job_id)
        return planner_pb.GetJobResponse(job=self._own(request.job_id))

    async def ListJobs(
        self, request: planner_pb.ListJobsRequest, context: Context
    ) -> planner_pb.ListJobsResponse:
        own = [job for tenant, job in self.jobs.values() if tenant == calls.current().tenant]
        return planner_pb.ListJobsResponse(jobs=own, next_page_token=f"after {request.page_size}")

    async def WatchJob(
        self, request: planner_pb.WatchJobRequest, context: Context
    ) -> AsyncIterator[planner_pb.WatchJobResponse]:
        job = self._own(request.job_id)
        self.watch_seconds = context.time_remaining()
        try:
            sequence = request.after_sequence + 1
            event = job_pb2.JobEvent(sequence=sequence, state=job.state)
            yield planner_pb.WatchJobResponse(event=event)
            if job.state == job_pb2.JOB_STATE_EXECUTING:
                await asyncio.Event().wait()
        finally:
            self.watch_ended.set()

    async def CancelJob(
        self, request: planner_pb.CancelJobRequest, context: Context
    ) -> planner_pb.CancelJobResponse:
        job = self._own(request.job_id)
        if job.state == job_pb2.JOB_STATE_EXECUTING:
            job.state = job_pb2.JOB_STATE_CANCELLED
            return planner_pb.CancelJobResponse(job=job)
        raise AssayError(
            JOB_FINISHED,
            f"job {job.job_id[:8]} is completed already",
            hint="look at it",
            metadata={"state": "completed"},
        )

    async def AnswerJob(
        self, request: planner_pb.AnswerJobRequest, context: Context
    ) -> planner_pb.AnswerJobResponse:
        job = self._own(request.job_id)
        job.understood = f"answered {request.option_id or request.text}"
        return planner_pb.AnswerJobResponse(job=job)

    async def PlanJob(
        self, request: planner_pb.PlanJobRequest, context: Context
    ) -> planner_pb.PlanJobResponse:
        options = [job_pb2.Choice(option_id=str(n), text=t) for n, t in ((1, "a"), (2, "b"))]
        return planner_pb.PlanJobResponse(
            understood="two readings",
            clarification=job_pb2.Clarification(question="which?", options=options),
        )

    async def CountJobs(
        self, request: planner_pb.CountJobsRequest, context: Context
    ) -> planner_pb.CountJobsResponse:
        counts = [
            planner_pb.SessionJobCount(
                session_id=job.session_id,
                state=job.state,
                count=1,
                with_report=sum(
                    artifact.artifact_type == analysis_pb2.ARTIFACT_TYPE_REPORT
                    for artifact in job.answer.artifacts
                ),
                newest_at=job.created_at,
            )
            for tenant, job in self.jobs.values()
            if job.session_id in request.session_ids and tenant == calls.current().tenant
        ]
        return planner_pb.CountJobsResponse(counts=counts)


class FakeExecutor(executor_service_pb2_grpc.ExecutorServiceServicer):
    def __init__(self) -> None:
        self.sources: dict[str, bytes] = {}
        self.artifacts: dict[str, bytes] = {}
        self.frames: dict[str, pa.Table] = {}
        self.released: list[executor_pb.ReleaseJobRequest] = []
        self.damages: list[str] = []
        self.seals: dict[str, str] = {}
        self.names: list[str] = []
        self.reads: list[str] = []
        self.received = 0
        self.deleted = asyncio.Event()
        self.storing = asyncio.Event()
        self.may_store = asyncio.Event()
        self.may_store.set()
        self.mcp: dict[str, dict[str, str]] = {}
        """Tools of MCP servers with their digests."""

    async def ListDomainTools(
        self, request: executor_pb.ListDomainToolsRequest, context: Context
    ) -> executor_pb.ListDomainToolsResponse:
        if request.server not in self.mcp:
            raise AssayError(NOT_FOUND, "there is no such server")
        tools = self.mcp[request.server].items()
        return executor_pb.ListDomainToolsResponse(
            tools=[executor_pb.OfferedTool(name=name, digest=digest) for name, digest in tools]
        )

    async def ListTools(
        self, request: executor_pb.ListToolsRequest, context: Context
    ) -> executor_pb.ListToolsResponse:
        return executor_pb.ListToolsResponse(tools=[catalogue_pb2.Tool(name="sql.run")])

    async def PutSource(
        self, request_iterator: AsyncIterator[executor_pb.PutSourceRequest], context: Context
    ) -> executor_pb.PutSourceResponse:
        head = (await anext(request_iterator)).head
        self.names.append(head.name)
        content = bytearray()
        whole = False
        async for request in request_iterator:
            whole = request.WhichOneof("part") == "end"
            content += request.chunk.data
            self.received += len(request.chunk.data)
            if len(content) > head.max_bytes:
                limit = str(head.max_bytes)
                raise AssayError(FILE_TOO_LARGE, "too large", metadata={"limit": limit})
        if not whole:
            raise AssayError(CANCELLED, "the upload broke off before its end")
        digest = hashlib.sha256(content).hexdigest()
        self.sources[digest] = bytes(content)
        if content.startswith(b"\x89PNG"):
            raise AssayError(INVALID_FILE_TYPE, f"{head.name} is a picture, not a table")
        self.storing.set()
        await self.may_store.wait()
        return executor_pb.PutSourceResponse(
            digest=digest,
            size_bytes=len(content),
            mime_type="text/csv",
            row_count=max(0, content.count(b"\n") - 1),
        )

    async def DeleteSource(
        self, request: executor_pb.DeleteSourceRequest, context: Context
    ) -> executor_pb.DeleteSourceResponse:
        self.sources.pop(request.digest, None)
        self.deleted.set()
        return executor_pb.DeleteSourceResponse()

    async def CheckRecords(
        self, request: executor_pb.CheckRecordsRequest, context: Context
    ) -> executor_pb.CheckRecordsResponse:
        self.seals = dict(request.seals)
        return executor_pb.CheckRecordsResponse(damages=self.damages)

    async def ReleaseJob(
        self, request: executor_pb.ReleaseJobRequest, context: Context
    ) -> executor_pb.ReleaseJobResponse:
        self.released.append(request)
        return executor_pb.ReleaseJobResponse()

    async def GetArtifact(
        self, request: executor_pb.GetArtifactRequest, context: Context
    ) -> AsyncIterator[executor_pb.GetArtifactResponse]:
        self.reads.append(request.content_ref)
        if request.content_ref not in self.artifacts:
            raise AssayError(NOT_FOUND, "it is not in the artifact store")
        content = self.artifacts[request.content_ref]
        for start in range(0, len(content), 5):
            chunk = data_pb2.FileChunk(data=content[start : start + 5])
            yield executor_pb.GetArtifactResponse(chunk=chunk)

    async def ReadFrame(
        self, request: executor_pb.ReadFrameRequest, context: Context
    ) -> AsyncIterator[executor_pb.ReadFrameResponse]:
        self.reads.append(request.digest)
        if request.digest not in self.frames:
            raise AssayError(NOT_FOUND, "it is not in the frame store")
        for data in stream_chunks(self.frames[request.digest], 64):
            yield executor_pb.ReadFrameResponse(chunk=data_pb2.FrameChunk(data=data))

    async def LocateFrame(
        self, request: executor_pb.LocateFrameRequest, context: Context
    ) -> executor_pb.LocateFrameResponse:
        if request.frame.digest not in self.frames:
            raise AssayError(NOT_FOUND, "it is not in the frame store")
        return executor_pb.LocateFrameResponse(frame=request.frame)

    def put_frame(self, table: pa.Table) -> str:
        digest = frame_digest(table)
        self.frames[digest] = table
        return digest


class FakeMemory(memory_service_pb2_grpc.MemoryServiceServicer):
    def __init__(self) -> None:
        self.forgotten: list[tuple[str, str]] = []

    async def Forget(
        self, request: memory_pb.ForgetRequest, context: Context
    ) -> memory_pb.ForgetResponse:
        self.forgotten.append((calls.current().tenant, request.session_id))
        return memory_pb.ForgetResponse(deleted=1)


@dataclass
class FakePeers:
    """All four on the server they are registered with; fits `ServiceFactory`."""

    planner: FakePlanner = field(default_factory=FakePlanner)
    executor: FakeExecutor = field(default_factory=FakeExecutor)
    memory: FakeMemory = field(default_factory=FakeMemory)
    audit: FakeAudit = field(default_factory=FakeAudit)
    name: str = "peers"
    contracts: tuple[str, ...] = ()

    def __call__(self, settings: MeshSettings, dial: Dial) -> FakePeers:
        return self

    def register(self, server: aio.Server) -> None:
        planner_service_pb2_grpc.add_PlannerServiceServicer_to_server(self.planner, server)
        executor_service_pb2_grpc.add_ExecutorServiceServicer_to_server(self.executor, server)
        memory_service_pb2_grpc.add_MemoryServiceServicer_to_server(self.memory, server)
        audit_service_pb2_grpc.add_AuditServiceServicer_to_server(self.audit, server)

    async def started(self) -> None:
        return

    async def drain(self) -> None:
        return

    async def __aenter__(self) -> FakePeers:
        return self

    async def __aexit__(self, *exception: Any) -> None:
        return
