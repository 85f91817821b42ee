"""Recorded calls made again by the executor; implements `gateway.ports.Replay`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import aclosing

from assay.common.v1 import data_pb2, job_pb2
from assay.executor.v1 import executor_service_pb2 as pb
from assay.executor.v1 import executor_service_pb2_grpc
from assay.planner.v1 import planner_service_pb2 as planner_pb
from assay.planner.v1 import planner_service_pb2_grpc
from gateway.domain.recompute import Replayed
from gateway.forwarding import answered, streamed
from mesh.errors import INVALID_ARGUMENT, AssayError
from mesh.ids import new_id
from mesh.patience import patient
from mesh.recorded import RecordedCall


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
        request = await self._request(job_id, databases)
        wanted = pb.DescribeSourceRequest(sources=request.data_sources, policy=request.policy)
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
        request = await self._request(job_id, databases)
        wanted = pb.ExecuteRequest(
            call=job_pb2.ToolCall(
                call_id=new_id(),
                task_id=call.task_id,
                tool_name=call.tool_name,
                arguments_json=json.dumps(dict(call.arguments)),
                attempt_number=1,
            ),
            request_id=job_id,
            sources=request.data_sources,
            policy=request.policy,
            constraints=request.constraints,
            inputs={
                task: data_pb2.FrameRef(name=task, digest=digest) for task, digest in inputs.items()
            },
        )
        async with aclosing(streamed(self._executor.Execute(wanted), "executor")) as updates:
            async for update in updates:
                if update.WhichOneof("update") == "observation":
                    return _replayed(update.observation)
        return Replayed(failure="the executor ended the call without an observation")

    async def _request(self, job_id: str, databases: Sequence[str]) -> job_pb2.AnalysisRequest:
        """What was asked, with the addresses that the planner does not give out again."""
        wanted = planner_pb.GetJobRequest(job_id=job_id)
        request = (await answered(self._planner.GetJob(wanted), "planner")).job.request
        unplaced = [s for s in request.data_sources if not (s.file_path or s.file_id)]
        if len(unplaced) != len(databases):
            names = ", ".join(source.name for source in unplaced) or "no database"
            raise AssayError(
                INVALID_ARGUMENT,
                f"the question was asked of {names}; {len(databases)} addresses were given",
                hint="Give the address of each database again, in its order, with --db.",
                fields={"connection_strings": f"one for each of: {names}"},
            )
        for source, address in zip(unplaced, databases, strict=True):
            source.connection_string = address
        return request


def _replayed(observation: job_pb2.Observation) -> Replayed:
    if observation.status != job_pb2.OBSERVATION_STATUS_SUCCESS:
        return Replayed(failure=f"it failed now: {observation.error_message}")
    return Replayed(
        frame_digest=observation.frame.digest,
        files=tuple((file.content_ref, file.content_hash) for file in observation.artifacts),
    )
