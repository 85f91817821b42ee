"""A plan: subtasks as a checked directed acyclic graph (seed 000, section 2)."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from enum import StrEnum
from graphlib import CycleError, TopologicalSorter
from typing import Any

from pydantic import Field, field_validator

from services.planner.domain.catalogue import Frozen

FURTHER = "further_"
"""How steps are called that give a further result beside the answer; a number follows."""


class PlanState(StrEnum):
    """Where a plan is; the last two are final.

    Abandoned is what a plan becomes that failed, was cancelled, or gave way to another.
    """

    DRAFT = "draft"
    VALIDATED = "validated"
    EXECUTING = "executing"
    COMPLETED = "completed"
    ABANDONED = "abandoned"

    def to(self, state: PlanState) -> PlanState:
        """The next state. Raises ValueError for a move that a plan may not make."""
        if state not in PLAN_TRANSITIONS[self]:
            raise ValueError(f"a plan that is {self} cannot become {state}")
        return state


PLAN_TRANSITIONS: dict[PlanState, frozenset[PlanState]] = {
    PlanState.DRAFT: frozenset({PlanState.VALIDATED, PlanState.ABANDONED}),
    PlanState.VALIDATED: frozenset({PlanState.EXECUTING, PlanState.ABANDONED}),
    PlanState.EXECUTING: frozenset({PlanState.COMPLETED, PlanState.ABANDONED}),
    PlanState.COMPLETED: frozenset(),
    PlanState.ABANDONED: frozenset(),
}


class Subtask(Frozen):
    """One step: which tool, with which arguments, after which other steps.

    `arguments` are the draft of the tool call; grounding checks them against the tool's schema.
    `invariants` are sentences a reader can hold the result against ("filter before aggregate").
    """

    task_id: str = Field(pattern=r"^[a-z][a-z0-9_]{0,62}$")
    description: str
    tool_name: str
    arguments: dict[str, Any]
    dependencies: tuple[str, ...] = ()
    invariants: tuple[str, ...] = ()
    estimated_cost_seconds: float = Field(default=0.1, ge=0)

    @field_validator("estimated_cost_seconds")
    @classmethod
    def _to_the_microsecond(cls, seconds: float) -> float:
        """As exactly as the contract's durations say it, so that both tell the same."""
        return round(seconds, 6)


class PlanDraft(Frozen):
    """What a reasoner proposes; it becomes a Plan when it passes `problems`.

    `answer_task` names the step whose frame is the answer's table.
    """

    subtasks: tuple[Subtask, ...]
    reasoning: str
    answer_task: str

    @property
    def total_estimated_seconds(self) -> float:
        """Sum of all subtask costs, in seconds."""
        return sum(task.estimated_cost_seconds for task in self.subtasks)

    def problems(self, tools: Collection[str], timeout_seconds: float) -> list[str]:
        """Everything that keeps this draft from running, in words; empty when it may run."""
        ids = [task.task_id for task in self.subtasks]
        found = [f"subtask {i} appears twice" for i in sorted({i for i in ids if ids.count(i) > 1})]
        if not ids:
            found.append("the plan has no subtasks")
        for task in self.subtasks:
            found += [
                f"subtask {task.task_id} depends on {name}, which is not in the plan"
                for name in task.dependencies
                if name not in ids
            ]
            if task.tool_name not in tools:
                found.append(f"subtask {task.task_id} uses {task.tool_name}, which is no tool here")
        if self.answer_task not in ids:
            found.append(f"the answer is to come from {self.answer_task}, which is not in the plan")
        try:
            TopologicalSorter({t.task_id: t.dependencies for t in self.subtasks}).prepare()
        except CycleError as error:
            found.append("the plan has a cycle: " + " -> ".join(error.args[1]))
        if self.total_estimated_seconds > timeout_seconds:
            found.append(
                f"the plan needs about {self.total_estimated_seconds:.1f} s, "
                f"the request allows {timeout_seconds:g} s"
            )
        return found


class Plan(Frozen):
    """A plan with its identity and state (seed 000, section 2). `proposal` is the statement that it
    runs and where its parts come from, as `Planning.proposal_record` has it."""

    plan_id: str
    request_id: str
    draft: PlanDraft
    created_at: datetime
    state: PlanState = PlanState.DRAFT
    proposal: dict[str, Any] | None = None

    def moved(self, to: PlanState) -> Plan:
        """The plan in another state. Raises ValueError for a move that it may not make."""
        return self.model_copy(update={"state": self.state.to(to)})
