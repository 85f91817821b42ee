"""What a job leaves in the audit log, made of what is stored of it.

Every entry's id follows from what it is about. Whoever appends it again, after a crash or beside
another planner, appends the same entry, which the log keeps once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from mesh.errors import (
    DATABASE_LOGIN_REFUSED,
    DATABASE_PERMISSION_DENIED,
    REASONS,
    TIMEOUT,
    Kind,
)
from mesh.ids import derived_id
from services.planner.domain.analysis.planning import Planning
from services.planner.domain.calls import PARTIAL, Artifact, Frame, Observation, ToolCall
from services.planner.domain.data_source import DataSource
from services.planner.domain.decision import Decision
from services.planner.domain.jobs.ended import Ended
from services.planner.domain.plan import Plan, Subtask
from services.planner.domain.request import WorkRequest
from services.planner.ports import AuditEvent

# Refusals by a database are not this mesh's policy: they are observed, not decided.
_DECIDED_ELSEWHERE = frozenset({DATABASE_LOGIN_REFUSED.code, DATABASE_PERMISSION_DENIED.code})


def submitted(request: WorkRequest) -> AuditEvent:
    """A request as the log keeps it: everything but credentials.
    Personal data in a question that is refused for it was masked before.

    Repeated, it is the same record, so the time it came is left to the entry.
    """
    record = request.model_dump(mode="json", exclude={"data_sources", "timestamp", "withheld"})
    record.setdefault("intent", request.question)
    for name in ("domains", "routing", "frame"):
        if not record.get(name):  # of the requests that name their sources, nothing is said
            record.pop(name, None)
    if not any((record.get("means") or {}).values()):
        record.pop("means", None)
    record["data_sources"] = [
        {
            "type": source.type,
            "name": source.label,
            "place": source.file_path or source.file_id or "connection string (not recorded)",
            **_frame(source),
            **_models(source),
        }
        for source in request.data_sources
    ]
    return AuditEvent(
        entry_id=request.request_id,
        event_type="request_submitted",
        event_data=record,
        actor="system",
    )


def _frame(source: DataSource) -> dict[str, Any]:
    """Of which job's table a frame is, and which table: the proof goes on in that job's chain."""
    if not source.frame:
        return {}
    return {"place": "frame", "job_id": source.frame, "frame_digest": source.frame_digest}


def _models(source: DataSource) -> dict[str, Any]:
    """By which semantic models a source is read, each by the digest of its text."""
    models = [{"name": model.name, "sha256": model.sha256} for model in source.semantic_models]
    return {"semantic_models": models} if models else {}


def refused(job_id: str, rule: str, reason: str) -> AuditEvent:
    """A refusal by policy; `rule` is a reason code of mesh.errors."""
    data = {"decision": "refused", "rule": rule, "reason": reason}
    about = json.dumps(data, sort_keys=True)
    return AuditEvent(
        entry_id=derived_id("policy_decision", job_id, about),
        event_type="policy_decision",
        event_data=data,
        actor="safety",
    )


def ended(job_id: str, end: Ended) -> list[AuditEvent]:
    """That a job ended without an answer, why, and which files of it are kept.

    Nothing was decided by policy and nothing was made: of seed 000's event types what was observed
    fits. What ends a job that policy refused is the refusal, which may be logged already; more is
    said only of files that are kept.
    """
    if end.failure is None:
        raise ValueError(f"job {job_id} ended with an answer")
    rule, reason = end.failure.reason, end.failure.message
    by_policy = REASONS[rule].kind is Kind.POLICY and rule not in _DECIDED_ELSEWHERE
    audit_events = [refused(job_id, rule, reason)] if by_policy else []
    if audit_events and not end.partial_artifacts:
        return audit_events
    data = {
        "state": end.state.value,
        "status": "timeout" if rule == TIMEOUT.code else "error",
        "rule": rule,
        "reason": reason,
        "partial_artifacts": [artifact.artifact_id for artifact in end.partial_artifacts],
    }
    return [*audit_events, _entry("observation_recorded", data, f"{job_id}:end", actor="planner")]


def planned(plan: Plan, decision: Decision) -> list[AuditEvent]:
    """A plan that policy allows, with what it was made from."""
    planning = Planning.model_validate(decision.decided)
    policy = {
        "decision": "allowed",
        "rule": "allowed_columns, blocked_patterns",
        "reason": f"{decision.given['hidden_columns']} columns are hidden by policy",
    }
    event = {
        "plan_id": plan.plan_id,
        "understood": planning.understood,
        "reasoner": decision.reasoner,
        "reasoning": plan.draft.reasoning,
        "answer_task": plan.draft.answer_task,
        "recipe": planning.recipe.model_dump(mode="json"),
        "abandons": decision.given.get("abandoned_plan"),
        "abandoned_because": decision.given.get("abandoned_because"),
        "source_digests": decision.given["source_digests"],
        "schema_fingerprint": decision.given["schema_fingerprint"],
        "subtasks": [task.model_dump(mode="json") for task in plan.draft.subtasks],
        "confidence": planning.confidence,
    }
    if plan.proposal is not None:
        event["proposal"] = plan.proposal
    if "source_seals" in decision.given:  # an older version decided without
        event["source_seals"] = decision.given["source_seals"]
    return [
        _entry("policy_decision", policy, plan.plan_id, actor="safety"),
        _entry("plan_created", event, plan.plan_id, actor="planner"),
    ]


def joined(plan: Plan, further: Sequence[Subtask]) -> list[AuditEvent]:
    """A plan that was given the steps by which its parts' answers become one, and their answer."""
    draft = plan.draft
    names = [task.task_id for task in further]
    data = {
        "plan_id": plan.plan_id,
        "reason": draft.reasoning,
        "joined": names,
        "answer_task": draft.answer_task,
        "subtasks": [task.model_dump(mode="json") for task in further],
    }
    about = "+".join([*names, draft.answer_task])
    return [_entry("plan_created", data, f"{plan.plan_id}:{about}", actor="planner")]


