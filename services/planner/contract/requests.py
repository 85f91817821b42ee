"""Requests, sources, policy and limits."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Literal

from google.protobuf import json_format

from assay.common.v1 import analysis_pb2, causal_pb2, data_pb2, investigation_pb2, job_pb2
from assay.executor.v1 import executor_service_pb2 as executor_pb2
from assay.planner.v1 import planner_service_pb2 as planner_pb2
from mesh.errors import INVALID_ARGUMENT, UNKNOWN_DELIVERABLE, AssayError
from mesh.ids import parse_id
from mesh.policy import Policy
from services.planner.contract.causal import (
    knowledge_from,
    knowledge_to,
    origin_from,
    origin_to,
    pairs_from,
)
from services.planner.contract.investigations import period_from, period_to
from services.planner.contract.routing import asked_to, decision_to
from services.planner.contract.times import duration
from services.planner.domain.analysis.request import AnalysisRequest, Deliverable
from services.planner.domain.causal.request import CAUSAL_SECONDS, CausalRequest
from services.planner.domain.investigation.period import DateRange
from services.planner.domain.investigation.request import (
    INVESTIGATION_SECONDS,
    InvestigationRequest,
)
from services.planner.domain.kinds import Work
from services.planner.domain.request import Constraints, DataSource, ModelText, WorkRequest

_SOURCE_TYPES = {1: "sql", 2: "csv", 3: "json", 4: "parquet", 5: "arrow", 6: "excel"}
_SOURCE_NUMBERS = {name: number for number, name in _SOURCE_TYPES.items()}
_DELIVERABLES = {
    1: Deliverable.TABLES,
    2: Deliverable.CHARTS,
    3: Deliverable.REPORTS,
    4: Deliverable.SUMMARY,
}
ENGINES = {
    data_pb2.ENGINE_UNSPECIFIED: "",
    data_pb2.ENGINE_DUCKDB: "duckdb",
    data_pb2.ENGINE_POSTGRES: "postgres",
    data_pb2.ENGINE_SPARK: "spark",
}
_ENGINE_NUMBERS = {name: number for number, name in ENGINES.items()}
_DELIVERABLE_NUMBERS = {item: number for number, item in _DELIVERABLES.items()}


Submission = planner_pb2.CreateJobRequest | planner_pb2.PlanJobRequest


def work_from(message: Submission, request_id: str, submitted_at: datetime) -> Work:
    """What is asked, as the domain knows it. Raises AssayError for what cannot be asked."""
    kind = message.WhichOneof("work")
    if kind is None:
        raise AssayError(
            INVALID_ARGUMENT,
            "the request asks for no work",
            fields={"analysis": "one kind of work must be set"},
        )
    return _READERS[kind](getattr(message, kind), message.files, request_id, submitted_at)


def _analysis_from(
    message: analysis_pb2.AnalysisRequest,
    files: Mapping[str, planner_pb2.FileContent],
    request_id: str,
    submitted_at: datetime,
) -> AnalysisRequest:
    unknown = [number for number in message.deliverables if number not in _DELIVERABLES]
    if unknown:
        raise AssayError(
            UNKNOWN_DELIVERABLE,
            f"deliverable {unknown[0]} is not known",
            fields={"analysis.deliverables": "tables, charts, reports or summary"},
        )
    chosen = tuple(_DELIVERABLES[number] for number in message.deliverables)
    return AnalysisRequest(
        request_id=request_id,
        intent=message.intent,
        statement=message.statement,
        data_sources=tuple(source_from(source, files) for source in message.data_sources),
        constraints=_constraints_from(message.constraints),
        deliverables=chosen or tuple(Deliverable),
        policy=Policy(
            allowed_columns=tuple(message.policy.allowed_columns),
            blocked_patterns=tuple(message.policy.blocked_patterns),
        ),
        timestamp=submitted_at,
        assume=message.assume,
        choice=message.choice,
        corrections=tuple(message.corrections),
        follows_job_id=parse_id(message.follows_job_id, "analysis.follows_job_id")
        if message.follows_job_id
        else "",
    )


def _investigation_from(
    message: investigation_pb2.InvestigationRequest,
    files: Mapping[str, planner_pb2.FileContent],
    request_id: str,
    submitted_at: datetime,
) -> InvestigationRequest:
    return InvestigationRequest(
        request_id=request_id,
        metric_sql=message.metric_sql,
        business_context=message.business_context,
        investigation_prompt=message.investigation_prompt,
        data_sources=tuple(source_from(source, files) for source in message.data_sources),
        constraints=_constraints_from(
            message.constraints, "investigation", timeout_seconds=INVESTIGATION_SECONDS
        ),
        policy=Policy(
            allowed_columns=tuple(message.policy.allowed_columns),
            blocked_patterns=tuple(message.policy.blocked_patterns),
        ),
        timestamp=submitted_at,
        time_column=message.time_column,
        dimensions=tuple(message.dimensions),
        leaf=message.leaf,
        real_column=message.real_column,
        predicted_column=message.predicted_column,
        asked=message.question,
        baseline_period=_period_from(message, "baseline_period"),
        comparison_period=_period_from(message, "comparison_period"),
    )


def _period_from(
    message: investigation_pb2.InvestigationRequest,
    name: Literal["baseline_period", "comparison_period"],
) -> DateRange | None:
    return period_from(getattr(message, name), name) if message.HasField(name) else None


def _causal_from(
    message: causal_pb2.CausalRequest,
    files: Mapping[str, planner_pb2.FileContent],
    request_id: str,
    submitted_at: datetime,
) -> CausalRequest:
    given = {
        name: getattr(message, name)
        for name in ("max_iterations", "rows")
        if message.HasField(name)
    }
    return CausalRequest(
        request_id=request_id,
        treatment=message.treatment,
        outcome=message.outcome,
        data_sources=tuple(source_from(source, files) for source in message.data_sources),
        table=message.table,
        relation=message.relation,
        knowledge=knowledge_from(message.knowledge),
        metadata=message.metadata_json,
        seed=message.seed,
        constraints=_constraints_from(
            message.constraints, "causal", timeout_seconds=CAUSAL_SECONDS
        ),
        policy=Policy(
            allowed_columns=tuple(message.policy.allowed_columns),
            blocked_patterns=tuple(message.policy.blocked_patterns),
        ),
        timestamp=submitted_at,
        asked=message.question,
        origin=origin_from(message.origin) if message.HasField("origin") else None,
        modifiers=tuple(message.modifiers),
        treated=message.treated,
        reference=message.reference,
        pairs=pairs_from(message.pairs),
        **given,
    )


_READERS: dict[str, Callable[..., Work]] = {
    "analysis": _analysis_from,
    "investigation": _investigation_from,
    "causal": _causal_from,
}
"""By kind of work."""


def _constraints_from(
    message: data_pb2.Constraints, kind: str = "analysis", **usual: Any
) -> Constraints:
    """Limits as the domain knows them: what was not set is the default, what was set is checked."""
    given: dict[str, Any] = dict(usual)
    if message.HasField("row_limit"):
        given["row_limit"] = message.row_limit
    if message.HasField("timeout"):
        given["timeout_seconds"] = message.timeout.ToNanoseconds() / 1e9
    if message.engine not in ENGINES:
        raise AssayError(
            INVALID_ARGUMENT,
            f"there is no engine number {message.engine}",
            fields={f"{kind}.constraints.engine": "unknown"},
        )
    return Constraints(engine=ENGINES[message.engine], **given)


def source_from(
    message: data_pb2.DataSource, files: Mapping[str, planner_pb2.FileContent]
) -> DataSource:
    """A source as the domain knows it; `files` says what the uploaded ones hold."""
    content = files.get(message.file_id)
    return DataSource(
        type=_SOURCE_TYPES.get(message.type, ""),
        connection_string=message.connection_string,
        file_path=message.file_path,
        file_id=message.file_id,
        content_digest=content.content_digest if content else "",
        schema_fingerprint=message.schema_fingerprint,
        name=message.name or (content.name if content else ""),
        read_options=_options_from(message),
        semantic_models=tuple(
            ModelText(name=model.name or f"semantic model {number}", text=model.text)
            for number, model in enumerate(message.semantic_models, 1)
        ),
    )


def _options_from(message: data_pb2.DataSource) -> str:
    if not message.HasField("read_options"):
        return ""
    fields = json_format.MessageToDict(message.read_options, preserving_proto_field_name=True)
    return json.dumps(fields, sort_keys=True)


def _options_to(source: DataSource) -> data_pb2.ReadOptions | None:
    if not source.read_options:
        return None
    return json_format.Parse(source.read_options, data_pb2.ReadOptions())


def sources_to(request: WorkRequest) -> list[executor_pb2.Source]:
    """All sources of a request, as the executor finds them."""
    return [
        executor_pb2.Source(
            type=data_pb2.DataSourceType.ValueType(_SOURCE_NUMBERS.get(source.type, 0)),
            name=source.name,
            read_options=_options_to(source),
            schema_fingerprint=source.schema_fingerprint,
            **_place(source, "content_digest"),
        )
        for source in request.data_sources
    ]


def files_of(request: WorkRequest) -> dict[str, planner_pb2.FileContent]:
    """What the uploaded files are that a request names, by file_id."""
    return {
        source.file_id: planner_pb2.FileContent(
            content_digest=source.content_digest, name=source.name
        )
        for source in request.data_sources
        if source.file_id
    }


def without_texts(job: job_pb2.Job) -> None:
    """Leave the names of semantic models, as lists do: their texts may be long."""
    kind = job.WhichOneof("work")
    for source in getattr(job, kind).data_sources if kind else ():
        for model in source.semantic_models:
            model.ClearField("text")


def _place(source: DataSource, stored: str) -> dict[str, str]:
    """Where a source is, as the one field of the contract's oneof that is set."""
    places = {
        "connection_string": source.connection_string,
        "file_path": source.file_path,
        stored: getattr(source, stored),
    }
    return {name: value for name, value in places.items() if value}


