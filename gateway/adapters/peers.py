"""The other services as the gateway's use cases see them; implements ports over gRPC."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace

from assay.audit.v1 import audit_service_pb2 as audit_pb
from assay.audit.v1 import audit_service_pb2_grpc
from assay.common.v1 import data_pb2, job_pb2
from assay.executor.v1 import executor_service_pb2 as executor_pb
from assay.executor.v1 import executor_service_pb2_grpc
from assay.memory.v1 import memory_service_pb2 as memory_pb
from assay.memory.v1 import memory_service_pb2_grpc
from assay.planner.v1 import planner_service_pb2 as planner_pb
from assay.planner.v1 import planner_service_pb2_grpc
from gateway.artifacts.answers import frame_digests
from gateway.domain.session import JobCounts, JobOutcome, StoredContent
from gateway.forwarding import answered
from mesh.errors import JOB_FINISHED, NOT_FOUND, AssayError
from mesh.ids import parse_id
from mesh.proof.chain import event_json
from mesh.transport.patience import patient

_ANSWERED = frozenset({job_pb2.JOB_STATE_COMPLETED, job_pb2.JOB_STATE_PARTIAL_SUCCESS})
_COUNTED = {
    job_pb2.JOB_STATE_WAITING: "waiting",
    job_pb2.JOB_STATE_COMPLETED: "answered",
    job_pb2.JOB_STATE_PARTIAL_SUCCESS: "answered",
    job_pb2.JOB_STATE_FAILED: "unanswered",
    job_pb2.JOB_STATE_CANCELLED: "unanswered",
}
_ENDED = _ANSWERED | {job_pb2.JOB_STATE_FAILED, job_pb2.JOB_STATE_CANCELLED}


class ExecutorSources:
    """The executor's store of files; implements `gateway.ports.Sources`."""

    def __init__(self, executor: executor_service_pb2_grpc.ExecutorServiceStub) -> None:
        self._executor = executor

    async def put(
        self, name: str, max_bytes: int, pieces: AsyncIterator[bytes], *, frame: bool
    ) -> StoredContent:
        """Pass pieces on as they come; no more than one waits here."""
        broken: list[Exception] = []

        async def requests() -> AsyncIterator[executor_pb.PutSourceRequest]:
            head = executor_pb.PutSourceHead(name=name, max_bytes=max_bytes, frame=frame)
            yield executor_pb.PutSourceRequest(head=head)
            try:
                async for piece in pieces:
                    chunk = data_pb2.FileChunk(data=piece)
                    yield executor_pb.PutSourceRequest(chunk=chunk)
                yield executor_pb.PutSourceRequest(end=executor_pb.PutSourceEnd())
            except Exception as error:
                broken.append(error)
                raise

        call = self._executor.PutSource(requests())
        try:
            stored = await answered(call, "executor")
        except (AssayError, asyncio.CancelledError):
            # gRPC cancels a call whose requests break off, and does not say why they did.
            if broken:
                raise broken[0] from None
            raise
        return StoredContent(
            digest=stored.digest,
            size_bytes=stored.size_bytes,
            mime_type=stored.mime_type,
            row_count=stored.row_count,
        )

    async def delete(self, digest: str) -> None:
        """Delete a stored file."""
        try:
            await answered(
                self._executor.DeleteSource(executor_pb.DeleteSourceRequest(digest=digest)),
                "executor",
            )
        except AssayError as error:
            if error.reason is not NOT_FOUND:
                raise


class MemoryDocuments:
    """Memory; implements `gateway.ports.Documents`."""

    def __init__(self, memory: memory_service_pb2_grpc.MemoryServiceStub) -> None:
        self._memory = memory

    async def forget(self, session_id: str) -> None:
        """Delete all documents of a session."""
        wanted = memory_pb.ForgetRequest(session_id=session_id)
        await answered(self._memory.Forget(wanted), "memory")


class PlannerJobs:
    """The planner; implements `gateway.ports.Jobs`."""

    def __init__(self, planner: planner_service_pb2_grpc.PlannerServiceStub) -> None:
        self._planner = planner

    async def outcome(self, job_id: str) -> JobOutcome:
        """How a job stands; one the planner no longer knows has ended without an answer."""
        wanted = planner_pb.GetJobRequest(job_id=job_id)
        try:
            job = (await answered(self._planner.GetJob(wanted), "planner")).job
        except AssayError as error:
            if error.reason is NOT_FOUND:
                return JobOutcome(ended=True, known=False)
            raise
        return JobOutcome(ended=job.state in _ENDED, frames=frame_digests(job.answer))

    async def counts(self, session_ids: Sequence[str]) -> Mapping[str, JobCounts]:
        """Jobs of sessions, by what they come to."""
        wanted = planner_pb.CountJobsRequest(session_ids=session_ids)
        found: dict[str, JobCounts] = {}
        for row in (await answered(self._planner.CountJobs(wanted), "planner")).counts:
            name = _COUNTED.get(row.state, "active")
            before = found.get(row.session_id, JobCounts())
            asked = row.newest_at.ToNanoseconds()
            newer = not before.newest or asked > before.newest_at
            found[row.session_id] = replace(
                before,
                **{name: getattr(before, name) + row.count},
                with_report=before.with_report + row.with_report,
                newest=name if newer else before.newest,
                newest_at=asked if newer else before.newest_at,
            )
        return found

    async def cancel(self, job_id: str) -> None:
        """Stop a job."""
        try:
            await answered(
                self._planner.CancelJob(planner_pb.CancelJobRequest(job_id=job_id)), "planner"
            )
        except AssayError as error:
            if error.reason is not JOB_FINISHED:
                raise


class ExecutorResults:
    """What the executor keeps of jobs; implements `gateway.ports.Results`."""

    def __init__(self, executor: executor_service_pb2_grpc.ExecutorServiceStub) -> None:
        self._executor = executor

    async def release(self, job_id: str, frames: frozenset[str] | None) -> None:
        """Let a job's things go."""
        wanted = executor_pb.ReleaseJobRequest(
            request_id=job_id, keep_artifacts=frames is not None, keep_frames=sorted(frames or ())
        )
        await answered(self._executor.ReleaseJob(wanted), "executor")


class AuditedRefusals:
    """Records refusals of the gateway in the chain of the request they end."""

    def __init__(self, audit: audit_service_pb2_grpc.AuditServiceStub) -> None:
        self._audit = audit

    async def record(self, request_id: str, error: AssayError) -> None:
        """Append once, however often the request is repeated."""
        chain = parse_id(request_id, "request_id")
        entry = audit_pb.NewEntry(
            entry_id=hashlib.sha256(f"{chain}:{error}".encode()).hexdigest()[:32],
            request_id=chain,
            event_type="policy_decision",
            event_data_json=event_json(
                {"decision": "refused", "rule": error.reason.code, "reason": error.message}
            ),
            actor="safety",
        )
        await patient("audit", self._audit.Append, audit_pb.AppendRequest(entries=[entry]))
