"""Members that follow from the chain alone: written from it, and checked by writing them again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mesh.recorded import Recorded

_STEP_FIELDS = (
    "task_id",
    "description",
    "tool_name",
    "arguments",
    "dependencies",
    "invariants",
    "estimated_cost_seconds",
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
    return {
        "plan_id": recorded.plan["plan_id"],
        "reasoning": recorded.plan["reasoning"],
        "subtasks": [step_of(step) for step in recorded.plan["subtasks"]],
    }


def step_of(step: Mapping[str, Any]) -> dict[str, Any]:
    """A step of a plan, with the fields that every telling of it has."""
    return {name: step[name] for name in _STEP_FIELDS}