def policy_to(policy: Policy) -> data_pb2.Policy:
    """A policy for the contract."""
    return data_pb2.Policy(
        allowed_columns=policy.allowed_columns, blocked_patterns=policy.blocked_patterns
    )


def constraints_to(constraints: Constraints) -> data_pb2.Constraints:
    """Limits for the contract."""
    return data_pb2.Constraints(
        row_limit=constraints.row_limit,
        timeout=duration(constraints.timeout_seconds),
        engine=_ENGINE_NUMBERS[constraints.engine],
    )


def analysis_to(request: AnalysisRequest) -> analysis_pb2.AnalysisRequest:
    """A question for the contract, such that it can be asked again."""
    return analysis_pb2.AnalysisRequest(
        intent=request.intent,
        statement=request.statement,
        data_sources=_named_sources(request),
        constraints=constraints_to(request.constraints),
        deliverables=[
            analysis_pb2.Deliverable.ValueType(_DELIVERABLE_NUMBERS[d])
            for d in request.deliverables
        ],
        policy=policy_to(request.policy),
        assume=request.assume,
        choice=request.choice,
        corrections=request.corrections,
        follows_job_id=request.follows_job_id,
        domains=[asked_to(domain) for domain in request.domains],
        routing=decision_to(request.routing) if request.routing is not None else None,
    )


