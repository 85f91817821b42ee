"""Causal jobs: what is asked, where they are, and what comes of them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from google.protobuf import json_format

from assay.common.v1 import causal_pb2, findings_pb2
from mesh.errors import INVALID_ARGUMENT, AssayError
from mesh.ids import parse_id
from services.planner.domain.causal.graph import CausalPair
from services.planner.domain.causal.knowledge import Knowledge
from services.planner.domain.causal.origin import Origin
from services.planner.domain.causal.result import CausalResult
from services.planner.domain.causal.results import CritiqueDecision, CritiqueFeedback
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.causal.status import JobStatus

_DECISIONS = {
    CritiqueDecision.APPROVE: findings_pb2.CRITIQUE_DECISION_APPROVE,
    CritiqueDecision.ITERATE: findings_pb2.CRITIQUE_DECISION_ITERATE,
    CritiqueDecision.REJECT: findings_pb2.CRITIQUE_DECISION_REJECT,
}


def knowledge_from(message: causal_pb2.CausalKnowledge) -> Knowledge:
    """What people know, as the domain has it."""
    return Knowledge(
        tiers=tuple(tuple(tier.columns) for tier in message.tiers),
        forbidden=tuple((arrow.source, arrow.target) for arrow in message.forbidden),
        required=tuple((arrow.source, arrow.target) for arrow in message.required),
        descriptions=dict(message.descriptions),
        instruments=tuple(message.instruments),
        unit=message.unit,
        time=message.time,
        running=message.running,
        cutoff=message.cutoff if message.HasField("cutoff") else None,
        negative_outcomes=tuple(message.negative_outcomes),
        randomised=message.randomised,
        notes=message.notes,
    )


def knowledge_to(known: Knowledge) -> causal_pb2.CausalKnowledge:
    """What people know, for the contract."""
    return causal_pb2.CausalKnowledge(
        tiers=[causal_pb2.CausalTier(columns=names) for names in known.tiers],
        forbidden=[causal_pb2.CausalArrow(source=a, target=b) for a, b in known.forbidden],
        required=[causal_pb2.CausalArrow(source=a, target=b) for a, b in known.required],
        descriptions=known.descriptions,
        instruments=known.instruments,
        unit=known.unit,
        time=known.time,
        running=known.running,
        cutoff=known.cutoff,
        negative_outcomes=known.negative_outcomes,
        randomised=known.randomised,
        notes=known.notes,
    )


def origin_from(message: causal_pb2.CausalOrigin) -> Origin:
    """A finding that is asked about, as the domain has it. Raises AssayError(INVALID_ARGUMENT)."""
    if message.explanation < 0 or (message.explanation and message.finding_id):
        raise AssayError(
            INVALID_ARGUMENT,
            "the origin names an explanation and a finding"
            if message.finding_id
            else f"there is no explanation {message.explanation}",
            fields={"causal.origin": "an explanation from 1, or a finding, or neither"},
        )
    return Origin(
        job_id=parse_id(message.job_id, "causal.origin.job_id"),
        explanation=message.explanation,
        finding_id=message.finding_id,
    )


def origin_to(origin: Origin | None) -> causal_pb2.CausalOrigin | None:
    """Where a question comes from, for the contract."""
    if origin is None:
        return None
    return causal_pb2.CausalOrigin(**origin.model_dump(exclude={"table", "columns", "of_segment"}))


def pairs_from(messages: Iterable[causal_pb2.CausalPair]) -> tuple[CausalPair, ...]:
    """Further pairs, as the domain has them. Raises AssayError(INVALID_ARGUMENT)."""
    pairs = []
    for one in messages:
        if not one.treatment or not one.outcome or not 0 <= one.priority <= 3:
            raise AssayError(
                INVALID_ARGUMENT,
                f"{one.treatment or 'nothing'} -> {one.outcome or 'nothing'} is no pair",
                fields={"causal.pairs": "a treatment, an outcome, and a priority of 1 to 3"},
            )
        pairs.append(
            CausalPair(
                treatment=one.treatment,
                outcome=one.outcome,
                rationale=one.rationale,
                priority=one.priority or 2,
            )
        )
    return tuple(pairs)


def progress_to(data: dict[str, Any]) -> causal_pb2.CausalProgress:
    """Where a job is, as its events tell."""
    return causal_pb2.CausalProgress(
        status=_status(data["status"]), progress_percentage=data["progress"]
    )


def critique_to(feedback: CritiqueFeedback) -> findings_pb2.Critique:
    """A judgement for the contract."""
    return findings_pb2.Critique(
        decision=_DECISIONS[feedback.decision],
        iteration=feedback.iteration,
        scores=feedback.scores,
        issues=feedback.issues,
        improvements=feedback.improvements,
        reasoning=feedback.reasoning,
    )


def state_to(state: AnalysisState) -> causal_pb2.AnalysisState:
    """The state of a causal job for the contract: its fields have the names they have here."""
    fields = state.model_dump(mode="json", exclude={"critique_history", "status"})
    message = causal_pb2.AnalysisState()
    json_format.ParseDict(_plain(fields), message)
    message.status = _status(state.status)
    message.critique_history.extend(critique_to(one) for one in state.critique_history)
    return message


def causal_result_to(result: CausalResult) -> causal_pb2.CausalResult:
    """For the contract, what a result has beside its answer."""
    message = causal_pb2.CausalResult(
        verdict=_DECISIONS[result.verdict], state=state_to(result.state)
    )
    if result.effect is not None:
        json_format.ParseDict(_plain(result.effect.model_dump(mode="json")), message.effect)
    return message


def _status(status: str) -> causal_pb2.CausalStatus.ValueType:
    return causal_pb2.CausalStatus.Value(f"CAUSAL_STATUS_{JobStatus(status).name}")


def _plain(value: Any) -> Any:
    """JSON without what the contract's JSON has no place for: fields that are not set, and numbers
    that are none."""
    if isinstance(value, dict):
        kept = {str(name): _plain(item) for name, item in value.items()}
        return {name: item for name, item in kept.items() if item is not None}
    if isinstance(value, list):
        return [_plain(item) for item in value if item is not None]
    return None if isinstance(value, float) and not math.isfinite(value) else value
