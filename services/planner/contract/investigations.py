"""Investigations: what is asked, and what comes of it."""

from __future__ import annotations

from datetime import date

from assay.common.v1 import findings_pb2, investigation_pb2
from mesh.errors import INVALID_DATE_RANGE, AssayError
from services.planner.contract.times import timestamp
from services.planner.domain.handover.segment import can_be_handed_over
from services.planner.domain.investigation.data_model import DataModel
from services.planner.domain.investigation.explanation import Explanation, Likelihood
from services.planner.domain.investigation.ground import Ground
from services.planner.domain.investigation.hypothesis import Hypothesis, HypothesisStatus
from services.planner.domain.investigation.iteration import (
    ExitReason,
    Finding,
    FindingsLedger,
    IterationLog,
    Move,
)
from services.planner.domain.investigation.period import DateRange
from services.planner.domain.investigation.result import InvestigationResult, ReportStatus

_STATUSES = {
    HypothesisStatus.PENDING: findings_pb2.HYPOTHESIS_STATUS_PENDING,
    HypothesisStatus.INVESTIGATING: findings_pb2.HYPOTHESIS_STATUS_INVESTIGATING,
    HypothesisStatus.CONFIRMED: findings_pb2.HYPOTHESIS_STATUS_CONFIRMED,
    HypothesisStatus.RULED_OUT: findings_pb2.HYPOTHESIS_STATUS_RULED_OUT,
}
_MOVES = {
    Move.ANALYZE: investigation_pb2.ITERATION_DECISION_ANALYZE,
    Move.DRILL_DOWN: investigation_pb2.ITERATION_DECISION_DRILL_DOWN,
    Move.PIVOT: investigation_pb2.ITERATION_DECISION_PIVOT,
    Move.CONCLUDE: investigation_pb2.ITERATION_DECISION_CONCLUDE,
}
_EXITS = {
    ExitReason.CONCLUDE: investigation_pb2.EXIT_REASON_CONCLUDE,
    ExitReason.MAX_ITERATIONS: investigation_pb2.EXIT_REASON_MAX_ITERATIONS,
    ExitReason.STALL_DETECTED: investigation_pb2.EXIT_REASON_STALL_DETECTED,
}
_LIKELIHOODS = {
    Likelihood.MOST_LIKELY: investigation_pb2.LIKELIHOOD_MOST_LIKELY,
    Likelihood.LIKELY: investigation_pb2.LIKELIHOOD_LIKELY,
    Likelihood.POSSIBLE: investigation_pb2.LIKELIHOOD_POSSIBLE,
    Likelihood.LESS_LIKELY: investigation_pb2.LIKELIHOOD_LESS_LIKELY,
}
_REPORTS = {
    ReportStatus.COMPLETED: investigation_pb2.REPORT_STATUS_COMPLETED,
    ReportStatus.NO_FINDINGS: investigation_pb2.REPORT_STATUS_NO_FINDINGS,
}


def period_from(message: investigation_pb2.DateRange, name: str) -> DateRange:
    """A period as the domain knows it. Raises AssayError(INVALID_DATE_RANGE)."""
    days: dict[str, date] = {}
    for end in ("start", "end"):
        text = getattr(message, end)
        try:
            days[end] = date.fromisoformat(text)
        except ValueError as error:
            raise AssayError(
                INVALID_DATE_RANGE,
                f"{text!r} is no day: the {end} of the {name.replace('_', ' ')} is told as "
                "2024-01-31",
                fields={f"investigation.{name}.{end}": "must be a day such as 2024-01-31"},
            ) from error
    return DateRange(**days)


def period_to(period: DateRange | None) -> investigation_pb2.DateRange | None:
    """A period for the contract."""
    if period is None:
        return None
    return investigation_pb2.DateRange(start=period.start.isoformat(), end=period.end.isoformat())


