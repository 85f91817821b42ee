"""What a bundle tells of a job: its state, answer, plan, claims, calls and sources."""

from __future__ import annotations

import json
from typing import Any

from assay.common.v1.analysis_pb2 import Answer, Artifact, Assertion, Claim, EmptyReason
from assay.common.v1.job_pb2 import Job, JobState
from clients.python import words_of
from clients.python.proposed import proposal_object
from clients.python.verification import layout
from clients.python.verification.derived import calls_of, sources_of
from mesh.proof.recorded import Recorded


def documents(job: Job, found: Recorded) -> dict[str, Any]:
    """What is told of the job, apart from the chain, to be held against it; by member's name."""
    values: dict[str, Any] = {
        layout.JOB: _job_object(job),
        layout.CLAIMS: [_claim_object(claim) for claim in job.answer.claims],
        layout.CALLS: calls_of(found),
        layout.SOURCES: sources_of(found),
    }
    if job.HasField("plan"):
        values[layout.PLAN] = _plan_object(job)
    return values


def _job_object(job: Job) -> dict[str, Any]:
    answer = job.answer
    return {
        "job_id": job.job_id,
        "state": JobState.Name(job.state).removeprefix("JOB_STATE_").lower(),
        "question": words_of.question(job),
        "understood": job.understood,
        "answer": {
            "text": answer.text,
            "assertions": [_assertion_object(one) for one in answer.assertions],
            "caveats": list(answer.caveats),
            "empty_reason": _empty_reason(answer),
            "confidence": words_of.confidence(answer),
            "reasoner": answer.reasoner,
            "recipe": answer.recipe,
            "table": answer.table.digest or None,
            "display": answer.display.digest or None,
            "artifacts": [_artifact_object(artifact) for artifact in answer.artifacts],
        }
        if job.HasField("answer")
        else None,
        "failure": {"reason": job.failure.reason, "message": job.failure.message}
        if job.HasField("failure")
        else None,
        "partial_artifacts": [_artifact_object(artifact) for artifact in job.partial_artifacts],
    }


def _empty_reason(answer: Answer) -> str | None:
    if answer.empty_reason == EmptyReason.EMPTY_REASON_UNSPECIFIED:
        return None
    return EmptyReason.Name(answer.empty_reason).removeprefix("EMPTY_REASON_").lower()


def _artifact_object(artifact: Artifact) -> dict[str, Any]:
    return {
        "artifact_id": artifact.artifact_id,
        "artifact_type": words_of.artifact_type(artifact.artifact_type),
        "content_ref": artifact.content_ref,
        "media_type": artifact.media_type,
    }


def _proposal(job: Job) -> dict[str, Any]:
    """What was proposed, where an answer takes one statement."""
    proposed = job.plan.HasField("proposal")
    return {"proposal": proposal_object(job.plan.proposal)} if proposed else {}


def _plan_object(job: Job) -> dict[str, Any]:
    return {
        "plan_id": job.plan.plan_id,
        "reasoning": job.plan.reasoning,
        "answer_task": job.plan.answer_task,
        **(
            {"proposal": proposal_object(job.plan.proposal)}
            if job.plan.HasField("proposal")
            else {}
        ),
        "subtasks": [
            {
                "task_id": step.task_id,
                "description": step.description,
                "tool_name": step.tool_name,
                "arguments": json.loads(step.arguments_json or "{}"),
                "dependencies": list(step.dependencies),
                "invariants": list(step.invariants),
                "estimated_cost_seconds": step.estimated_cost.ToNanoseconds() / 1e9,
            }
            for step in job.plan.subtasks
        ],
    }


def _assertion_object(one: Assertion) -> dict[str, Any]:
    return {
        "kind": one.kind,
        "place": one.place,
        "start": one.start,
        "end": one.end,
        "frame_digest": one.frame_digest,
        "rows": list(one.rows),
        "columns": list(one.columns),
        "by": one.by,
        "claim_id": one.claim_id,
        "of_digest": one.of_digest,
        "of_column": one.of_column,
    }


def _claim_object(claim: Claim) -> dict[str, Any]:
    return {
        "claim_id": claim.claim_id,
        "value": claim.value,
        "text": claim.text,
        "unit": claim.unit,
        "frame_digest": claim.frame_digest,
        "row": claim.row,
        "column": claim.column,
        "call_id": claim.call_id,
    }
