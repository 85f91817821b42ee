"""The executor's domain to and from its contracts; only here, and in the files beside it that are
called after it, are both known."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp
from pydantic import ValidationError

from assay.common.v1 import analysis_pb2, catalogue_pb2, data_pb2
from assay.executor.v1 import executor_service_pb2 as pb
from mesh.errors import INVALID_ARGUMENT, AssayError
from mesh.faults import faults_of
from mesh.frames.reference import FrameRef, Location, LocationKind
from mesh.ids import new_id
from mesh.policy import Policy
from mesh.text.json_text import read_json
from mesh.tool import ErrorCategory, Tool
from services.executor.call import Call, Outcome
from services.executor.contract_artifacts import artifact_to
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
_ENGINES: dict[data_pb2.Engine.ValueType, str] = {
    number: "" if number == data_pb2.ENGINE_UNSPECIFIED else name.removeprefix("ENGINE_").lower()
    for name, number in data_pb2.Engine.items()
}
"""What people call the engines of the contract."""
_PLACES = {
    data_pb2.FRAME_LOCATION_KIND_PATH: LocationKind.PATH,
    data_pb2.FRAME_LOCATION_KIND_FLIGHT: LocationKind.FLIGHT,
}
_PLACE_NUMBERS = {kind: number for number, kind in _PLACES.items()}
_CATEGORIES = {
    ErrorCategory.SQL_SYNTAX: analysis_pb2.ERROR_CATEGORY_SQL_SYNTAX,
    ErrorCategory.TYPE_MISMATCH: analysis_pb2.ERROR_CATEGORY_TYPE_MISMATCH,
    ErrorCategory.MISSING_COLUMN: analysis_pb2.ERROR_CATEGORY_MISSING_COLUMN,
    ErrorCategory.RESOURCE_EXHAUSTED: analysis_pb2.ERROR_CATEGORY_RESOURCE_EXHAUSTED,
    ErrorCategory.POLICY_DENIED: analysis_pb2.ERROR_CATEGORY_POLICY_DENIED,
    ErrorCategory.INVALID_ARGUMENTS: analysis_pb2.ERROR_CATEGORY_INVALID_ARGUMENTS,
    ErrorCategory.CANCELLED: analysis_pb2.ERROR_CATEGORY_CANCELLED,
    ErrorCategory.INTERNAL: analysis_pb2.ERROR_CATEGORY_INTERNAL,
}


def policy_from(message: data_pb2.Policy) -> Policy:
    """A policy as the domain knows it. Raises AssayError(INVALID_ARGUMENT)."""
    return Policy(
        allowed_columns=tuple(message.allowed_columns),
        blocked_patterns=tuple(message.blocked_patterns),
    )


def source_from(message: pb.Source, stored_path: str = "") -> DataSource:
    """A source as the domain knows it; `stored_path` is where an uploaded file lies.

    Raises AssayError(INVALID_ARGUMENT).
    """
    options = reader_options_from(message.read_options)
    try:
        return DataSource(
            type=_SOURCE_TYPES.get(message.type, SourceType.AUTO),
            connection_string=message.connection_string or None,
            file_path=stored_path or message.file_path or None,
            name=message.name or None,
            schema_fingerprint=message.schema_fingerprint or None,
            options=options,
        )
    except ValidationError as error:
        raise _malformed(error, "source") from None


def call_from(message: pb.ExecuteRequest, sources: Iterable[DataSource], seconds: float) -> Call:
    """A call as the domain knows it. Raises AssayError(INVALID_ARGUMENT)."""
    if message.constraints.engine not in _ENGINES:
        raise AssayError(
            INVALID_ARGUMENT,
            f"there is no engine number {message.constraints.engine}",
            fields={"constraints.engine": "unknown"},
        )
    return Call(
        call_id=message.call.call_id,
        task_id=message.call.task_id,
        request_id=message.request_id,
        tool_name=message.call.tool_name,
        arguments=read_json(message.call.arguments_json, "call.arguments_json"),
        sources=tuple(sources),
        policy=policy_from(message.policy),
        row_limit=message.constraints.row_limit
        if message.constraints.HasField("row_limit")
        else DEFAULT_ROW_LIMIT,
        engine=_engine(message.constraints.engine),
        seconds=seconds,
        inputs={name: frame_from(frame) for name, frame in message.inputs.items()},
    )


def _engine(number: data_pb2.Engine.ValueType) -> str:
    """The engine's name. Raises AssayError(INVALID_ARGUMENT) for a number that stands for none."""
    if number not in _ENGINES:
        raise AssayError(
            INVALID_ARGUMENT,
            f"there is no engine {number}",
            fields={"constraints.engine": "one of the contract's engines"},
        )
    return _ENGINES[number]


