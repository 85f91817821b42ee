"""What is stored of a tenant and of the mesh, how long it stays, and what goes next."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from assay.audit.v1 import audit_service_pb2 as audit_pb
from assay.audit.v1 import audit_service_pb2_grpc as audit_grpc
from assay.common.v1 import operation_pb2
from assay.executor.v1 import executor_service_pb2 as executor_pb
from assay.executor.v1 import executor_service_pb2_grpc
from assay.gateway.v1 import operator_service_pb2 as pb
from assay.memory.v1 import memory_service_pb2 as memory_pb
from assay.memory.v1 import memory_service_pb2_grpc
from assay.planner.v1 import planner_service_pb2 as planner_pb
from assay.planner.v1 import planner_service_pb2_grpc
from gateway.domain.retention import Retention
from gateway.domain.storage import Kept, KeptOfTenant
from gateway.forwarding import answered
from gateway.store_ports import StorageFigures
from mesh.context import changed, current
from mesh.errors import AssayError
from mesh.storage.files import folder_size

MOST_REMOVALS = 20
_SECONDS = 10.0
"""How long a service has to count: sums over many rows take a while."""


@dataclass(frozen=True, slots=True)
class Keeping:
    """How long the gateway keeps things, and where it keeps traces."""

    retention: Retention
    session: timedelta
    traces: timedelta
    trace_folder: Path
    most_bytes: int


class Storage:
    """Asks every service that stores something."""

    def __init__(
        self,
        planner: planner_service_pb2_grpc.PlannerServiceStub,
        executor: executor_service_pb2_grpc.ExecutorServiceStub,
        memory: memory_service_pb2_grpc.MemoryServiceStub,
        audit: audit_grpc.AuditServiceStub,
        figures: StorageFigures,
        keeping: Keeping,
    ) -> None:
        self._planner = planner
        self._executor = executor
        self._memory = memory
        self._audit = audit
        self._figures = figures
        self._keeping = keeping

    async def told(self, *, of_platform: bool) -> pb.GetStorageResponse:
        """Of the caller's tenant; `of_platform` also of all together. Services that are away are
        named."""
        own = await self._figures.of(current().tenant)
        told = pb.GetStorageResponse(
            uses=_of_gateway(own.files, own.pages),
            most_bytes=self._keeping.most_bytes,
            rules=self._rules(),
        )
        removals = [*self._removals(own)]
        try:
            with changed(seconds=_SECONDS):
                stored = await answered(
                    self._executor.GetStorage(executor_pb.GetStorageRequest()), "executor"
                )
        except AssayError:
            told.away.append("executor")
        else:
            told.uses.extend(_without_uploads(stored.uses))
            told.rules.extend(_rules_of_executor(stored))
            removals += _released(stored.uses)
            told.whole.extend(_without_uploads(stored.whole) if of_platform else ())
        if of_platform:
            await self._tell_whole(told)
        removals.sort(key=lambda one: one.at.ToNanoseconds())
        told.next.extend(removals[:MOST_REMOVALS])
        return told

    async def _tell_whole(self, told: pb.GetStorageResponse) -> None:
        told.whole.extend(_of_gateway(*await self._figures.whole()))
        size = await self._figures.database_bytes()
        told.whole.append(_use(operation_pb2.STORAGE_KIND_DATABASE, "gateway", Kept(1, size)))
        files = Kept(*await asyncio.to_thread(folder_size, self._keeping.trace_folder))
        told.whole.append(_use(operation_pb2.STORAGE_KIND_TRACE, "gateway", files))
        try:
            with changed(seconds=_SECONDS):
                wanted = planner_pb.GetStorageRequest()
                jobs = await answered(self._planner.GetStorage(wanted), "planner")
            told.whole.extend(jobs.whole)
        except AssayError:
            told.away.append("planner")
        try:
            with changed(seconds=_SECONDS):
                log = await answered(self._audit.GetStorage(audit_pb.GetStorageRequest()), "audit")
            told.whole.extend(log.whole)
        except AssayError:
            told.away.append("audit")
        try:
            with changed(seconds=_SECONDS):
                asked = memory_pb.GetStorageRequest()
                vectors = await answered(self._memory.GetStorage(asked), "memory")
            told.whole.extend(vectors.whole)
        except AssayError:
            told.away.append("memory")

    def _rules(self) -> Iterator[pb.RetentionRule]:
        keeping, retention = self._keeping, self._keeping.retention
        yield _rule("files of a session", "ASSAY_GATEWAY_SESSION_HOURS", keeping.session)
        yield _rule(
            "what a job without a session made, except for its proof",
            "ASSAY_GATEWAY_JOB_HOURS",
            retention.everything,
        )
        yield _rule(
            "ended sessions, proofs of jobs without a session, published pages",
            "ASSAY_GATEWAY_KEEP_DAYS",
            retention.proof,
        )
        yield _rule("traces", "ASSAY_TRACE_DAYS", keeping.traces)
        yield _rule("the audit log", "", None)

    def _removals(self, own: KeptOfTenant) -> Iterator[pb.Removal]:
        for session in own.ending:
            yield _removal(
                session.expires_at,
                pb.REMOVAL_REASON_SESSION_ENDS,
                id=session.session_id,
                title=session.title,
                items=session.files,
                bytes=session.bytes,
            )
        keeps = self._keeping.retention.everything
        if keeps is None:
            return
        for job in own.aging:
            yield _removal(job.noted_at + keeps, pb.REMOVAL_REASON_JOB_IS_OLD, id=job.job_id)


def _of_gateway(files: Kept, pages: Kept) -> list[operation_pb2.StorageUse]:
    return [
        _use(operation_pb2.STORAGE_KIND_UPLOAD, "gateway", files),
        _use(operation_pb2.STORAGE_KIND_PAGE, "gateway", pages),
    ]


def _use(
    kind: operation_pb2.StorageKind.ValueType, service: str, kept: Kept
) -> operation_pb2.StorageUse:
    use = operation_pb2.StorageUse(kind=kind, service=service, items=kept.items, bytes=kept.bytes)
    if kept.oldest_at is not None:
        use.oldest_at.FromDatetime(kept.oldest_at)
    return use


def _without_uploads(
    uses: Sequence[operation_pb2.StorageUse],
) -> list[operation_pb2.StorageUse]:
    """The gateway counts uploads by what people see of them."""
    return [use for use in uses if use.kind != operation_pb2.STORAGE_KIND_UPLOAD]


def _rules_of_executor(stored: executor_pb.GetStorageResponse) -> Iterator[pb.RetentionRule]:
    yield _rule(
        "data that is no longer needed, while somebody still reads it",
        "ASSAY_EXECUTOR_GRACE_SECONDS",
        stored.grace.ToTimedelta(),
    )
    keeps = stored.source_keeps.ToTimedelta() if stored.HasField("source_keeps") else None
    yield _rule("a source nobody uses, as it was last read", "ASSAY_EXECUTOR_SOURCE_DAYS", keeps)


def _released(uses: Sequence[operation_pb2.StorageUse]) -> Iterator[pb.Removal]:
    for use in uses:
        if use.HasField("goes_at"):
            yield pb.Removal(
                at=use.goes_at,
                reason=pb.REMOVAL_REASON_GRACE_IS_OVER,
                items=use.going_items,
                bytes=use.going_bytes,
            )


def _rule(what: str, setting: str, keeps: timedelta | None) -> pb.RetentionRule:
    rule = pb.RetentionRule(what=what, setting=setting)
    if keeps is not None:
        rule.keeps.FromTimedelta(keeps)
    return rule


def _removal(at: datetime, reason: pb.RemovalReason.ValueType, **more: Any) -> pb.Removal:
    removal = pb.Removal(reason=reason, **more)
    removal.at.FromDatetime(at)
    return removal