def hypothesis_to(value: Hypothesis) -> findings_pb2.Hypothesis:
    """A hypothesis for the contract."""
    return findings_pb2.Hypothesis(
        hypothesis_id=value.hypothesis_id,
        title=value.title,
        causal_story=value.causal_story,
        dimensions=value.dimensions,
        expected_pattern=value.expected_pattern,
        priority=value.priority,
        status=_STATUSES[value.status],
        created_at=timestamp(value.created_at),
    )


def finding_to(value: Finding) -> findings_pb2.Finding:
    """A finding for the contract."""
    return findings_pb2.Finding(
        finding_id=value.finding_id,
        iteration=value.iteration,
        summary=value.summary,
        full_output_ref=value.full_output_ref,
        hypothesis_affected=value.hypothesis_affected,
        created_at=timestamp(value.created_at),
    )


def result_to(result: InvestigationResult) -> investigation_pb2.InvestigationResult:
    """For the contract, what a result has beside its answer."""
    return investigation_pb2.InvestigationResult(
        status=_REPORTS[result.status],
        metric=result.ground.metric,
        label=result.ground.label,
        unit=result.ground.unit,
        baseline_period=period_to(result.ground.baseline),
        comparison_period=period_to(result.ground.comparison),
        data_model=_data_model_to(result.data_model),
        analysis_plan=[
            investigation_pb2.PlanStep(**step.model_dump()) for step in result.analysis_plan.steps
        ],
        hypotheses=[hypothesis_to(one) for one in result.hypotheses],
        iterations=[_iteration_to(one) for one in result.iterations],
        ledger=_ledger_to(result.ledger),
        explanations=[_explanation_to(one, result.ground) for one in result.explanations],
    )


def _data_model_to(model: DataModel) -> investigation_pb2.DataModel:
    return investigation_pb2.DataModel(
        tables=[investigation_pb2.TableInfo(**table.model_dump()) for table in model.tables],
        relationships=[
            investigation_pb2.RelationshipInfo(**one.model_dump()) for one in model.relationships
        ],
        recommended_dimensions=model.recommended_dimensions,
        inferred_at=timestamp(model.inferred_at),
    )


def _iteration_to(log: IterationLog) -> investigation_pb2.IterationLog:
    return investigation_pb2.IterationLog(
        iteration=log.iteration,
        decision=_MOVES[log.decision],
        reason=log.reason,
        code_executed=log.code_executed,
        raw_output=log.raw_output,
        compressed_summary=log.compressed_summary,
        hypothesis_status_changes=[
            investigation_pb2.HypothesisChange(
                hypothesis_id=change.hypothesis,
                before=_STATUSES[change.before],
                after=_STATUSES[change.after],
            )
            for change in log.hypothesis_status_changes
        ],
        timestamp=timestamp(log.timestamp),
    )


def _ledger_to(ledger: FindingsLedger) -> investigation_pb2.FindingsLedger:
    return investigation_pb2.FindingsLedger(
        findings=[finding_to(one) for one in ledger.findings],
        hypothesis_outcomes={
            identity: _STATUSES[status] for identity, status in ledger.hypothesis_outcomes.items()
        },
        total_iterations=ledger.total_iterations,
        exit_reason=_EXITS[ledger.exit_reason],
        created_at=timestamp(ledger.created_at),
    )


def _explanation_to(one: Explanation, ground: Ground) -> investigation_pb2.Explanation:
    effect = one.effect
    return investigation_pb2.Explanation(
        rank=one.rank,
        title=one.title,
        likelihood=_LIKELIHOODS[one.likelihood],
        evidence=[
            investigation_pb2.ExplanationEvidence(
                text=item.text, claim_ids=item.claims, finding_id=item.finding
            )
            for item in one.evidence
        ],
        reasoning=one.reasoning,
        causal_story=one.causal_story,
        source_hypotheses=one.source_hypotheses,
        kind=one.kind,
        segment=[
            investigation_pb2.SegmentValue(dimension=name, value=value)
            for name, value in one.segment
        ],
        effect=investigation_pb2.ExplanationEffect(**effect.model_dump()) if effect else None,
        basis=one.basis.value,
        onset=one.onset,
        can_be_handed_over=ground.leaf is None and can_be_handed_over(one),
    )
