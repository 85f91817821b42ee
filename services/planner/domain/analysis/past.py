"""What is recorded of a job's steps, so that whoever takes it up does nothing twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from services.planner.domain.analysis.planning import Repair
from services.planner.domain.calls import Observation, ToolCall
from services.planner.domain.decision import Decision

Attempt = tuple[ToolCall, Observation | None]


@dataclass(frozen=True)
class Evidence:
    """The call that completed a step and what it gave."""

    call: ToolCall
    observation: Observation
    caveats: tuple[str, ...] = ()


@dataclass(frozen=True)
class Past:
    """A plan's calls by step, oldest first, and repairs by the call that failed.

    A call without an observation was interrupted: repeated under its id it runs nothing twice.
    """

    plan_id: str
    calls: dict[str, list[Attempt]] = field(default_factory=dict)
    repairs: dict[str, Repair] = field(default_factory=dict)

    def evidence(self) -> dict[str, Evidence]:
        """What the completed steps gave, by step."""
        found: dict[str, Evidence] = {}
        for task_id, attempts in self.calls.items():
            caveats: list[str] = []
            for call, observation in attempts:
                if observation is not None and observation.succeeded:
                    found[task_id] = Evidence(call, observation, tuple(caveats))
                repair = self.repairs.get(call.call_id)
                caveats += [repair.caveat] if repair is not None and repair.caveat else []
        return found


def past_of(plan_id: str, recorded: Sequence[Attempt], decisions: Sequence[Decision]) -> Past:
    """The past of a plan from its job's recorded calls and decisions, both in order."""
    calls: dict[str, list[Attempt]] = {}
    for call, observation in recorded:
        if call.plan_id == plan_id:
            calls.setdefault(call.task_id, []).append((call, observation))
    repairs = {
        str(decision.given["call_id"]): Repair.model_validate(decision.decided)
        for decision in decisions
        if decision.kind == "repair"
    }
    return Past(plan_id, calls, repairs)
