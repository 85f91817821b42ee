"""Frames, calls and observations."""

from __future__ import annotations

import base64
import json

from assay.common.v1 import analysis_pb2, data_pb2
from services.planner.contract.artifacts import artifact_from
from services.planner.contract.times import moment, timestamp
from services.planner.domain.calls import Frame, Observation, ObservationStatus, ToolCall

_STATUSES = {
    1: ObservationStatus.SUCCESS,
    2: ObservationStatus.ERROR,
    3: ObservationStatus.TIMEOUT,
    4: ObservationStatus.RESOURCE_LIMIT,
}


_PLACES = {1: "path", 2: "flight"}
_PLACE_NUMBERS = {
    "path": data_pb2.FRAME_LOCATION_KIND_PATH,
    "flight": data_pb2.FRAME_LOCATION_KIND_FLIGHT,
}
_CATEGORIES = {
    analysis_pb2.ERROR_CATEGORY_SQL_SYNTAX: "sql_syntax",
    analysis_pb2.ERROR_CATEGORY_TYPE_MISMATCH: "type_mismatch",
    analysis_pb2.ERROR_CATEGORY_MISSING_COLUMN: "missing_column",
    analysis_pb2.ERROR_CATEGORY_RESOURCE_EXHAUSTED: "resource_exhausted",
    analysis_pb2.ERROR_CATEGORY_POLICY_DENIED: "policy_denied",
    analysis_pb2.ERROR_CATEGORY_INVALID_ARGUMENTS: "invalid_arguments",
    analysis_pb2.ERROR_CATEGORY_CANCELLED: "cancelled",
    analysis_pb2.ERROR_CATEGORY_INTERNAL: "internal",
}


def frame_from(message: data_pb2.FrameRef) -> Frame:
    """A frame's name as the domain knows it."""
    import pyarrow as pa

    columns = len(pa.ipc.read_schema(pa.py_buffer(message.schema)))
    return Frame(
        name=message.name,
        schema_base64=base64.b64encode(message.schema).decode(),
        rows=message.rows,
        columns=columns,
        bytes=message.bytes,
        digest=message.digest,
        locations=tuple((_PLACES[place.kind], place.uri) for place in message.locations),
    )


def frame_to(frame: Frame) -> data_pb2.FrameRef:
    """A frame's name for the contract."""
    return data_pb2.FrameRef(
        name=frame.name,
        schema=base64.b64decode(frame.schema_base64),
        rows=frame.rows,
        bytes=frame.bytes,
        digest=frame.digest,
        locations=[
            data_pb2.FrameLocation(kind=_PLACE_NUMBERS[kind], uri=uri)
            for kind, uri in frame.locations
        ],
    )


def call_to(call: ToolCall) -> analysis_pb2.ToolCall:
    """A call for the contract."""
    return analysis_pb2.ToolCall(
        call_id=call.call_id,
        task_id=call.task_id,
        tool_name=call.tool_name,
        arguments_json=json.dumps(call.arguments),
        timestamp=timestamp(call.timestamp),
        attempt_number=call.attempt_number,
        change_reason=call.change_reason,
    )


def observation_from(message: analysis_pb2.Observation) -> Observation:
    """What came back, as the domain knows it. Raises ValueError for what is no observation."""
    return Observation(
        observation_id=message.observation_id,
        call_id=message.call_id,
        status=_STATUSES[message.status],
        frame=frame_from(message.frame) if message.HasField("frame") else None,
        artifacts=tuple(artifact_from(artifact) for artifact in message.artifacts),
        summary=message.summary,
        notes=tuple(message.notes),
        error_message=message.error_message or None,
        error_category=_CATEGORIES.get(message.error_category),
        error_details=json.loads(message.error_details_json or "{}"),
        execution_time_seconds=message.execution_time.ToNanoseconds() / 1e9,
        row_count=message.row_count if message.HasField("row_count") else None,
        timestamp=moment(message.timestamp),
        record_seal=message.record_seal,
    )