def called(call: ToolCall, inputs: Mapping[str, Frame]) -> AuditEvent:
    """A call that is about to be made."""
    data = call.model_dump(mode="json", exclude={"timestamp"})
    data["inputs"] = {name: frame.digest for name, frame in inputs.items()}
    return _entry("tool_called", data, call.call_id)


def observed(observation: Observation) -> list[AuditEvent]:
    """What came back from a call, and the files it made."""
    data = {
        "call_id": observation.call_id,
        "observation_id": observation.observation_id,
        "status": observation.status.value,
        "rows": observation.row_count,
        "frame_digest": observation.frame.digest if observation.frame else None,
        "error_category": observation.error_category,
        "error_message": observation.error_message,
        "notes": list(observation.notes),
    }
    if observation.record_seal:
        data["record_seal"] = observation.record_seal
    seen = _entry("observation_recorded", data, observation.observation_id)
    return [seen, *(_made(a, observation.call_id, "actor") for a in observation.artifacts)]


def answered(job_id: str, end: Ended) -> list[AuditEvent]:
    """The reports and the summary of an answer, and all that is told of it: its words with their
    claims, what matters for reading it, and which frames and files it shows."""
    answer = end.answer
    if answer is None:
        raise ValueError(f"job {job_id} ended without an answer")
    value = answer.model_dump(mode="json", exclude={"table", "display", "artifacts"})
    summary = {
        **value,
        "artifact_type": "summary",
        "state": end.state.value,
        "table": answer.table.digest if answer.table else None,
        "display": answer.display.digest if answer.display else None,
        "artifacts": [artifact.artifact_id for artifact in answer.artifacts],
        "partial_artifacts": [artifact.artifact_id for artifact in end.partial_artifacts],
    }
    return [
        *(concluded(job_id, artifact) for artifact in answer.artifacts if of_the_end(artifact)),
        _entry("artifact_generated", summary, f"{job_id}:summary", actor="planner"),
    ]


def of_the_end(artifact: Artifact) -> bool:
    """Whether a file is made of an answer as it is concluded, no tool's and no iteration's."""
    summary = artifact.artifact_type == "summary" and artifact.media_type == "text/markdown"
    return summary or artifact.artifact_type == "report"


def concluded(job_id: str, artifact: Artifact) -> AuditEvent:
    """A file that the planner itself made: a report, or all that an iteration gave."""
    return _made(artifact, job_id, "planner")


def _made(artifact: Artifact, by: str, actor: str) -> AuditEvent:
    """A file: what it is and its hash, not where this machine happens to store it."""
    data = artifact.model_dump(mode="json", exclude={"local_path"})
    data["metadata"].pop(PARTIAL, None)  # what becomes of a file is the end's to say
    return _entry("artifact_generated", data, f"{by}:{artifact.artifact_id}", actor=actor)


def _entry(
    event_type: str, data: Mapping[str, Any], about: str, actor: str = "actor"
) -> AuditEvent:
    return AuditEvent(
        entry_id=derived_id(event_type, about),
        event_type=event_type,
        event_data=dict(data),
        actor=actor,
    )
