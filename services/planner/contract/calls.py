"""Frames, artifacts, calls and observations."""

from __future__ import annotations

import base64
import json

from assay.common.v1 import data_pb2, job_pb2
from services.planner.contract.times import moment, timestamp
from services.planner.domain.calls import Artifact, Frame, Observation, ObservationStatus, ToolCall

_STATUSES = {
    1: ObservationStatus.SUCCESS,
    2: ObservationStatus.ERROR,
    3: ObservationStatus.TIMEOUT,
    4: ObservationStatus.RESOURCE_LIMIT,
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
        locations=tuple((place.kind, place.uri) for place in message.locations),
    )


def frame_to(frame: Frame) -> data_pb2.FrameRef:
    """A frame's name for the contract."""
    return data_pb2.FrameRef(
        name=frame.name,
        schema=base64.b64decode(frame.schema_base64),
        rows=frame.rows,
        bytes=frame.bytes,
        digest=frame.digest,
        locations=[data_pb2.FrameLocation(kind=k, uri=u) for k, u in frame.locations],
    )


def artifact_from(message: job_pb2.Artifact) -> Artifact:
    """An artifact as the domain knows it."""
    return Artifact(
        artifact_id=message.artifact_id,
        request_id=message.request_id,
        artifact_type=message.artifact_type,
        content_ref=message.content_ref,
        content_hash=message.content_hash,
        metadata=json.loads(message.metadata_json or "{}"),
        size_bytes=message.size_bytes,
        created_at=moment(message.created_at),
        local_path=message.local_path,
        media_type=message.media_type,
    )


def artifact_to(artifact: Artifact) -> job_pb2.Artifact:
    """An artifact for the contract."""
    return job_pb2.Artifact(
        artifact_id=artifact.artifact_id,
        request_id=artifact.request_id,
        artifact_type=artifact.artifact_type,
        content_ref=artifact.content_ref,
        content_hash=artifact.content_hash,
        metadata_json=json.dumps(artifact.metadata, sort_keys=True),
        size_bytes=artifact.size_bytes,
        created_at=timestamp(artifact.created_at),
        local_path=artifact.local_path,
        media_type=artifact.media_type,
    )


def call_to(call: ToolCall) -> job_pb2.ToolCall:
    """A call for the contract."""
    return job_pb2.ToolCall(
        call_id=call.call_id,
        task_id=call.task_id,
        tool_name=call.tool_name,
        arguments_json=json.dumps(call.arguments),
        timestamp=timestamp(call.timestamp),
        attempt_number=call.attempt_number,
        change_reason=call.change_reason,
    )


def observation_from(message: job_pb2.Observation) -> Observation:
    """What came back, as the domain knows it."""
    return Observation(
        observation_id=message.observation_id,
        call_id=message.call_id,
        status=_STATUSES[message.status],
        frame=frame_from(message.frame) if message.HasField("frame") else None,
        artifacts=tuple(artifact_from(artifact) for artifact in message.artifacts),
        summary=message.summary,
        notes=tuple(message.notes),
        error_message=message.error_message or None,
        error_category=message.error_category or None,
        error_details=json.loads(message.error_details_json or "{}"),
        execution_time_seconds=max(message.execution_time.ToNanoseconds() / 1e9, 1e-9),
        row_count=message.row_count if message.HasField("row_count") else None,
        timestamp=moment(message.timestamp),
    )
