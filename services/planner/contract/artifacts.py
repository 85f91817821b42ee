"""Artifacts: files for people, with the particulars of their type."""

from __future__ import annotations

import json
from typing import Any

from assay.common.v1 import analysis_pb2
from services.planner.contract.times import moment, timestamp
from services.planner.domain.calls import PARTIAL, Artifact

TYPES = {
    analysis_pb2.ARTIFACT_TYPE_TABLE: "table",
    analysis_pb2.ARTIFACT_TYPE_CHART: "chart",
    analysis_pb2.ARTIFACT_TYPE_REPORT: "report",
    analysis_pb2.ARTIFACT_TYPE_SUMMARY: "summary",
}
NUMBERS = {name: number for number, name in TYPES.items()}
_TYPED = ("table", "chart", "report")


def artifact_from(message: analysis_pb2.Artifact) -> Artifact:
    """An artifact as the domain knows it."""
    return Artifact(
        artifact_id=message.artifact_id,
        request_id=message.job_id,
        artifact_type=TYPES[message.artifact_type],
        content_ref=message.content_ref,
        content_hash=message.content_hash,
        metadata=_metadata_from(message),
        size_bytes=message.size_bytes,
        created_at=moment(message.created_at),
        local_path=message.local_path,
        media_type=message.media_type,
    )


def artifact_to(artifact: Artifact) -> analysis_pb2.Artifact:
    """An artifact for the contract."""
    message = analysis_pb2.Artifact(
        artifact_id=artifact.artifact_id,
        job_id=artifact.request_id,
        artifact_type=NUMBERS[artifact.artifact_type],
        content_ref=artifact.content_ref,
        content_hash=artifact.content_hash,
        size_bytes=artifact.size_bytes,
        created_at=timestamp(artifact.created_at),
        local_path=artifact.local_path,
        media_type=artifact.media_type,
        partial=bool(artifact.metadata.get(PARTIAL, False)),
    )
    fill(message, artifact.metadata)
    return message


def fill(message: analysis_pb2.Artifact, metadata: dict[str, Any]) -> None:
    """Put what the contract has a field for into it, and the rest into the particulars."""
    rest = {key: value for key, value in metadata.items() if key != PARTIAL}
    kind = TYPES[message.artifact_type]
    if kind in _TYPED:
        typed = getattr(message, kind)
        typed.SetInParent()
        for field in typed.DESCRIPTOR.fields:
            if field.name in rest:
                value = rest.pop(field.name)
                if field.is_repeated:
                    getattr(typed, field.name).extend(value)
                else:
                    setattr(typed, field.name, value)
    if rest:
        message.particulars_json = json.dumps(rest, sort_keys=True)


def _metadata_from(message: analysis_pb2.Artifact) -> dict[str, Any]:
    metadata: dict[str, Any] = json.loads(message.particulars_json or "{}")
    kind = message.WhichOneof("metadata")
    if kind is not None:
        typed = getattr(message, kind)
        for field, value in typed.ListFields():
            metadata[field.name] = list(value) if field.is_repeated else value
    if message.partial:
        metadata[PARTIAL] = True
    return metadata
