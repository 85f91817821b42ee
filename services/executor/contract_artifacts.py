"""Artifacts for the contract, the particulars of each type in fields of their own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp

from assay.common.v1 import analysis_pb2
from mesh.errors import INVALID_ARGUMENT, AssayError
from services.executor.domain.artifact import Artifact

_TYPES = {
    analysis_pb2.ARTIFACT_TYPE_TABLE: "table",
    analysis_pb2.ARTIFACT_TYPE_CHART: "chart",
    analysis_pb2.ARTIFACT_TYPE_REPORT: "report",
    analysis_pb2.ARTIFACT_TYPE_SUMMARY: "summary",
}
_NUMBERS = {name: number for number, name in _TYPES.items()}
_TYPED = ("table", "chart", "report")


def artifact_type_from(number: analysis_pb2.ArtifactType.ValueType) -> str:
    """A type of artifact. Raises AssayError(INVALID_ARGUMENT)."""
    if number not in _TYPES:
        raise AssayError(
            INVALID_ARGUMENT,
            f"there is no type of artifact number {number}",
            fields={"artifact_type": "table, chart, report or summary"},
        )
    return _TYPES[number]


def artifact_to(artifact: Artifact) -> analysis_pb2.Artifact:
    """An artifact for the contract."""
    created = Timestamp()
    created.FromDatetime(artifact.created_at)
    message = analysis_pb2.Artifact(
        artifact_id=artifact.artifact_id,
        job_id=artifact.request_id,
        artifact_type=_NUMBERS[artifact.artifact_type],
        content_ref=artifact.content_ref,
        content_hash=artifact.content_hash,
        size_bytes=artifact.size_bytes,
        created_at=created,
        local_path=artifact.local_path,
        media_type=artifact.media_type,
    )
    rest = _fill(message, artifact.artifact_type, artifact.metadata)
    if rest:
        message.particulars_json = json.dumps(rest, sort_keys=True, default=str)
    return message


def _fill(
    message: analysis_pb2.Artifact, artifact_type: str, metadata: Mapping[str, Any]
) -> dict[str, Any]:
    """Put what the contract has a field for into it; what is left."""
    rest = dict(metadata)
    if artifact_type not in _TYPED:
        return rest
    typed = getattr(message, artifact_type)
    typed.SetInParent()
    for field in typed.DESCRIPTOR.fields:
        if field.name not in rest:
            continue
        value = rest.pop(field.name)
        if field.is_repeated:
            getattr(typed, field.name).extend(value)
        else:
            setattr(typed, field.name, value)
    return rest
