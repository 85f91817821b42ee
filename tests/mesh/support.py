"""What the mesh tests share: callers, questions, real processes, and answers made comparable."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.duration_pb2 import Duration
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from grpc import aio
from grpc_health.v1 import health_pb2, health_pb2_grpc

from assay.audit.v1 import audit_service_pb2_grpc as audit_grpc
from assay.common.v1 import analysis_pb2, data_pb2, job_pb2
from assay.executor.v1 import executor_service_pb2_grpc as executor_grpc
from assay.gateway.v1 import (
    artifact_service_pb2_grpc,
    audit_service_pb2_grpc,
    board_service_pb2_grpc,
    catalogue_service_pb2_grpc,
    conversation_service_pb2_grpc,
    definition_service_pb2_grpc,
    domain_service_pb2_grpc,
    file_service_pb2_grpc,
    job_service_pb2_grpc,
    operator_service_pb2_grpc,
    publication_service_pb2_grpc,
    session_service_pb2_grpc,
    source_service_pb2_grpc,
    text_service_pb2_grpc,
    token_service_pb2_grpc,
)
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from assay.planner.v1 import planner_service_pb2 as planner_pb
from assay.planner.v1 import planner_service_pb2_grpc as planner_grpc
from mesh.config import SERVICES, MeshSettings
from mesh.errors import AssayError
from mesh.ids import new_id
from mesh.transport.dial import open_channel
from mesh.transport.seal import seal_of
from mesh.transport.status import from_rpc_error
from tests.busy import allowing
from tests.forked import Forked

REPOSITORY = Path(__file__).resolve().parents[2]
FINAL = {
    job_pb2.JOB_STATE_COMPLETED,
    job_pb2.JOB_STATE_FAILED,
    job_pb2.JOB_STATE_PARTIAL_SUCCESS,
    job_pb2.JOB_STATE_CANCELLED,
}
START_SECONDS = 60.0


WATCH_SECONDS = 800.0


class Caller:
    """One tenant's way to the mesh: the gateway's services, and those behind it."""

    def __init__(self, settings: MeshSettings, tenant: str = "ann") -> None:
        self.settings, self.tenant = settings, tenant
        # The services behind the gateway hear one another alone: there this is one of them.
        seal = seal_of(settings)
        self._channels = {
            name: open_channel(
                settings.address(name), tenant, seal=None if name == "gateway" else seal
            )
            for name in SERVICES
        }
        gateway = self.gateway = self._channels["gateway"]
        self.jobs = job_service_pb2_grpc.JobServiceStub(gateway)
        self.artifacts = artifact_service_pb2_grpc.ArtifactServiceStub(gateway)
        self.texts = text_service_pb2_grpc.TextServiceStub(gateway)
        self.boards = board_service_pb2_grpc.BoardServiceStub(gateway)
        self.publications = publication_service_pb2_grpc.PublicationServiceStub(gateway)
        self.catalogue = catalogue_service_pb2_grpc.CatalogueServiceStub(gateway)
        self.records = audit_service_pb2_grpc.AuditServiceStub(gateway)
        self.conversations = conversation_service_pb2_grpc.ConversationServiceStub(gateway)
        self.sessions = session_service_pb2_grpc.SessionServiceStub(gateway)
        self.sources = source_service_pb2_grpc.SourceServiceStub(gateway)
        self.tokens = token_service_pb2_grpc.TokenServiceStub(gateway)
        self.definitions = definition_service_pb2_grpc.DefinitionServiceStub(gateway)
        self.domains = domain_service_pb2_grpc.DomainServiceStub(gateway)
        self.files = file_service_pb2_grpc.FileServiceStub(gateway)
        self.operation = operator_service_pb2_grpc.OperatorServiceStub(gateway)
        self.planner = planner_grpc.PlannerServiceStub(self._channels["planner"])
        self.executor = executor_grpc.ExecutorServiceStub(self._channels["executor"])
        self.audit = audit_grpc.AuditServiceStub(self._channels["audit"])

    async def __aenter__(self) -> Caller:
        return self

    async def __aexit__(self, *exception: object) -> None:
        for channel in self._channels.values():
            await channel.close()

    def channel(self, service: str) -> aio.Channel:
        return self._channels[service]

    async def create(self, request: jobs_pb.CreateJobRequest) -> job_pb2.Job:
        return (await self.jobs.CreateJob(request)).job

    async def job(self, job_id: str) -> job_pb2.Job:
        return (await self.jobs.GetJob(jobs_pb.GetJobRequest(job_id=job_id))).job

    async def watched(self, job_id: str, after: int = 0) -> list[job_pb2.JobEvent]:
        """Every event until the job has ended or waits."""
        request = jobs_pb.WatchJobRequest(job_id=job_id, after_sequence=after)
        return [told.event async for told in self.jobs.WatchJob(request, timeout=WATCH_SECONDS)]

    async def asked(self, request: jobs_pb.CreateJobRequest) -> job_pb2.Job:
        """The job once it has ended or waits for an answer."""
        job = await self.create(request)
        await self.watched(job.job_id)
        return await self.job(job.job_id)


def question(
    text: str,
    *places: Path,
    deliverables: Sequence[int] = (),
    row_limit: int | None = None,
    timeout: int | None = None,
    blocked: Sequence[str] = (),
    allowed: Sequence[str] = (),
    assume: bool = True,
) -> jobs_pb.CreateJobRequest:
    """A new request about files of this machine; `timeout` is in seconds."""
    analysis = analysis_pb2.AnalysisRequest(
        intent=text,
        data_sources=[data_pb2.DataSource(file_path=str(place)) for place in places],
        constraints=data_pb2.Constraints(
            row_limit=row_limit, timeout=None if timeout is None else Duration(seconds=timeout)
        ),
        deliverables=[analysis_pb2.Deliverable.ValueType(number) for number in deliverables],
        policy=data_pb2.Policy(allowed_columns=allowed, blocked_patterns=blocked),
        assume=assume,
    )
    return jobs_pb.CreateJobRequest(request_id=new_id(), analysis=analysis)


def for_planner(request: jobs_pb.CreateJobRequest) -> planner_pb.CreateJobRequest:
    """A request as the gateway passes it on."""
    passed = planner_pb.CreateJobRequest(request_id=request.request_id)
    kind = str(request.WhichOneof("work"))
    getattr(passed, kind).CopyFrom(getattr(request, kind))
    return passed


async def refusal(call: Awaitable[object]) -> AssayError:
    """The AssayError that a call must end with."""
    try:
        answer = await call
    except grpc.RpcError as error:
        return from_rpc_error(error)
    raise AssertionError(f"the call was answered: {answer}")


@dataclass
class ServiceProcess:
    """A real `python -m services …`, whose modules were imported before (`tests.forked`)."""

    process: Forked
    names: tuple[str, ...]

    def stop(self, seconds: float = 30.0) -> int:
        """Ask it to stop, as Kubernetes does; its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(allowing(seconds))

    def kill(self) -> None:
        """End it as a crash would."""
        self.process.kill()
        self.process.wait()