def frame_from(message: data_pb2.FrameRef) -> FrameRef:
    """A frame's name as the kernel knows it. Raises AssayError(INVALID_ARGUMENT)."""
    locations = locations_from(message.locations)
    try:
        return FrameRef(
            name=message.name,
            schema_bytes=message.schema,
            rows=message.rows,
            bytes=message.bytes,
            digest=message.digest,
            locations=locations,
        )
    except ValidationError as error:
        raise _malformed(error, "frame") from None


def locations_from(messages: Iterable[data_pb2.FrameLocation]) -> tuple[Location, ...]:
    """Where a frame is. Raises AssayError(INVALID_ARGUMENT) for what is no place."""
    try:
        return tuple(
            Location(kind=_place_kind(place.kind), uri=place.uri, ticket=place.ticket)
            for place in messages
        )
    except ValueError:
        fault = "must each have a kind, path or flight, and a uri"
        raise AssayError(
            INVALID_ARGUMENT, f"the frame's locations {fault}", fields={"locations": fault}
        ) from None


def _place_kind(number: int) -> LocationKind:
    if number not in _PLACES:
        raise ValueError(f"{number} is no kind of place")
    return _PLACES[data_pb2.FrameLocationKind.ValueType(number)]


def frame_to(frame: FrameRef) -> data_pb2.FrameRef:
    """A frame's name for the contract."""
    return data_pb2.FrameRef(
        name=frame.name,
        schema=frame.schema_bytes,
        rows=frame.rows,
        bytes=frame.bytes,
        digest=frame.digest,
        locations=[
            data_pb2.FrameLocation(
                kind=_PLACE_NUMBERS[place.kind], uri=place.uri, ticket=place.ticket
            )
            for place in frame.locations
        ],
    )


def observation_to(call_id: str, outcome: Outcome, now: datetime) -> analysis_pb2.Observation:
    """What came back, for the contract."""
    message = analysis_pb2.Observation(
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
        message.error_category = _CATEGORIES[error.category]
        message.error_details_json = json.dumps(error.details, sort_keys=True, default=str)
    return message


def _status(outcome: Outcome) -> analysis_pb2.ObservationStatus.ValueType:
    if outcome.error is None:
        return analysis_pb2.OBSERVATION_STATUS_SUCCESS
    if outcome.timed_out or outcome.error.details.get("unit") == "seconds":
        return analysis_pb2.OBSERVATION_STATUS_TIMEOUT
    if outcome.error.category is ErrorCategory.RESOURCE_EXHAUSTED:
        return analysis_pb2.OBSERVATION_STATUS_RESOURCE_LIMIT
    return analysis_pb2.OBSERVATION_STATUS_ERROR


@lru_cache(maxsize=1_024)  # making the schema of a tool's arguments takes about a millisecond
def tool_to(tool: Tool) -> catalogue_pb2.Tool:
    """A tool as it is published."""
    return catalogue_pb2.Tool(
        name=tool.name,
        description=tool.description,
        arguments_schema_json=json.dumps(tool.arguments.model_json_schema(), sort_keys=True),
        deterministic=tool.deterministic,
        why_not=tool.why_not,
    )


def tool_named(tool: Tool) -> catalogue_pb2.Tool:
    """A tool by its name alone."""
    return catalogue_pb2.Tool(name=tool.name)


def _malformed(error: ValidationError, what: str) -> AssayError:
    faults = faults_of(error, what)
    listing = "; ".join(f"{field} {fault}" for field, fault in faults.items())
    return AssayError(INVALID_ARGUMENT, f"the {what} is malformed: {listing}", fields=faults)


def _stamp(moment: datetime) -> Timestamp:
    stamp = Timestamp()
    stamp.FromDatetime(moment)
    return stamp


def _span(seconds: float) -> Duration:
    span = Duration()
    span.FromNanoseconds(max(int(seconds * 1e9), 1))
    return span
