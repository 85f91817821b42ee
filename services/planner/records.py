"""What a job leaves in the audit log, made of what is stored of it.

Every entry's id follows from what it is about. Whoever appends it again, after a crash or beside
another planner, appends the same entry, which the log keeps once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from mesh.errors import AssayError
from mesh.ids import derived_id
from services.planner.domain.calls import Artifact, Frame, Observation, ToolCall
from services.planner.domain.decision import Decision, Planning
from services.planner.domain.job import Answer, Plan
from services.planner.domain.request import AnalysisRequest
from services.planner.ports import AuditEvent


def submitted(request: AnalysisRequest) -> AuditEvent:
    """A request as the log keeps it: everything but credentials.

    Repeated, it is the same record, so the time it came is left to the entry.
    """
    record = request.model_dump(mode="json", exclude={"data_sources", "timestamp"})
    record["data_sources"] = [
        {
            "type": source.type,
            "name": source.label,
            "place": source.file_path or source.file_id or "connection string (not recorded)",
        }
        for source in request.data_sources
    ]
    return AuditEvent(
        entry_id=request.request_id,
        event_type="request_submitted",
        event_data=record,
        actor="system",
    )


def refused(job_id: str, error: AssayError) -> AuditEvent:
    """A refusal by policy."""
    data = {"decision": "refused", "rule": error.reason.code, "reason": error.message}
    about = json.dumps(data, sort_keys=True)
    return AuditEvent(
        entry_id=derived_id("policy_decision", job_id, about),
        event_type="policy_decision",
        event_data=data,
        actor="safety",
    )


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
        "recipe": planning.recipe.model_dump(mode="json"),
        "source_digests": decision.given["source_digests"],
        "schema_fingerprint": decision.given["schema_fingerprint"],
        "subtasks": [task.model_dump(mode="json") for task in plan.draft.subtasks],
    }
    return [
        _entry("policy_decision", policy, plan.plan_id, actor="safety"),
        _entry("plan_created", event, plan.plan_id, actor="planner"),
    ]


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
    seen = _entry("observation_recorded", data, observation.observation_id)
    return [seen, *(_made(a, observation.call_id, "actor") for a in observation.artifacts)]


def answered(job_id: str, answer: Answer) -> list[AuditEvent]:
    """The reports of an answer, and its words with their claims."""
    summary = {
        "artifact_type": "summary",
        "text": answer.text,
        "claims": [claim.model_dump(mode="json") for claim in answer.claims],
    }
    reports = [artifact for artifact in answer.artifacts if artifact.artifact_type == "report"]
    return [
        *(_made(artifact, job_id, "planner") for artifact in reports),
        _entry("artifact_generated", summary, f"{job_id}:summary", actor="planner"),
    ]


def _made(artifact: Artifact, by: str, actor: str) -> AuditEvent:
    """A file: what it is and its hash, not where this machine happens to store it."""
    data = artifact.model_dump(mode="json", exclude={"local_path"})
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
