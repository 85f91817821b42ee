"""Requests, by kind of work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Literal

from assay.common.v1 import analysis_pb2, causal_pb2, investigation_pb2
from assay.planner.v1 import planner_service_pb2 as planner_pb2
from mesh.errors import INVALID_ARGUMENT, UNKNOWN_DELIVERABLE, AssayError
from mesh.ids import parse_id
from services.planner.contract.causal import (
    knowledge_from,
    knowledge_to,
    origin_from,
    origin_to,
    pairs_from,
)
from services.planner.contract.investigations import period_from, period_to
from services.planner.contract.limits import (
    constraints_from,
    constraints_to,
    policy_from,
    policy_to,
)
from services.planner.contract.meanings import meaning_from, meaning_to
from services.planner.contract.requested_charts import requested_chart_from, requested_chart_to
from services.planner.contract.requested_tests import requested_test_from, requested_test_to
from services.planner.contract.routing import asked_to, decision_to
from services.planner.contract.sources import named_sources, sources_from
from services.planner.domain.causal.request import CAUSAL_SECONDS, CausalRequest
from services.planner.domain.investigation.period import DateRange
from services.planner.domain.investigation.request import (
    INVESTIGATION_SECONDS,
    InvestigationRequest,
)
from services.planner.domain.jobs.kinds import Work
from services.planner.domain.question import AnalysisRequest, Deliverable

_DELIVERABLES = {
    1: Deliverable.TABLES,
    2: Deliverable.CHARTS,
    3: Deliverable.REPORTS,
    4: Deliverable.SUMMARY,
}
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
        data_sources=sources_from(message.data_sources, files),
        constraints=constraints_from(message.constraints),
        deliverables=chosen or tuple(Deliverable),
        policy=policy_from(message.policy),
        timestamp=submitted_at,
        assume=message.assume,
        choice=message.choice,
        corrections=tuple(message.corrections),
        means=meaning_from(message.means),
        test=requested_test_from(message.test),
        chart=requested_chart_from(message.chart),
        frame=message.frame,
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
        data_sources=sources_from(message.data_sources, files),
        constraints=constraints_from(
            message.constraints, "investigation", timeout_seconds=INVESTIGATION_SECONDS
        ),
        policy=policy_from(message.policy),
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
        data_sources=sources_from(message.data_sources, files),
        table=message.table,
        relation=message.relation,
        knowledge=knowledge_from(message.knowledge),
        metadata=message.metadata_json,
        seed=message.seed,
        constraints=constraints_from(message.constraints, "causal", timeout_seconds=CAUSAL_SECONDS),
        policy=policy_from(message.policy),
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


def analysis_to(request: AnalysisRequest) -> analysis_pb2.AnalysisRequest:
    """A question for the contract, such that it can be asked again."""
    return analysis_pb2.AnalysisRequest(
        intent=request.intent,
        statement=request.statement,
        data_sources=named_sources(request),
        constraints=constraints_to(request.constraints),
        deliverables=[
            analysis_pb2.Deliverable.ValueType(_DELIVERABLE_NUMBERS[d])
            for d in request.deliverables
        ],
        policy=policy_to(request.policy),
        assume=request.assume,
        choice=request.choice,
        corrections=request.corrections,
        means=meaning_to(request.means),
        test=requested_test_to(request.test),
        chart=requested_chart_to(request.chart),
        frame=request.frame,
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
        data_sources=named_sources(request),
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
        data_sources=named_sources(request),
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
