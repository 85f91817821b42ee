"""Members that follow from the chain alone: written from it, and checked by writing them again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mesh.proof.recorded import Recorded
from mesh.text.asking import question_of

_STEP_FIELDS = (
    "task_id",
    "description",
    "tool_name",
    "arguments",
    "dependencies",
    "invariants",
    "estimated_cost_seconds",
)
_PROPOSAL_FIELDS = ("proposer", "interpretation", "statement", "grain", "assumptions")
_PROPOSED = {
    "bindings": ("words", "fragment", "kind", "because"),
    "columns": ("name", "role", "unit", "additive"),
    "findings": ("code", "name", "severity", "at", "said", "mend", "sizes", "fix"),
    "others": ("proposer", "interpretation", "statement", "compared", "told"),
}
_ANSWER_FIELDS = (
    "text",
    "assertions",
    "caveats",
    "empty_reason",
    "confidence",
    "reasoner",
    "recipe",
    "table",
    "display",
)


def calls_of(recorded: Recorded) -> list[dict[str, Any]]:
    """Every call: tool, arguments, digests of what went in and of what came out."""
    return [call.as_object() for call in recorded.calls.values()]


def sources_of(recorded: Recorded) -> list[dict[str, Any]]:
    """Every source with the SHA-256 of its content, where the chain has it."""
    digests = recorded.source_digests
    return [
        {**source, "sha256": digests[number] if number < len(digests) else None}
        for number, source in enumerate(recorded.request.get("data_sources", []))
    ]


def plan_of(recorded: Recorded) -> dict[str, Any] | None:
    """The plan as the chain has it; None where none was made."""
    if not recorded.plan:
        return None
    proposed = recorded.plan.get("proposal")  # an older version recorded none
    return {
        **({"proposal": proposal_of(proposed)} if proposed is not None else {}),
        "plan_id": recorded.plan["plan_id"],
        "reasoning": recorded.plan["reasoning"],
        "answer_task": recorded.plan["answer_task"],
        "subtasks": [step_of(step) for step in recorded.plan["subtasks"]],
    }


def proposal_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """What was proposed, with the fields that every telling of it has; an older version recorded no
    clauses, and not what was not checked. What was not run has no glimpse."""
    held = {
        name: [{key: one[key] for key in fields} for one in record[name]]
        for name, fields in _PROPOSED.items()
    }
    for written, one in zip(held["others"], record["others"], strict=True):
        written |= {key: one[key] for key in ("clause",) if key in one}
        written |= {key: one[key] for key in ("glimpse",) if one.get(key)}
    held |= {key: record[key] for key in ("not_checked",) if key in record}
    return {name: record[name] for name in _PROPOSAL_FIELDS} | held


def job_of(recorded: Recorded, job_id: str) -> dict[str, Any]:
    """The job and its answer as the chain has them. Raises KeyError, naming what the chain lacks.

    `state` is empty while the chain has no end of the job.
    """
    return {
        "job_id": job_id,
        "state": recorded.state,
        "question": question_of(recorded.request),
        "understood": recorded.plan.get("understood", ""),
        "answer": _answer_of(recorded) if recorded.answered else None,
        "failure": _failure_of(recorded),
        "partial_artifacts": _files(recorded, recorded.end.get("partial_artifacts", [])),
    }


def _answer_of(recorded: Recorded) -> dict[str, Any]:
    answer = {name: recorded.end[name] for name in _ANSWER_FIELDS}
    return {**answer, "artifacts": _files(recorded, recorded.end["artifacts"])}


def _failure_of(recorded: Recorded) -> dict[str, Any] | None:
    if recorded.answered or not recorded.state:
        return None
    return {"reason": recorded.end["rule"], "message": recorded.end["reason"]}


def _files(recorded: Recorded, ids: Sequence[str]) -> list[dict[str, Any]]:
    return [recorded.files[artifact_id].as_object() for artifact_id in ids]


def step_of(step: Mapping[str, Any]) -> dict[str, Any]:
    """A step of a plan, with the fields that every telling of it has."""
    return {name: step[name] for name in _STEP_FIELDS}
