"""The executor over gRPC, as the planner's Tools port."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from pathlib import Path
from typing import Any

import grpc
import pyarrow as pa

from assay.executor.v1 import executor_service_pb2 as pb
from assay.executor.v1 import executor_service_pb2_grpc as pb_grpc
from mesh.frames import codec
from mesh.status import from_rpc_error
from services.planner import contract
from services.planner.domain.calls import Artifact, Frame, Observation, ToolCall
from services.planner.domain.catalogue import (
    Catalogue,
    Column,
    ColumnRole,
    DataType,
    Relationship,
    Table,
    ValueHit,
)
from services.planner.domain.request import AnalysisRequest
from services.planner.ports import Described

PEER = "executor"
# A tool is stopped by the executor within two seconds; the call itself must outlive that.
_GRACE_SECONDS = 5.0


class ExecutorTools:
    """Asks the executor; raises AssayError for whatever is not an observation."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub = pb_grpc.ExecutorServiceStub(channel)
        self._names: frozenset[str] | None = None

    async def names(self) -> frozenset[str]:
        """Registered tools; asked for once."""
        if self._names is None:
            try:
                listing = await self._stub.ListTools(pb.ListToolsRequest())
            except grpc.RpcError as error:
                raise from_rpc_error(error, PEER) from error
            self._names = frozenset(tool.name for tool in listing.tools)
        return self._names

    async def describe(self, request: AnalysisRequest) -> Described:
        """Tables, columns, keys and statistics."""
        try:
            answer = await self._stub.DescribeSource(
                pb.DescribeSourceRequest(
                    sources=contract.sources_to(request),
                    policy=contract.policy_to(request.policy),
                )
            )
        except grpc.RpcError as error:
            raise from_rpc_error(error, PEER) from error
        return Described(
            catalogue=Catalogue(
                tables=tuple(_table(table) for table in answer.tables),
                relationships=tuple(
                    Relationship(
                        from_table=link.from_table,
                        from_column=link.from_column,
                        to_table=link.to_table,
                        to_column=link.to_column,
                        confidence=link.confidence,
                        declared=link.relationship_type == "foreign_key",
                    )
                    for link in answer.relationships
                ),
                fingerprint=answer.schema_fingerprint,
            ),
            notes=tuple(answer.notes),
            source_digests=tuple(answer.source_digests),
            blocked_columns=tuple(answer.blocked_columns),
        )

    async def lookup(self, request: AnalysisRequest, phrases: Sequence[str]) -> list[ValueHit]:
        """Which text columns hold these phrases."""
        try:
            answer = await self._stub.LookupValues(
                pb.LookupValuesRequest(
                    sources=contract.sources_to(request),
                    policy=contract.policy_to(request.policy),
                    phrases=phrases,
                )
            )
        except grpc.RpcError as error:
            raise from_rpc_error(error, PEER) from error
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

    async def execute(
        self, request: AnalysisRequest, call: ToolCall, inputs: Mapping[str, Frame]
    ) -> AsyncGenerator[str | Observation]:
        """Run a call: progress messages first, the observation last."""
        stream = self._stub.Execute(
            pb.ExecuteRequest(
                call=contract.call_to(call),
                request_id=request.request_id,
                sources=contract.sources_to(request),
                policy=contract.policy_to(request.policy),
                constraints=contract.constraints_to(request.constraints),
                inputs={name: contract.frame_to(frame) for name, frame in inputs.items()},
            )
        )
        try:
            async for update in stream:
                if update.WhichOneof("update") == "observation":
                    yield contract.observation_from(update.observation)
                else:
                    yield update.progress.message
        except grpc.RpcError as error:
            raise from_rpc_error(error, PEER) from error
        finally:
            stream.cancel()

    async def cancel(self, call_id: str) -> None:
        """Stop a running call."""
        try:
            await self._stub.CancelCall(
                pb.CancelCallRequest(call_id=call_id), timeout=_GRACE_SECONDS
            )
        except grpc.RpcError as error:
            raise from_rpc_error(error, PEER) from error

    async def read(self, frame: Frame) -> pa.Table:
        """The rows of a small result frame: mapped where its file is on this machine, else
        streamed."""
        for kind, uri in frame.locations:
            if kind == "path" and await asyncio.to_thread(Path(uri).exists):
                return await asyncio.to_thread(codec.map_file, Path(uri))
        stream = self._stub.ReadFrame(pb.ReadFrameRequest(digest=frame.digest))
        try:
            pieces = [piece.chunk.data async for piece in stream]
        except grpc.RpcError as error:
            raise from_rpc_error(error, PEER) from error
        finally:
            stream.cancel()
        return await asyncio.to_thread(codec.read_stream, pieces)

    async def read_artifact(self, artifact: Artifact) -> bytes:
        """The bytes of an artifact."""
        stream = self._stub.GetArtifact(pb.GetArtifactRequest(content_ref=artifact.content_ref))
        try:
            return b"".join([piece.chunk.data async for piece in stream])
        except grpc.RpcError as error:
            raise from_rpc_error(error, PEER) from error
        finally:
            stream.cancel()

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
        try:
            answer = await self._stub.PutArtifact(
                pb.PutArtifactRequest(
                    request_id=request_id,
                    name=name,
                    artifact_type=artifact_type,
                    media_type=media_type,
                    content=content,
                    metadata_json=json.dumps(dict(metadata), sort_keys=True),
                )
            )
        except grpc.RpcError as error:
            raise from_rpc_error(error, PEER) from error
        return contract.artifact_from(answer.artifact)


def _table(table: pb.TableDescription) -> Table:
    return Table(
        name=table.name,
        source_name=table.source_name,
        rows=table.rows,
        columns=tuple(_column(column) for column in table.columns),
        primary_key=tuple(table.primary_key),
        comment=table.comment,
    )


def _column(column: pb.ColumnDescription) -> Column:
    return Column(
        name=column.name,
        data_type=DataType(column.data_type),
        role=ColumnRole(column.inferred_type),
        nullable=column.nullable,
        distinct=column.cardinality,
        nulls=column.nulls,
        minimum=column.minimum if column.HasField("minimum") else None,
        maximum=column.maximum if column.HasField("maximum") else None,
        samples=tuple(column.sample_values),
        comment=column.comment,
    )
