"""Requests, sources, policy and limits."""

from __future__ import annotations

import json
from datetime import datetime

from google.protobuf import json_format

from assay.common.v1 import data_pb2, job_pb2
from mesh.errors import UNKNOWN_DELIVERABLE, AssayError
from mesh.ids import parse_id
from mesh.policy import Policy
from services.planner.contract.times import moment, timestamp
from services.planner.domain.request import (
    AnalysisRequest,
    Constraints,
    DataSource,
    Deliverable,
)

_SOURCE_TYPES = {1: "sql", 2: "csv", 3: "json", 4: "parquet", 5: "arrow", 6: "excel"}
_SOURCE_NUMBERS = {name: number for number, name in _SOURCE_TYPES.items()}
_DELIVERABLES = {
    1: Deliverable.TABLES,
    2: Deliverable.CHARTS,
    3: Deliverable.REPORTS,
    4: Deliverable.SUMMARY,
}
_DELIVERABLE_NUMBERS = {item: number for number, item in _DELIVERABLES.items()}


def request_from(message: job_pb2.AnalysisRequest, now: datetime) -> AnalysisRequest:
    """A request as the domain knows it. Raises AssayError for what cannot be one."""
    unknown = [number for number in message.deliverables if number not in _DELIVERABLES]
    if unknown:
        raise AssayError(
            UNKNOWN_DELIVERABLE,
            f"deliverable {unknown[0]} is not known",
            fields={"deliverables": "tables, charts, reports or summary"},
        )
    chosen = tuple(_DELIVERABLES[number] for number in message.deliverables)
    return AnalysisRequest(
        request_id=parse_id(message.request_id, "request_id"),
        intent=message.intent,
        data_sources=tuple(source_from(source) for source in message.data_sources),
        constraints=Constraints(
            row_limit=message.constraints.row_limit or Constraints().row_limit,
            timeout_seconds=message.constraints.timeout_seconds or Constraints().timeout_seconds,
            engine=message.constraints.engine,
        ),
        deliverables=chosen or tuple(Deliverable),
        policy=Policy(
            allowed_columns=tuple(message.policy.allowed_columns),
            blocked_patterns=tuple(message.policy.blocked_patterns),
        ),
        timestamp=moment(message.timestamp) if message.HasField("timestamp") else now,
        assume=message.assume,
    )


def source_from(message: data_pb2.DataSource) -> DataSource:
    """A source as the domain knows it."""
    return DataSource(
        type=_SOURCE_TYPES.get(message.type, ""),
        connection_string=message.connection_string,
        file_path=message.file_path,
        file_id=message.file_id,
        schema_fingerprint=message.schema_fingerprint,
        name=message.name,
        read_options=_options_from(message),
    )


def _options_from(message: data_pb2.DataSource) -> str:
    if not message.HasField("read_options"):
        return ""
    fields = json_format.MessageToDict(message.read_options, preserving_proto_field_name=True)
    return json.dumps(fields, sort_keys=True)


def source_to(source: DataSource) -> data_pb2.DataSource:
    """A source for the contract."""
    return data_pb2.DataSource(
        type=data_pb2.DataSourceType.ValueType(_SOURCE_NUMBERS.get(source.type, 0)),
        connection_string=source.connection_string,
        file_path=source.file_path,
        file_id=source.file_id,
        schema_fingerprint=source.schema_fingerprint,
        name=source.name,
        read_options=(
            json_format.Parse(source.read_options, data_pb2.ReadOptions())
            if source.read_options
            else None
        ),
    )


def sources_to(request: AnalysisRequest) -> list[data_pb2.DataSource]:
    """All sources of a request."""
    return [source_to(source) for source in request.data_sources]


def policy_to(policy: Policy) -> data_pb2.Policy:
    """A policy for the contract."""
    return data_pb2.Policy(
        allowed_columns=policy.allowed_columns, blocked_patterns=policy.blocked_patterns
    )


def constraints_to(constraints: Constraints) -> data_pb2.Constraints:
    """Limits for the contract."""
    return data_pb2.Constraints(
        row_limit=constraints.row_limit,
        timeout_seconds=constraints.timeout_seconds,
        engine=constraints.engine,
    )


def request_to(request: AnalysisRequest) -> job_pb2.AnalysisRequest:
    """A request for the contract. Credentials stay behind: nobody asks for them back."""
    shown = [
        source.model_copy(update={"connection_string": "", "name": source.label})
        for source in request.data_sources
    ]
    return job_pb2.AnalysisRequest(
        request_id=request.request_id,
        intent=request.intent,
        data_sources=[source_to(source) for source in shown],
        constraints=constraints_to(request.constraints),
        deliverables=[
            job_pb2.Deliverable.ValueType(_DELIVERABLE_NUMBERS[d]) for d in request.deliverables
        ],
        policy=policy_to(request.policy),
        timestamp=timestamp(request.timestamp),
        assume=request.assume,
    )
