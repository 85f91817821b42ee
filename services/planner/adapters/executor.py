"""The executor over gRPC, as the planner's Tools port."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import grpc

from assay.executor.v1 import executor_service_pb2 as pb
from assay.executor.v1 import executor_service_pb2_grpc as pb_grpc
from mesh.transport.interceptors.outgoing import DEFAULT_SECONDS
from mesh.transport.seal import Seal
from mesh.transport.status import from_rpc_error
from services.planner import contract
from services.planner.adapters.executor_frames import Frames, pieces_of
from services.planner.adapters.executor_reach import PEER, Reach
from services.planner.adapters.executor_readings import followed
from services.planner.contract.looks import findings_from
from services.planner.domain.calls import Artifact, Frame, Observation, ToolCall
from services.planner.domain.catalogue import ValueHit
from services.planner.domain.evidence import Outcome, ProbedQuery, ProbeLimits
from services.planner.domain.look.look import Findings
from services.planner.domain.readings import Readings
from services.planner.domain.request import WorkRequest
from services.planner.domain.tooling import ToolDescription
from services.planner.ports import Described

if TYPE_CHECKING:
    import pyarrow as pa

# A tool is stopped by the executor within two seconds; the call itself must outlive that.
_GRACE_SECONDS = 5.0


class ExecutorTools:
    """Asks the executor; raises AssayError for whatever is not an observation.

    One that dies is asked again when it is back, within the bounds that `Reach` states.
    """

    def __init__(
        self,
        channel: grpc.aio.Channel,
        seal: Seal | None = None,
        readings: Readings | None = None,
    ) -> None:
        self._readings = readings or Readings()
        self._stub = pb_grpc.ExecutorServiceStub(channel)
        self._reach = Reach(self._stub)
        self._frames = Frames(self._stub, self._reach, seal)
        self._tools: tuple[ToolDescription, ...] | None = None
        self._names: frozenset[str] = frozenset()

    async def close(self) -> None:
        """Close the connections by which frames were fetched."""
        await self._frames.close()

    async def names(self, soon: Sequence[str] = ()) -> frozenset[str]:
        """Registered tools; asked for once."""
        if not self._names:
            wanted = pb.ListToolsRequest(soon=soon, names_only=True)
            listing = await self._reach.answer(
                "named its tools", lambda: self._stub.ListTools(wanted)
            )
            self._names = frozenset(tool.name for tool in listing.tools)
        return self._names

    async def descriptions(self) -> tuple[ToolDescription, ...]:
        """Registered tools with what they do; asked for once."""
        if self._tools is None:
            listing = await self._reach.answer(
                "listed its tools", lambda: self._stub.ListTools(pb.ListToolsRequest())
            )
            self._tools = tuple(
                ToolDescription(
                    name=tool.name,
                    description=tool.description,
                    arguments_schema=json.loads(tool.arguments_schema_json),
                )
                for tool in listing.tools
            )
        return self._tools

    async def describe(self, request: WorkRequest, about: str = "") -> Described:
        """Tables, columns, keys and statistics; of a large file what `about` needs at first."""
        wanted = pb.DescribeSourceRequest(
            sources=contract.sources_to(request),
            policy=contract.policy_to(request.policy),
            about=about,
        )
        async with followed(self._stub, self._readings, request.request_id, wanted.sources):
            answer = await self._reach.answer(
                "read the sources", lambda: self._stub.DescribeSource(wanted)
            )
        return _described(answer)

    async def inspect(self, request: WorkRequest) -> tuple[Described, Findings]:
        """As `describe`, with what the rows show."""
        wanted = pb.DescribeSourceRequest(
            sources=contract.sources_to(request),
            policy=contract.policy_to(request.policy),
            closely=True,
        )
        answer = await self._reach.answer(
            "looked at the sources", lambda: self._stub.DescribeSource(wanted)
        )
        return _described(answer), findings_from(answer.findings)

    async def lookup(self, request: WorkRequest, phrases: Sequence[str]) -> list[ValueHit]:
        """Which text columns hold these phrases."""
        wanted = pb.LookupValuesRequest(
            sources=contract.sources_to(request),
            policy=contract.policy_to(request.policy),
            phrases=phrases,
        )
        answer = await self._reach.answer(
            "looked values up", lambda: self._stub.LookupValues(wanted)
        )
        return [
            ValueHit(
                phrase=hit.phrase,
                table=hit.table,
                column=hit.column,
                value=hit.value,
                score=hit.score,
            )
            for hit in answer.hits
        ]

    async def probe(
        self, request: WorkRequest, queries: Sequence[ProbedQuery], limits: ProbeLimits
    ) -> list[Outcome]:
        """What the data says of candidate queries, in their order."""
        wanted = pb.ProbeQueriesRequest(
            sources=contract.sources_to(request),
            policy=contract.policy_to(request.policy),
            queries=map(contract.probe_query_to, queries),
            limits=contract.probe_limits_to(limits),
        )
        answer = await self._reach.answer(
            "tried candidate queries", lambda: self._stub.ProbeQueries(wanted)
        )
        return [contract.outcome_from(outcome) for outcome in answer.outcomes]

    async def execute(
        self, request: WorkRequest, call: ToolCall, inputs: Mapping[str, Frame]
    ) -> AsyncGenerator[str | Observation]:
        """Run a call: progress messages first, the observation last."""
        wanted = pb.ExecuteRequest(
            call=contract.call_to(call),
            request_id=request.request_id,
            sources=contract.sources_to(request),
            policy=contract.policy_to(request.policy),
            constraints=contract.constraints_to(request.constraints),
            inputs={name: contract.frame_to(frame) for name, frame in inputs.items()},
        )
        asked = 0
        while True:
            asked += 1
            # A call of a causal job may take longer than other calls of ours, not than its job.
            seconds = max(DEFAULT_SECONDS, request.constraints.timeout_seconds)
            stream = self._stub.Execute(wanted, timeout=seconds)
            observation: Observation | None = None
            try:
                # To the end also after the observation: only there the call's span ends.
                async for update in stream:
                    if update.WhichOneof("update") == "observation":
                        observation = contract.observation_from(update.observation)
                    else:
                        yield update.progress.message
            except grpc.RpcError as error:
                if observation is None:
                    what = f"ran {call.tool_name} for step {call.task_id}"
                    await self._reach.again(error, what, asked)
                    continue
            finally:
                stream.cancel()
            if observation is not None:
                yield observation
            return

    async def cancel(self, call_id: str) -> None:
        """Stop a running call."""
        try:
            await self._stub.CancelCall(
                pb.CancelCallRequest(call_id=call_id), timeout=_GRACE_SECONDS
            )
        except grpc.RpcError as error:
            raise from_rpc_error(error, PEER) from error

    async def read(self, frame: Frame) -> pa.Table:
        """The rows of a small result frame."""
        return await self._frames.read(frame)

    async def read_artifact(self, artifact: Artifact) -> bytes:
        """The bytes of an artifact."""
        wanted = pb.GetArtifactRequest(content_ref=artifact.content_ref)
        pieces = await self._reach.answer(
            "read a file", lambda: pieces_of(self._stub.GetArtifact(wanted))
        )
        return b"".join(pieces)

    async def put_artifact(
        self,
        request_id: str,
        name: str,
        artifact_type: str,
        media_type: str,
        content: bytes,
        metadata: Mapping[str, Any],
    ) -> Artifact:
        """Store a file for people."""
        wanted = pb.PutArtifactRequest(
            request_id=request_id,
            name=name,
            artifact_type=contract.ARTIFACT_NUMBERS[artifact_type],
            media_type=media_type,
            content=content,
            metadata_json=json.dumps(dict(metadata), sort_keys=True),
        )
        answer = await self._reach.answer(f"stored {name}", lambda: self._stub.PutArtifact(wanted))
        return contract.artifact_from(answer.artifact)


def _described(answer: pb.DescribeSourceResponse) -> Described:
    return Described(
        catalogue=contract.catalogue_from(answer),
        notes=tuple(answer.notes),
        source_digests=tuple(answer.source_digests),
        source_seals=tuple(answer.source_seals),
        source_fingerprints=tuple(answer.source_fingerprints),
        blocked_columns=tuple(answer.blocked_columns),
        decisions=tuple(contract.read_decision_from(item) for item in answer.decisions),
    )
