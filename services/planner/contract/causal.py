"""Causal jobs: what is asked, where they are, and what comes of them."""

from __future__ import annotations

import math
from typing import Any

from google.protobuf import json_format

from assay.common.v1 import causal_pb2, findings_pb2
from services.planner.domain.causal.knowledge import Knowledge
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
