"""Load on one service: calls that change something, and a look whether what was said to be, is."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import grpc
from grpc import aio

from assay.audit.v1 import audit_service_pb2 as audit_pb
from assay.audit.v1 import audit_service_pb2_grpc as audit_grpc
from assay.common.v1 import analysis_pb2
from assay.executor.v1 import executor_service_pb2 as executor_pb
from assay.executor.v1 import executor_service_pb2_grpc as executor_grpc
from assay.gateway.v1 import session_service_pb2 as sessions_pb
from assay.gateway.v1 import session_service_pb2_grpc as sessions_grpc
from assay.memory.v1 import memory_service_pb2 as memory_pb
from assay.memory.v1 import memory_service_pb2_grpc as memory_grpc
from assay.planner.v1 import planner_service_pb2 as planner_pb
from assay.planner.v1 import planner_service_pb2_grpc as planner_grpc
from mesh.config import MeshSettings
from mesh.ids import new_id
from mesh.transport.interceptors import client_interceptors
from mesh.transport.seal import seal_of
from tests.mesh.support import for_planner, question

Change = Callable[[str], Awaitable[object]]
Look = Callable[[str, Any], Awaitable[None]]


@dataclass
class Load:
    """What callers of one service were told, call by call."""

    acknowledged: dict[str, Any] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)
    statuses: Counter[grpc.StatusCode] = field(default_factory=Counter)
    answered_after: float = 0.0
    begun: asyncio.Event = field(default_factory=asyncio.Event)

    async def call(self, change: Change) -> None:
        """Call until the service refuses."""
        while True:
            key = new_id()
            try:
                self.acknowledged[key] = await change(key)
            except aio.AioRpcError as error:
                if error.code() is not grpc.StatusCode.UNAVAILABLE:
                    self.begun.set()  # whoever waits for it need not wait in vain
                self.statuses[error.code()] += 1
                self.refused.append(key)
                return
            self.answered_after = time.monotonic()
            if len(self.acknowledged) >= ENOUGH:
                self.begun.set()


ENOUGH = 8
CALLERS = 6


def once(settings: MeshSettings, service: str) -> aio.Channel:
    """A channel that shows every refusal: it repeats nothing by itself."""
    seal = None if service == "gateway" else seal_of(settings)
    return aio.insecure_channel(
        settings.address(service),
        options=[("grpc.enable_retries", 0)],
        interceptors=client_interceptors("ann", seal),
    )


def work_for(service: str, channel: aio.Channel, sales: Path) -> tuple[Change, Look]:
    """A call that changes something under a given id, and one that fails if it did not."""
    makers: dict[str, Callable[[aio.Channel], tuple[Change, Look]]] = {
        "gateway": _sessions,
        "audit": _entries,
        "executor": _artifacts,
        "memory": _documents,
        "planner": partial(_jobs, sales=sales),
    }
    return makers[service](channel)


def _sessions(channel: aio.Channel) -> tuple[Change, Look]:
    stub = sessions_grpc.SessionServiceStub(channel)

    async def look(key: str, told: Any) -> None:
        found = await stub.GetSession(sessions_pb.GetSessionRequest(session_id=key))
        assert found.session == told.session

    def change(key: str) -> Awaitable[object]:
        return stub.CreateSession(sessions_pb.CreateSessionRequest(request_id=key))

    return change, look


def _entries(channel: aio.Channel) -> tuple[Change, Look]:
    stub = audit_grpc.AuditServiceStub(channel)

    async def look(key: str, told: Any) -> None:
        found = await stub.List(audit_pb.ListRequest(request_id=key))
        assert [entry.entry_id for entry in found.entries] == [key]

    def change(key: str) -> Awaitable[object]:
        entry = audit_pb.NewEntry(
            entry_id=key,
            request_id=key,
            event_type="policy_decision",
            event_data_json=json.dumps({"decision": "none"}),
            actor="safety",
        )
        return stub.Append(audit_pb.AppendRequest(entries=[entry]))

    return change, look


def _artifacts(channel: aio.Channel) -> tuple[Change, Look]:
    stub = executor_grpc.ExecutorServiceStub(channel)

    async def look(key: str, told: Any) -> None:
        wanted = executor_pb.GetArtifactRequest(content_ref=told.artifact.content_ref)
        pieces = [piece.chunk.data async for piece in stub.GetArtifact(wanted)]
        assert b"".join(pieces) == key.encode()

    def change(key: str) -> Awaitable[object]:
        request = executor_pb.PutArtifactRequest(
            request_id=key,
            name="note.md",
            artifact_type=analysis_pb2.ARTIFACT_TYPE_REPORT,
            media_type="text/markdown",
            content=key.encode(),
        )
        return stub.PutArtifact(request)

    return change, look


def _documents(channel: aio.Channel) -> tuple[Change, Look]:
    stub = memory_grpc.MemoryServiceStub(channel)

    async def look(key: str, told: Any) -> None:
        forgotten = await stub.Forget(memory_pb.ForgetRequest(session_id=key))
        assert forgotten.deleted == 1

    def change(key: str) -> Awaitable[object]:
        document = memory_pb.Document(document_id=key, session_id=key, content=f"note {key}")
        return stub.StoreDocument(memory_pb.StoreDocumentRequest(document=document))

    return change, look


def _jobs(channel: aio.Channel, sales: Path) -> tuple[Change, Look]:
    stub = planner_grpc.PlannerServiceStub(channel)

    async def look(key: str, told: Any) -> None:
        found = await stub.GetJob(planner_pb.GetJobRequest(job_id=key))
        for source in found.job.analysis.data_sources:
            source.ClearField("schema_fingerprint")  # filled in once the source was described
        assert found.job.analysis == told.job.analysis

    def change(key: str) -> Awaitable[object]:
        request = question("total quantity by region", sales)
        request.request_id = key
        return stub.CreateJob(for_planner(request))

    return change, look
