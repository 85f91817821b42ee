"""A gateway that plays a script: the real contracts on a real socket, with no mesh behind them."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import grpc
import pyarrow as pa
from google.protobuf.duration_pb2 import Duration
from grpc import aio

from assay.common.v1 import analysis_pb2, data_pb2, job_pb2
from assay.common.v1.catalogue_pb2 import Recipe, Tool
from assay.gateway.v1 import (
    artifact_service_pb2,
    artifact_service_pb2_grpc,
    audit_service_pb2,
    audit_service_pb2_grpc,
    catalogue_service_pb2,
    catalogue_service_pb2_grpc,
    file_service_pb2,
    file_service_pb2_grpc,
    job_service_pb2,
    job_service_pb2_grpc,
    session_service_pb2,
    session_service_pb2_grpc,
)
from mesh.errors import NOT_FOUND, AssayError
from mesh.frames.codec import stream_chunks
from mesh.transport.callers import ByName
from mesh.transport.interceptors import server_interceptors
from mesh.transport.interceptors.credentials import Credentials
from tests.unit.clients.script import JOB_ID, STARTED, state

_FINAL = {
    job_pb2.JOB_STATE_COMPLETED,
    job_pb2.JOB_STATE_FAILED,
    job_pb2.JOB_STATE_PARTIAL_SUCCESS,
    job_pb2.JOB_STATE_CANCELLED,
}


@dataclass(frozen=True)
class Running:
    """A mesh that runs, as far as a home is concerned."""

    target: str
    public: str = ""
    web: str = ""
    at_work: Callable[[], bool] = bool


@dataclass
class FakeGateway:
    """What the gateway will say. `events` are numbered as they come; fields left out stay empty.

    The watch stream breaks once after each sequence number in `breaks`. A job without an end
    hangs until it is cancelled. `after_answer` follows when a clarification is answered.
    """

    events: list[job_pb2.JobEvent] = field(default_factory=list)
    after_answer: list[job_pb2.JobEvent] = field(default_factory=list)
    breaks: set[int] = field(default_factory=set)
    tables: dict[str, pa.Table] = field(default_factory=dict)
    contents: dict[str, bytes] = field(default_factory=dict)
    proof: audit_service_pb2.VerifyJobResponse = field(
        default_factory=audit_service_pb2.VerifyJobResponse
    )
    planned: job_service_pb2.PlanJobResponse = field(
        default_factory=job_service_pb2.PlanJobResponse
    )
    spans: list[job_service_pb2.Span] = field(default_factory=list)
    tools: list[Tool] = field(default_factory=list)
    recipes: list[Recipe] = field(default_factory=list)
    chain: list[bytes] = field(default_factory=list)
    proofs: list[audit_service_pb2.ExportProofsResponse] = field(default_factory=list)
    recomputed: list[audit_service_pb2.RecomputeJobResponse] = field(default_factory=list)
    told: job_pb2.Job | None = None
    """The job as GetJob gives it, where its events do not make it."""

    refuse: AssayError | None = None
    """Raised by CreateJob."""

    requests: list[analysis_pb2.AnalysisRequest] = field(default_factory=list)
    session_ids: list[str] = field(default_factory=list)
    uploads: dict[str, bytes] = field(default_factory=dict)
    answers: list[str] = field(default_factory=list)
    watched_from: list[int] = field(default_factory=list)
    users: list[str] = field(default_factory=list)
    watching: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when everything scripted was sent and the watcher waits."""

    left_watching: int = 0
    cancelled: asyncio.Event = field(default_factory=asyncio.Event)

    def job(self) -> job_pb2.Job:
        """The job as its events have made it."""
        job = job_pb2.Job(
            job_id=JOB_ID,
            state=job_pb2.JOB_STATE_SUBMITTED,
            created_at=STARTED,
            elapsed=Duration(nanos=400_000_000),
            audit_entries=21,
        )
        if self.requests:
            job.analysis.CopyFrom(self.requests[-1])
        steps: dict[str, job_pb2.Step] = {}
        for event in self.events:
            kind = event.WhichOneof("event")
            if kind == "step":
                steps[event.step.task_id] = event.step
            elif kind in ("state", "understood"):
                setattr(job, kind, getattr(event, kind))
            elif kind is not None:
                getattr(job, kind).CopyFrom(getattr(event, kind))
        job.steps.extend(steps.values())
        if job.state != job_pb2.JOB_STATE_WAITING:
            job.ClearField("clarification")
        return job

    # JobService

    async def CreateJob(self, request: Any, context: Any) -> Any:
        """As scripted."""
        if self.refuse is not None:
            raise self.refuse
        metadata = dict(context.invocation_metadata())
        self.users.append(metadata["x-assay-user"])
        self.requests.append(request.analysis)
        self.session_ids.append(request.session_id)
        return job_service_pb2.CreateJobResponse(job=self.job())

    async def GetJob(self, request: Any, context: Any) -> Any:
        """The one job, by its whole id."""
        if request.job_id != JOB_ID:
            raise AssayError(NOT_FOUND, f"there is no job {request.job_id}")
        return job_service_pb2.GetJobResponse(job=self.told or self.job())

    async def ListJobs(self, request: Any, context: Any) -> Any:
        """Two pages of one job each."""
        token = "" if request.page_token else "more"
        return job_service_pb2.ListJobsResponse(jobs=[self.job()], next_page_token=token)

    async def WatchJob(self, request: Any, context: Any) -> AsyncIterator[Any]:
        """Events after the number, broken where the script says."""
        self.watched_from.append(request.after_sequence)
        last = None
        for number, event in enumerate(self.events, start=1):
            last = event
            if number <= request.after_sequence:
                continue
            event.sequence = number
            yield job_service_pb2.WatchJobResponse(event=event)
            if number in self.breaks:
                self.breaks.remove(number)
                await context.abort(grpc.StatusCode.UNAVAILABLE, "connection lost")
        if last is not None and last.WhichOneof("event") == "state" and _rests(last.state):
            return
        self.watching.set()
        try:
            await self.cancelled.wait()
        finally:
            self.left_watching += 1

    async def CancelJob(self, request: Any, context: Any) -> Any:
        """Ends the job."""
        self.events.append(state(job_pb2.JOB_STATE_CANCELLED))
        self.cancelled.set()
        return job_service_pb2.CancelJobResponse(job=self.job())

    async def AnswerJob(self, request: Any, context: Any) -> Any:
        """Goes on with the script."""
        self.answers.append(request.option_id or request.text)
        self.events.extend(self.after_answer)
        return job_service_pb2.AnswerJobResponse(job=self.job())

    async def PlanJob(self, request: Any, context: Any) -> Any:
        """As scripted."""
        self.requests.append(request.analysis)
        return self.planned

    async def GetTrace(self, request: Any, context: Any) -> Any:
        """As scripted."""
        return job_service_pb2.GetTraceResponse(trace_id="ab" * 16, spans=self.spans)

    # ArtifactService

    async def ReadFrame(self, request: Any, context: Any) -> AsyncIterator[Any]:
        """The table as an Arrow stream in small pieces."""
        for piece in stream_chunks(self.tables[request.digest], 1 << 16):
            yield artifact_service_pb2.ReadFrameResponse(chunk=data_pb2.FrameChunk(data=piece))

    async def DownloadArtifact(self, request: Any, context: Any) -> AsyncIterator[Any]:
        """The bytes, three at a time."""
        content = self.contents[request.artifact_id]
        for start in range(0, len(content), 3):
            chunk = data_pb2.FileChunk(data=content[start : start + 3])
            yield artifact_service_pb2.DownloadArtifactResponse(chunk=chunk)

    # AuditService

    async def VerifyJob(self, request: Any, context: Any) -> Any:
        """As scripted."""
        return self.proof

    async def ExportChain(self, request: Any, context: Any) -> AsyncIterator[Any]:
        """As scripted."""
        for line in self.chain:
            yield audit_service_pb2.ExportChainResponse(data=line)

    async def ExportProofs(self, request: Any, context: Any) -> AsyncIterator[Any]:
        """As scripted."""
        for part in self.proofs:
            yield part

    async def RecomputeJob(self, request: Any, context: Any) -> AsyncIterator[Any]:
        """As scripted."""
        for step in self.recomputed:
            yield step

    # CatalogueService

    async def ListTools(self, request: Any, context: Any) -> Any:
        """As scripted."""
        return catalogue_service_pb2.ListToolsResponse(tools=self.tools)

    async def ListRecipes(self, request: Any, context: Any) -> Any:
        """As scripted."""
        return catalogue_service_pb2.ListRecipesResponse(recipes=self.recipes)

    async def DeleteRecipe(self, request: Any, context: Any) -> Any:
        """Forgets."""
        self.recipes = [item for item in self.recipes if item.recipe_id != request.recipe_id]
        return catalogue_service_pb2.DeleteRecipeResponse()

    # SessionService and FileService

    async def CreateSession(self, request: Any, context: Any) -> Any:
        """A session with the client's id."""
        session = session_service_pb2.Session(session_id=request.request_id)
        return session_service_pb2.CreateSessionResponse(session=session)

    async def UploadFile(self, requests: AsyncIterator[Any], context: Any) -> Any:
        """Keeps the bytes by name."""
        name, content = "", b""
        async for request in requests:
            name = name or request.head.name
            content += request.chunk.data
        self.uploads[name] = content
        digest = hashlib.sha256(content).hexdigest()
        stored = file_service_pb2.File(file_id=digest[:32], original_name=name)
        return file_service_pb2.UploadFileResponse(file=stored)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Methods no client calls yet."""
        if name.startswith("_"):
            raise AttributeError(name)

        async def unimplemented(request: Any, context: Any) -> None:
            await context.abort(grpc.StatusCode.UNIMPLEMENTED, name)

        return unimplemented

    @asynccontextmanager
    async def serving(self, folder: Path) -> AsyncIterator[str]:
        """The target while the block runs."""
        credentials = Credentials()
        credentials.believe(ByName())
        server = aio.server(interceptors=server_interceptors(credentials=credentials))
        script = cast("Any", self)
        job_service_pb2_grpc.add_JobServiceServicer_to_server(script, server)
        artifact_service_pb2_grpc.add_ArtifactServiceServicer_to_server(script, server)
        audit_service_pb2_grpc.add_AuditServiceServicer_to_server(script, server)
        catalogue_service_pb2_grpc.add_CatalogueServiceServicer_to_server(script, server)
        session_service_pb2_grpc.add_SessionServiceServicer_to_server(script, server)
        file_service_pb2_grpc.add_FileServiceServicer_to_server(script, server)
        target = f"unix:{folder}/gateway.sock"
        server.add_insecure_port(target)
        await server.start()
        try:
            yield target
        finally:
            self.cancelled.set()
            await server.stop(None)


def _rests(value: int) -> bool:
    return value in _FINAL or value == job_pb2.JOB_STATE_WAITING
