"""Recorded calls made again by the executor; implements `gateway.ports.Replay`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from assay.common.v1 import analysis_pb2, data_pb2
from assay.executor.v1 import executor_service_pb2 as pb
from assay.executor.v1 import executor_service_pb2_grpc
from assay.planner.v1 import planner_service_pb2 as planner_pb
from assay.planner.v1 import planner_service_pb2_grpc
from gateway.domain.recompute import Replayed
from gateway.forwarding import answered, streamed
from mesh.errors import INVALID_ARGUMENT, AssayError
from mesh.ids import new_id
from mesh.proof.recorded import RecordedCall
from mesh.transport.patience import patient


class Asked(NamedTuple):
    """What a job's calls may use."""

    sources: list[pb.Source]
    policy: data_pb2.Policy
    constraints: data_pb2.Constraints


class MeshReplay:
    """The planner knows what a job may use, the executor makes its calls."""

    def __init__(
        self,
        planner: planner_service_pb2_grpc.PlannerServiceStub,
        executor: executor_service_pb2_grpc.ExecutorServiceStub,
    ) -> None:
        self._planner = planner
        self._executor = executor

    async def source_digests(self, job_id: str, databases: Sequence[str]) -> list[str]:
        """Read the sources again and hash them."""
        asked = await self._asked(job_id, databases)
        wanted = pb.DescribeSourceRequest(sources=asked.sources, policy=asked.policy)
        described = await patient("executor", self._executor.DescribeSource, wanted)
        return list(described.source_digests)

    async def not_deterministic(self) -> Mapping[str, str]:
        """As the tools say of themselves."""
        listing = await patient("executor", self._executor.ListTools, pb.ListToolsRequest())
        return {
            tool.name: tool.why_not or "it does not say why"
            for tool in listing.tools
            if not tool.deterministic
        }

    async def run(
        self, job_id: str, databases: Sequence[str], call: RecordedCall, inputs: Mapping[str, str]
    ) -> Replayed:
        """The executor answers a known call id from its record, so this has a new one."""
        asked = await self._asked(job_id, databases)
        wanted = pb.ExecuteRequest(
            call=analysis_pb2.ToolCall(
                call_id=new_id(),
                task_id=call.task_id,
                tool_name=call.tool_name,
                arguments_json=json.dumps(dict(call.arguments)),
                attempt_number=1,
            ),
            request_id=job_id,
            sources=asked.sources,
            policy=asked.policy,
            constraints=asked.constraints,
            inputs={
                task: data_pb2.FrameRef(name=task, digest=digest) for task, digest in inputs.items()
            },
        )
        async with aclosing(streamed(self._executor.Execute(wanted), "executor")) as updates:
            async for update in updates:
                if update.WhichOneof("update") == "observation":
                    return _replayed(update.observation)
        return Replayed(failure="the executor ended the call without an observation")

    async def findings(
        self, job_id: str, databases: Sequence[str], statement: str, question: str
    ) -> list[tuple[str, str]]:
        """As the planner's checks find them."""
        found = await answered(
            self._planner.GetJob(planner_pb.GetJobRequest(job_id=job_id)), "planner"
        )
        request = _analysed(getattr(found.job, str(found.job.WhichOneof("work"))))
        placed = [one for one in request.data_sources if one.connection_string]
        for one, address in zip(placed, databases, strict=False):
            one.connection_string = address
        request.statement, request.intent = statement, ""
        del request.corrections[:], request.domains[:]
        request.choice = request.follows_job_id = ""
        wanted = planner_pb.LintStatementRequest(
            analysis=request, files=found.files, question=question
        )
        wanted.submitted_at.GetCurrentTime()
        value = await answered(self._planner.LintStatement(wanted), "planner")
        return [(one.code, one.at) for one in value.lint.findings]

    async def data_of(self, job_id: str) -> tuple[list[pb.Source], data_pb2.Policy]:
        """What a job was asked about, as the executor finds it, and under which policy. Raises
        AssayError(NOT_FOUND)."""
        asked = await self._asked(job_id, ())
        return asked.sources, asked.policy

    async def _asked(self, job_id: str, databases: Sequence[str]) -> Asked:
        """What a job may use; its databases under other addresses, where any are given."""
        found = await answered(
            self._planner.GetJob(planner_pb.GetJobRequest(job_id=job_id)), "planner"
        )
        request = getattr(found.job, str(found.job.WhichOneof("work")))
        sources = [_source(source, found.files) for source in request.data_sources]
        placed = [source for source in sources if source.connection_string]
        if databases and len(placed) != len(databases):
            names = ", ".join(_label(source) for source in placed) or "no database"
            raise AssayError(
                INVALID_ARGUMENT,
                f"the question was asked of {names}; {len(databases)} addresses were given",
                hint="Give the address of each database again, in the order of the question.",
                fields={"connection_strings": f"one for each of: {names}"},
            )
        for source, address in zip(placed, databases, strict=False):
            source.connection_string = address
        return Asked(sources, request.policy, request.constraints)


def _analysed(work: Any) -> analysis_pb2.AnalysisRequest:
    """Any kind of work as an analysis of its data, within its policy."""
    request = analysis_pb2.AnalysisRequest()
    if isinstance(work, analysis_pb2.AnalysisRequest):
        request.CopyFrom(work)
        return request
    request.data_sources.extend(work.data_sources)
    request.policy.CopyFrom(work.policy)
    request.constraints.CopyFrom(work.constraints)
    return request


def _source(source: data_pb2.DataSource, files: Mapping[str, planner_pb.FileContent]) -> pb.Source:
    """A source as the executor finds it; whether it is the same, its digest says."""
    found = pb.Source(type=source.type, name=source.name)
    if source.HasField("read_options"):
        found.read_options.CopyFrom(source.read_options)
    if source.file_id:
        found.content_digest = files[source.file_id].content_digest
    elif source.frame:
        found.frame_digest = files[source.frame].content_digest
    elif source.file_path:
        found.file_path = source.file_path
    else:
        found.connection_string = source.connection_string
    return found


def _label(source: pb.Source) -> str:
    """What people call a database: its name, else the last part of its address."""
    path = urlsplit(source.connection_string).path
    return source.name or path.rpartition("/")[2] or "a database"


def _replayed(observation: analysis_pb2.Observation) -> Replayed:
    if observation.status != analysis_pb2.OBSERVATION_STATUS_SUCCESS:
        return Replayed(failure=f"it failed now: {observation.error_message}")
    return Replayed(
        frame_digest=observation.frame.digest,
        files=tuple((file.content_ref, file.content_hash) for file in observation.artifacts),
    )
