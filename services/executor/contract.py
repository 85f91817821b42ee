"""The executor's domain to and from its contracts; the only place where both are known."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from assay.common.v1 import data_pb2, job_pb2
from assay.executor.v1 import executor_service_pb2 as pb
from mesh.frames.reference import FrameRef, Location, LocationKind
from mesh.ids import new_id
from mesh.policy import Policy
from mesh.tool import ErrorCategory, Tool
from services.executor.call import Call, Outcome
from services.executor.domain.artifact import Artifact
from services.executor.domain.description import SourceDescription, ValueHit
from services.executor.domain.source import DataSource, SourceType
from services.executor.reading_contract import reader_options_from

_SOURCE_TYPES = {
    data_pb2.DATA_SOURCE_TYPE_SQL: SourceType.SQL,
    data_pb2.DATA_SOURCE_TYPE_CSV: SourceType.CSV,
    data_pb2.DATA_SOURCE_TYPE_JSON: SourceType.JSON,
    data_pb2.DATA_SOURCE_TYPE_PARQUET: SourceType.PARQUET,
    data_pb2.DATA_SOURCE_TYPE_ARROW: SourceType.ARROW,
    data_pb2.DATA_SOURCE_TYPE_EXCEL: SourceType.EXCEL,
}
DEFAULT_ROW_LIMIT = 200_000


def policy_from(message: data_pb2.Policy) -> Policy:
    """A policy as the domain knows it. Raises AssayError(INVALID_ARGUMENT)."""
    return Policy(
        allowed_columns=tuple(message.allowed_columns),
        blocked_patterns=tuple(message.blocked_patterns),
    )


def source_from(message: data_pb2.DataSource, stored_path: str = "") -> DataSource:
    """A source as the domain knows it; `stored_path` is where an uploaded file lies."""
    return DataSource(
        type=_SOURCE_TYPES.get(message.type, SourceType.AUTO),
        connection_string=message.connection_string or None,
        file_path=stored_path or message.file_path or None,
        name=message.name or None,
        schema_fingerprint=message.schema_fingerprint or None,
        options=reader_options_from(message.read_options),
    )


def call_from(message: pb.ExecuteRequest, sources: Iterable[DataSource], seconds: float) -> Call:
    """A call as the domain knows it. Raises ValueError for arguments that are not JSON."""
    return Call(
        call_id=message.call.call_id,
        task_id=message.call.task_id,
        request_id=message.request_id,
        tool_name=message.call.tool_name,
        arguments=json.loads(message.call.arguments_json or "{}"),
        sources=tuple(sources),
        policy=policy_from(message.policy),
        row_limit=message.constraints.row_limit or DEFAULT_ROW_LIMIT,
        engine=message.constraints.engine,
        seconds=seconds,
        inputs={name: frame_from(frame) for name, frame in message.inputs.items()},
    )


def frame_from(message: data_pb2.FrameRef) -> FrameRef:
    """A frame's name as the kernel knows it. Raises ValueError for one that is none."""
    return FrameRef(
        name=message.name,
        schema_bytes=message.schema,
        rows=message.rows,
        bytes=message.bytes,
        digest=message.digest,
        locations=locations_from(message.locations),
    )


def locations_from(messages: Iterable[data_pb2.FrameLocation]) -> tuple[Location, ...]:
    """Where a frame is. Raises ValueError for what is no place."""
    return tuple(
        Location(kind=LocationKind(place.kind), uri=place.uri, ticket=place.ticket)
        for place in messages
    )


def frame_to(frame: FrameRef) -> data_pb2.FrameRef:
    """A frame's name for the contract."""
    return data_pb2.FrameRef(
        name=frame.name,
        schema=frame.schema_bytes,
        rows=frame.rows,
        bytes=frame.bytes,
        digest=frame.digest,
        locations=[
            data_pb2.FrameLocation(kind=place.kind.value, uri=place.uri, ticket=place.ticket)
            for place in frame.locations
        ],
    )


