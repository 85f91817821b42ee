"""A step of a job: its states, and how it stands.

A step is a worker of seed 004, whose statuses are derived from the states here.
"""

from __future__ import annotations

from enum import StrEnum

from services.planner.domain.calls import Frame
from services.planner.domain.catalogue import Frozen
from services.planner.domain.statements.readable import Statement


class StepState(StrEnum):
    """Where a step is."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    REPAIRING = "repairing"
    FAILED = "failed"
    SKIPPED = "skipped"

    @property
    def final(self) -> bool:
        """Whether nothing can follow."""
        return self in (StepState.DONE, StepState.FAILED, StepState.SKIPPED)


# The worker statuses of seed 004.
WORKER_STATUS = {
    StepState.WAITING: "pending",
    StepState.RUNNING: "in_progress",
    StepState.REPAIRING: "in_progress",
    StepState.DONE: "recorded",
    StepState.FAILED: "failed_validation",
    StepState.SKIPPED: "failed_validation",
}


SHOWN_EARLY = frozenset({"metric.change", "metric.waterfall", "causal.overlap"})
"""Tools whose rows may be seen while the job goes on: they hold numbers of the whole and of what is
told or drawn in the end, and no rows of the data."""


class Step(Frozen):
    """One step as it stands; `statement` is the query of its newest attempt, where it runs one,
    `frame` what it made, where that may be seen before the job ends."""

    task_id: str
    description: str
    tool_name: str
    state: StepState = StepState.WAITING
    attempt: int = 0
    rows: int | None = None
    columns: int = 0
    detail: str = ""
    elapsed_seconds: float = 0.0
    statement: Statement | None = None
    frame: Frame | None = None


def skipped(step: Step) -> Step:
    """A step of a job that has ended: what had not ended by then is not run any more."""
    return step if step.state.final else step.model_copy(update={"state": StepState.SKIPPED})
