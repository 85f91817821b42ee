"""For the tests of cancelling: tools that run until they are stopped, and what is recorded."""

from __future__ import annotations

import dataclasses
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc

from assay.common.v1 import analysis_pb2, job_pb2
from assay.gateway.v1 import artifact_service_pb2 as artifacts_pb
from assay.gateway.v1 import audit_service_pb2 as records_pb
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from assay.planner.v1 import planner_service_pb2 as planner_pb
from clients.python.cli.verifying import checked
from clients.python.client import AssayClient
from clients.python.verification.reading import Trust
from mesh.errors import JOB_FINISHED
from mesh.tool import ErrorCategory, ToolContext, ToolError, ToolResult
from mesh.transport.status import from_rpc_error
from tests.fault.support import Ledger, Ward
from tests.mesh.heavy import ENDLESS_SQL

STOP_SECONDS = 2.0
QUERY, CHART = "sql_run", "plot_render"
TABLES = analysis_pb2.ARTIFACT_TYPE_TABLE
CHARTS = analysis_pb2.ARTIFACT_TYPE_CHART
REPORTS = analysis_pb2.ARTIFACT_TYPE_REPORT


class Stoppable(Ledger):
    """Tools that, held, run until they are stopped: a query truly so, inside the database.

    With `completes`, others than a query were so near their end that they come to it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.busy = 0
        self.completes = False
        self.idle = threading.Event()

    def watch(self, name: str, tool: Any) -> Any:
        def run(arguments: Any, context: ToolContext) -> ToolResult:
            if self.hold != name:
                return self._completed(name, tool, arguments, context)
            self.busy += 1
            self.idle.clear()
            try:
                return self._held(name, tool, arguments, context)
            finally:
                self.busy -= 1
                if not self.busy:
                    self.idle.set()

        return dataclasses.replace(tool, run=run)

    def _held(self, name: str, tool: Any, arguments: Any, context: ToolContext) -> ToolResult:
        result = self._completed(name, tool, arguments, context) if self.completes else None
        self.held.set()
        if name == QUERY:
            endless = {"query": ENDLESS_SQL, "timeout": 60}
            return tool.run(arguments.model_copy(update=endless), context)  # type: ignore[no-any-return]
        context.cancelled.wait(60)
        if result is None:
            raise ToolError(ErrorCategory.CANCELLED, "the tool was stopped")
        return result

    def _completed(self, name: str, tool: Any, arguments: Any, context: ToolContext) -> ToolResult:
        result: ToolResult = tool.run(arguments, context)
        self.completed.append(f"{name} {arguments.model_dump_json()}")
        return result

    @contextmanager
    def holding(self, name: str) -> Iterator[None]:
        """Have a tool run until it is stopped."""
        self.idle.set()
        with super().holding(name):
            yield
        self.completes = False


async def cancelled(ward: Ward, job_id: str, stub: Any = None) -> job_pb2.Job:
    """Cancel as a client does: again, elsewhere, when nobody answers. The job as it is then."""
    if stub is not None:
        try:
            await stub.CancelJob(planner_pb.CancelJobRequest(job_id=job_id))
        except grpc.RpcError as error:
            if from_rpc_error(error).reason is JOB_FINISHED:
                return await ward.caller.job(job_id)
    try:
        return (await ward.caller.jobs.CancelJob(jobs_pb.CancelJobRequest(job_id=job_id))).job
    except grpc.RpcError as error:
        assert from_rpc_error(error).reason is JOB_FINISHED, error
        return await ward.caller.job(job_id)


async def ends_recorded(ward: Ward, job_id: str) -> list[dict[str, Any]]:
    """What the chain says of the end of a job without an answer."""
    found = []
    for entry in await ward.entries(job_id):
        data = json.loads(entry.event_data_json)
        if entry.event_type == "observation_recorded" and data.get("state"):
            found.append(data)
    return found


async def check_cancelled(
    ward: Ward, job: job_pb2.Job, place: Path
) -> set[analysis_pb2.ArtifactType.ValueType]:
    """Everything that must hold of a job that was cancelled; the kinds of files that it kept."""
    assert job.state == job_pb2.JOB_STATE_CANCELLED, job
    assert job.failure.reason == "CANCELLED"
    assert not job.HasField("answer") and not job.HasField("clarification")
    running = {job_pb2.STEP_STATE_RUNNING, job_pb2.STEP_STATE_WAITING}
    assert not [step for step in job.steps if step.state in running]
    end = await ends_recorded(ward, job.job_id)
    assert [(data["state"], data["rule"]) for data in end] == [("cancelled", "CANCELLED")]
    listing = artifacts_pb.ListArtifactsRequest(job_id=job.job_id)
    files = (await ward.caller.artifacts.ListArtifacts(listing)).artifacts
    assert all(file.partial for file in files)
    assert end[0]["partial_artifacts"] == [file.artifact_id for file in files]
    verify = records_pb.VerifyJobRequest(job_id=job.job_id)
    assert (await ward.caller.records.VerifyJob(verify)).ok
    async with AssayClient(ward.settings.address("gateway"), "ann") as client:
        bundle = await client.export(job, place / f"{job.job_id}.zip")
    findings = checked(bundle, Trust())
    assert all(finding.ok for finding in findings), findings
    ward.fsck()
    return {file.artifact_type for file in files}


class Clock:
    """Seconds since it was made."""

    def __init__(self) -> None:
        self._since = time.monotonic()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._since
