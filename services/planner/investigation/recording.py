"""What an investigation leaves in the audit log, beside its calls and its end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mesh.ids import derived_id
from services.planner.domain.investigation.iteration import NextStep
from services.planner.domain.investigation.leaves.sides import Side, side_called, side_when
from services.planner.domain.investigation.state import Found, Grounded
from services.planner.domain.investigation.wording import called, words_of_name
from services.planner.domain.plan import Plan, Subtask
from services.planner.ports import AuditEvent, Described


def understood(grounded: Grounded) -> str:
    """What is investigated, in one line."""
    ground = grounded.ground
    split = f", by {', '.join(map(words_of_name, ground.dimensions))}" if ground.dimensions else ""
    if ground.leaf is not None:
        return f"why {called(ground)} of {ground.source_name} differs from its forecast{split}"
    read = ""
    if grounded.suggestions is not None and grounded.suggestions.metric:
        read = f" (read by {grounded.suggestions.by} as {ground.metric})"
    return (
        f"why {called(ground)}{read} of {ground.source_name} moved "
        f"{side_when(ground, 'comparison')} against {side_called(ground, 'baseline')}{split}"
    )


def _words(grounded: Grounded) -> list[str]:
    """What people call the metric, its periods and its dimensions, as the answer quotes them."""
    ground = grounded.ground
    both: tuple[Side, Side] = ("baseline", "comparison")
    periods = [function(ground, side) for side in both for function in (side_called, side_when)]
    return [called(ground), *periods, *map(words_of_name, ground.dimensions)]


def begun(job_id: str, plan: Plan, grounded: Grounded, described: Described) -> list[AuditEvent]:
    """What policy allows, what is investigated, and the hypotheses to begin with."""
    policy = {
        "decision": "allowed",
        "rule": "allowed_columns, blocked_patterns",
        "reason": f"{len(described.blocked_columns)} columns are hidden by policy",
    }
    created = {
        "words": _words(grounded),
        "plan_id": plan.plan_id,
        "understood": understood(grounded),
        "reasoner": "rules",
        "reasoning": plan.draft.reasoning,
        "answer_task": plan.draft.answer_task,
        "subtasks": [],
        "source_digests": list(described.source_digests),
        "source_seals": list(described.source_seals),
        "schema_fingerprint": described.catalogue.fingerprint,
        **grounded.model_dump(mode="json"),
    }
    return [
        _entry("policy_decision", policy, plan.plan_id, "safety"),
        _entry("plan_created", created, plan.plan_id, "planner"),
    ]


def extended(plan: Plan, step: NextStep, further: Sequence[Subtask]) -> list[AuditEvent]:
    """What an iteration decided to do, and why."""
    about = "+".join(task.task_id for task in further) or step.hypothesis or "end"
    decided: dict[str, Any] = {
        "plan_id": plan.plan_id,
        **step.model_dump(mode="json", exclude={"further"}),
        "further": [h.model_dump(mode="json", exclude={"created_at"}) for h in step.further],
    }
    return [_entry("plan_created", decided, f"{plan.plan_id}:{about}", "planner")]


def judged(job_id: str, found: Found) -> list[AuditEvent]:
    """What an iteration found, and how hypotheses stand after it."""
    log = found.log
    data = {
        "iteration": log.iteration,
        "decision": log.decision.value,
        "status": "success",
        "compressed_summary": log.compressed_summary,
        "told": list(found.told),
        "hypothesis_status_changes": [
            change.model_dump(mode="json") for change in log.hypothesis_status_changes
        ],
        "finding": found.finding.model_dump(mode="json", exclude={"created_at"})
        if found.finding
        else None,
    }
    return [_entry("observation_recorded", data, f"{job_id}:iteration:{log.iteration}", "planner")]


def _entry(event_type: str, data: dict[str, Any], about: str, actor: str) -> AuditEvent:
    return AuditEvent(
        entry_id=derived_id(event_type, about), event_type=event_type, event_data=data, actor=actor
    )