def investigation_to(request: InvestigationRequest) -> investigation_pb2.InvestigationRequest:
    """An investigation for the contract, such that it can be asked for again."""
    return investigation_pb2.InvestigationRequest(
        metric_sql=request.metric_sql,
        baseline_period=period_to(request.baseline_period),
        comparison_period=period_to(request.comparison_period),
        business_context=request.business_context,
        investigation_prompt=request.investigation_prompt,
        data_sources=_named_sources(request),
        constraints=constraints_to(request.constraints),
        policy=policy_to(request.policy),
        time_column=request.time_column,
        dimensions=request.dimensions,
        leaf=request.leaf,
        real_column=request.real_column,
        predicted_column=request.predicted_column,
        question=request.asked,
    )


def causal_to(request: CausalRequest) -> causal_pb2.CausalRequest:
    """A causal job for the contract, such that it can be asked for again."""
    return causal_pb2.CausalRequest(
        treatment=request.treatment,
        outcome=request.outcome,
        data_sources=_named_sources(request),
        table=request.table,
        relation=request.relation,
        knowledge=knowledge_to(request.knowledge),
        metadata_json=request.metadata,
        max_iterations=request.max_iterations,
        rows=request.rows,
        seed=request.seed,
        constraints=constraints_to(request.constraints),
        policy=policy_to(request.policy),
        question=request.asked,
        origin=origin_to(request.origin),
        modifiers=request.modifiers,
        treated=request.treated,
        reference=request.reference,
        pairs=[causal_pb2.CausalPair(**pair.model_dump()) for pair in request.pairs],
    )


def work_to(request: Work) -> dict[str, Any]:
    """What a job was asked for, as the field of its kind."""
    if isinstance(request, InvestigationRequest):
        return {"investigation": investigation_to(request)}
    if isinstance(request, CausalRequest):
        return {"causal": causal_to(request)}
    return {"analysis": analysis_to(request)}


def _named_sources(request: WorkRequest) -> list[data_pb2.DataSource]:
    """All sources of a request, as its caller named them."""
    return [
        data_pb2.DataSource(
            type=data_pb2.DataSourceType.ValueType(_SOURCE_NUMBERS.get(source.type, 0)),
            schema_fingerprint=source.schema_fingerprint,
            name=source.name,
            read_options=_options_to(source),
            semantic_models=[
                data_pb2.SemanticModel(name=model.name, text=model.text)
                for model in source.semantic_models
            ],
            **_place(source, "file_id"),
        )
        for source in request.data_sources
    ]
