"""What a causal job leaves in the audit log, beside its calls and its end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mesh.ids import derived_id
from services.planner.domain.causal.agent import Brief, Seen
from services.planner.domain.causal.frame import FrameChecked
from services.planner.domain.causal.origin import Origin
from services.planner.domain.causal.patching import Patch
from services.planner.domain.causal.running import Dispatch
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.plan import Plan, Subtask
from services.planner.domain.suggestions import Suggestions
from services.planner.ports import AuditEvent, Described

NOTHING_SEEN = Seen()


def begun(
    job_id: str,
    plan: Plan,
    state: AnalysisState,
    brief: Brief,
    understood: str,
    described: Described,
    frame: FrameChecked,
    origin: Origin | None = None,
) -> list[AuditEvent]:
    """What policy allows, what is studied, and of which other job it was asked."""
    policy = {
        "decision": "allowed",
        "rule": "allowed_columns, blocked_patterns",
        "reason": f"{len(described.blocked_columns)} columns are hidden by policy",
    }
    created = {
        "plan_id": plan.plan_id,
        "understood": understood,
        "reasoner": "rules",
        "reasoning": plan.draft.reasoning,
        "answer_task": plan.draft.answer_task,
        "subtasks": [],
        "source_digests": list(described.source_digests),
        "source_seals": list(described.source_seals),
        "schema_fingerprint": described.catalogue.fingerprint,
        "relation": brief.relation,
        "checked": frame.model_dump(mode="json"),
        "knowledge": brief.knowledge.model_dump(mode="json"),
        "dataset_info": state.dataset_info.model_dump(mode="json"),
    }
    if origin is not None:
        created |= {"parent_job_id": origin.job_id, "handed_over": origin.model_dump(mode="json")}
    return [
        _entry("policy_decision", policy, plan.plan_id, "safety"),
        _entry("plan_created", created, plan.plan_id, "planner"),
    ]


def dispatched(job_id: str, dispatch: Dispatch, number: str) -> list[AuditEvent]:
    """Who runs next, and why."""
    data = {
        "decision": "dispatch",
        "iteration": int(number),
        "status": "success",
        "agents": list(dispatch.agents),
        "reason": dispatch.reason,
        "statuses": [status.value for status in dispatch.patch.statuses],
        "writes": dispatch.patch.model_dump(mode="json")["writes"],
    }
    return [_entry("observation_recorded", data, f"{job_id}:dispatch:{number}", "orchestrator")]


def extended(plan: Plan, dispatch: Dispatch, further: Sequence[Subtask]) -> list[AuditEvent]:
    """The calls that agents ask for."""
    data = {
        "plan_id": plan.plan_id,
        "reason": dispatch.reason,
        "agents": list(dispatch.agents),
        "subtasks": [task.model_dump(mode="json") for task in further],
    }
    about = "+".join(task.task_id for task in further)
    return [_entry("plan_created", data, f"{plan.plan_id}:{about}", "planner")]


def patched(job_id: str, patch: Patch, number: int) -> list[AuditEvent]:
    """What an agent wrote, and why."""
    value = patch.model_dump(mode="json")
    data: dict[str, Any] = {
        "decision": "patch",
        "iteration": number,
        "status": "success",
        "agent": patch.agent,
        "writes": value["writes"],
        "reasoning": patch.reasoning,
    }
    about = f"{job_id}:patch:{patch.agent}:{number}"
    return [_entry("observation_recorded", data, about, patch.agent)]


def advised(job_id: str, agent: str, advice: Suggestions) -> list[AuditEvent]:
    """What a language model suggested to an agent, or why it gave nothing."""
    data = {
        "decision": "advise",
        "iteration": 0,
        "status": "failed" if advice.failed else "success",
        "agent": agent,
        "reasoner": advice.by,
        "proposed": advice.model_dump(mode="json", exclude={"model_use"}),
    }
    return [_entry("observation_recorded", data, f"{job_id}:advise:{agent}", agent)]


def record_sentences(job_id: str, words: Sequence[str]) -> list[AuditEvent]:
    """The sentences that the answer quotes, before they are told."""
    data = {"decision": "told", "iteration": 0, "status": "success", "words": list(words)}
    return [_entry("observation_recorded", data, f"{job_id}:told", "orchestrator")]


def _entry(event_type: str, data: dict[str, Any], about: str, actor: str) -> AuditEvent:
    return AuditEvent(
        entry_id=derived_id(event_type, about), event_type=event_type, event_data=data, actor=actor
    )