def start_process(
    names: Sequence[str],
    settings: MeshSettings,
    extra: Mapping[str, str] | None = None,
    module: str = "services",
) -> ServiceProcess:
    """Start services in a process of their own, configured as in production: by environment.

    `module` is what runs them: `services`, or what observes it.
    """
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith("OTEL_")},
        "ASSAY_HOME": str(settings.home),
        "ASSAY_LOCAL_PATHS": "true",
        "ASSAY_DRAIN_SECONDS": str(settings.drain_seconds),
        **{f"ASSAY_{name.upper()}_ADDRESS": settings.address(name) for name in SERVICES},
        **(extra or {}),
    }
    log = (settings.home / f"{'-'.join(names)}.log").open("a")
    wanted = ["all"] if len(names) == len(SERVICES) else list(names)
    process = Forked(module, wanted, environment, log)
    log.close()
    return ServiceProcess(process, tuple(names))


async def serving(settings: MeshSettings, started: Mapping[str, ServiceProcess]) -> None:
    """Return when the services say that they serve; fail at once when a process has ended."""
    async with asyncio.timeout(allowing(START_SECONDS)), Caller(settings) as caller:
        for name, process in started.items():
            stub: Any = health_pb2_grpc.HealthStub(caller.channel(name))
            while True:
                try:
                    request = health_pb2.HealthCheckRequest()
                    await stub.Check(request, wait_for_ready=True, timeout=2)
                    break
                except aio.AioRpcError:
                    log = settings.home / f"{'-'.join(process.names)}.log"
                    assert process.process.poll() is None, log.read_text()[-2000:]


@asynccontextmanager
async def processes(
    settings: MeshSettings,
    groups: Sequence[Sequence[str]],
    extra: Mapping[str, str] | None = None,
    module: str = "services",
) -> AsyncIterator[dict[str, ServiceProcess]]:
    """Real processes, each with a group of services that `module` runs; stopped at the end."""
    started: dict[str, ServiceProcess] = {}
    try:
        for group in groups:
            process = start_process(group, settings, extra, module)
            started |= dict.fromkeys(group, process)
        await serving(settings, started)
        yield started
    finally:
        for process in {id(p): p for p in started.values()}.values():
            await asyncio.to_thread(process.stop)


_VOLATILE = {
    "createdAt",
    "updatedAt",
    "expiresAt",
    "uploadedAt",
    "timestamp",
    "elapsed",
    "executionTime",
    "hash",
    "parentHash",
    "leafIndex",
    "lastUsedAt",
    "lastUsed",
    "bytes",
    "sequence",
    "traceId",
    "locations",  # with a server each there is one more, by Flight
}
_ID = re.compile(r"\b(?:[0-9a-f]{32}|[0-9a-f]{8})\b")
_DIGEST = re.compile(r"\b[0-9a-f]{64}\b")
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?")
_SECONDS = re.compile(r"\d+(\.\d+)?(e-\d+)? ?m?s\b")


def comparable(answer: object, home: Path) -> Any:
    """An answer without ids, times, places and hashes, in an order that does not depend on luck."""
    if isinstance(answer, Message):
        return comparable(MessageToDict(answer), home)
    if isinstance(answer, dict):
        # Reports hold times and ids, so their size and hash differ from run to run.
        volatile = _VOLATILE | (
            {"contentHash", "sizeBytes"}
            if answer.get("artifactType") == "ARTIFACT_TYPE_REPORT"
            else set()
        )
        return {
            str(key): comparable(value, home)
            for key, value in answer.items()
            if key not in volatile
        }
    if isinstance(answer, list | tuple):
        return sorted((comparable(item, home) for item in answer), key=repr)
    if isinstance(answer, str):
        text = answer.replace(str(home), "HOME")
        for pattern, name in ((_DIGEST, "DIGEST"), (_ID, "ID"), (_TIME, "TIME")):
            text = pattern.sub(name, text)
        return _SECONDS.sub("TIME", text)
    return answer