def artifact_to(artifact: Artifact) -> job_pb2.Artifact:
    """An artifact for the contract."""
    return job_pb2.Artifact(
        artifact_id=artifact.artifact_id,
        request_id=artifact.request_id,
        artifact_type=artifact.artifact_type,
        content_ref=artifact.content_ref,
        content_hash=artifact.content_hash,
        metadata_json=json.dumps(artifact.metadata, sort_keys=True, default=str),
        size_bytes=artifact.size_bytes,
        created_at=_stamp(artifact.created_at),
        local_path=artifact.local_path,
        media_type=artifact.media_type,
    )


def observation_to(call_id: str, outcome: Outcome, now: datetime) -> job_pb2.Observation:
    """What came back, for the contract."""
    message = job_pb2.Observation(
        observation_id=new_id(),
        call_id=call_id,
        status=_status(outcome),
        artifacts=[artifact_to(artifact) for artifact in outcome.artifacts],
        summary=outcome.summary,
        notes=outcome.notes,
        execution_time=_span(outcome.seconds),
        timestamp=_stamp(now),
    )
    if outcome.frame is not None:
        message.frame.CopyFrom(frame_to(outcome.frame))
        message.row_count = outcome.frame.rows
    if outcome.error is not None:
        error = outcome.error
        message.error_message = f"{error.message} {error.hint}".strip()
        message.error_category = error.category.value
        message.error_details_json = json.dumps(error.details, sort_keys=True, default=str)
    return message


def _status(outcome: Outcome) -> job_pb2.ObservationStatus.ValueType:
    if outcome.error is None:
        return job_pb2.OBSERVATION_STATUS_SUCCESS
    if outcome.timed_out or outcome.error.details.get("unit") == "seconds":
        return job_pb2.OBSERVATION_STATUS_TIMEOUT
    if outcome.error.category is ErrorCategory.RESOURCE_EXHAUSTED:
        return job_pb2.OBSERVATION_STATUS_RESOURCE_LIMIT
    return job_pb2.OBSERVATION_STATUS_ERROR


def tool_to(tool: Tool) -> pb.Tool:
    """A tool as it is published."""
    return pb.Tool(
        name=tool.name,
        description=tool.description,
        arguments_schema_json=json.dumps(tool.arguments.model_json_schema(), sort_keys=True),
        deterministic=tool.deterministic,
        why_not=tool.why_not,
    )


def description_to(
    description: SourceDescription, digests: list[str], hidden: list[str]
) -> pb.DescribeSourceResponse:
    """What the sources hold, for the contract."""
    return pb.DescribeSourceResponse(
        tables=[
            pb.TableDescription(
                name=table.name,
                source_name=table.source_name,
                rows=table.rows,
                columns=[
                    pb.ColumnDescription(
                        name=column.name,
                        data_type=column.data_type.value,
                        inferred_type=column.role.value,
                        nullable=column.nullable,
                        cardinality=column.distinct,
                        nulls=column.nulls,
                        minimum=column.minimum,
                        maximum=column.maximum,
                        sample_values=column.samples,
                        comment=column.comment,
                    )
                    for column in table.columns
                ],
                primary_key=table.primary_key,
                comment=table.comment,
            )
            for table in description.tables
        ],
        relationships=[
            pb.Relationship(
                from_table=link.from_table,
                from_column=link.from_column,
                to_table=link.to_table,
                to_column=link.to_column,
                relationship_type="foreign_key" if link.declared else "similar_values",
                confidence=link.confidence,
            )
            for link in description.relationships
        ],
        schema_fingerprint=description.schema_fingerprint,
        notes=description.notes,
        decisions=[data_pb2.ReadDecision(**item.model_dump()) for item in description.decisions],
        source_digests=digests,
        blocked_columns=hidden,
    )


def hit_to(hit: ValueHit) -> pb.ValueHit:
    """A matching value, for the contract."""
    return pb.ValueHit(
        phrase=hit.phrase, table=hit.table, column=hit.column, value=hit.value, score=hit.score
    )


def _stamp(moment: datetime) -> Timestamp:
    stamp = Timestamp()
    stamp.FromDatetime(moment)
    return stamp


def _span(seconds: float) -> Duration:
    span = Duration()
    span.FromNanoseconds(max(int(seconds * 1e9), 1))
    return span
