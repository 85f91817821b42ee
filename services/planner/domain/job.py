"""A job: its states, its steps, and what it tells those who watch.

A job is a planner of seed 004 with its steps as workers; the planner's and workers' statuses of
that specification are derived from the states here.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal

from pydantic import Field

from mesh.errors import JOB_FINISHED, AssayError
from services.planner.domain.calls import Artifact, Frame
from services.planner.domain.catalogue import Frozen
from services.planner.domain.model_use import ModelUse
from services.planner.domain.plan import PlanDraft, PlanState
from services.planner.domain.reading import ReadDecision
from services.planner.domain.request import AnalysisRequest


class JobState(StrEnum):
    """Where a job is; the last four are final."""

    SUBMITTED = "submitted"
    PLANNING = "planning"
    WAITING = "waiting"
    EXECUTING = "executing"
    COMPLETED = "completed"
    FAILED = "failed"
    PARTIAL_SUCCESS = "partial_success"
    CANCELLED = "cancelled"

    @property
    def final(self) -> bool:
        """Whether nothing can follow."""
        return not TRANSITIONS[self]


_ENDS = frozenset({JobState.FAILED, JobState.CANCELLED})
TRANSITIONS: dict[JobState, frozenset[JobState]] = {
    JobState.SUBMITTED: frozenset({JobState.PLANNING}) | _ENDS,
    JobState.PLANNING: frozenset({JobState.WAITING, JobState.EXECUTING}) | _ENDS,
    JobState.WAITING: frozenset({JobState.PLANNING}) | _ENDS,
    JobState.EXECUTING: frozenset({JobState.COMPLETED, JobState.PARTIAL_SUCCESS}) | _ENDS,
    JobState.COMPLETED: frozenset(),
    JobState.FAILED: frozenset(),
    JobState.PARTIAL_SUCCESS: frozenset(),
    JobState.CANCELLED: frozenset(),
}

# The planner statuses of seed 004.
PLANNER_STATUS = {
    JobState.SUBMITTED: "planning",
    JobState.PLANNING: "planning",
    JobState.WAITING: "planning",
    JobState.EXECUTING: "executing",
    JobState.COMPLETED: "completed",
    JobState.PARTIAL_SUCCESS: "completed",
    JobState.FAILED: "failed",
    JobState.CANCELLED: "failed",
}


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


class Step(Frozen):
    """One step as it stands."""

    task_id: str
    description: str
    tool_name: str
    state: StepState = StepState.WAITING
    attempt: int = 0
    rows: int | None = None
    columns: int = 0
    detail: str = ""
    elapsed_seconds: float = 0.0


class Plan(Frozen):
    """A checked plan with its identity and state (seed 000, section 2)."""

    plan_id: str
    request_id: str
    draft: PlanDraft
    created_at: datetime
    state: PlanState = PlanState.VALIDATED


class Clarification(Frozen):
    """A question back to the person, with the readings to choose from."""

    question: str
    options: tuple[str, ...]


class Failure(Frozen):
    """Why a job ended without an answer: a reason of mesh.errors, what, and what to do."""

    reason: str
    message: str
    hint: str = ""


class EmptyReason(StrEnum):
    """Why there is nothing to show."""

    NO_ROWS = "no_rows"
    NOT_PERMITTED = "not_permitted"
    TIMED_OUT = "timed_out"
    NOT_ASKED = "not_asked"


class Claim(Frozen):
    """A number shown to a person: its exact value, its cell, and the call that made the frame."""

    claim_id: int
    value: str
    text: str
    unit: str = ""
    frame_digest: str
    row: int
    column: str
    call_id: str


class Answer(Frozen):
    """What a job hands over."""

    text: str = ""
    table: Frame | None = None
    display: Frame | None = None
    artifacts: tuple[Artifact, ...] = ()
    claims: tuple[Claim, ...] = ()
    caveats: tuple[str, ...] = ()
    empty_reason: EmptyReason | None = None
    confidence: Literal["high", "medium", "low"] = "high"
    reasoner: str = "rules"
    recipe: str = ""
    model_use: ModelUse | None = None
    decisions: tuple[ReadDecision, ...] = ()
    formats: dict[str, str] = Field(default_factory=dict)


class JobEvent(Frozen):
    """One thing that happened; `kind` says which field of the contract's oneof `data` fills."""

    sequence: int
    timestamp: datetime
    kind: Literal["state", "understood", "plan", "step", "clarification", "answer", "failure"]
    data: dict[str, Any]


class Job(Frozen):
    """A job as stored. `replies` counts the answers that a person gave to its questions.

    `partial_artifacts` are files that belong to no answer: of a job, or of a plan that was
    abandoned; while a job runs, those that its conclusion has made so far. `end_logged` is false
    while the audit log still has to be told of its end.
    """

    job_id: str
    tenant: str
    state: JobState
    request: AnalysisRequest
    understood: str = ""
    plan: Plan | None = None
    steps: tuple[Step, ...] = ()
    clarification: Clarification | None = None
    reply: str = ""
    replies: int = 0
    answer: Answer | None = None
    failure: Failure | None = None
    partial_artifacts: tuple[Artifact, ...] = ()
    end_logged: bool = True
    created_at: datetime
    updated_at: datetime
    progress: int = 0
    trace_id: str = ""

    def check_transition(self, to: JobState) -> None:
        """Raise AssayError(JOB_FINISHED) when the job has ended, ValueError for a wrong move."""
        if self.state.final:
            raise AssayError(JOB_FINISHED, f"job {self.job_id[:8]} is {self.state} already")
        if to not in TRANSITIONS[self.state]:
            raise ValueError(f"a {self.state} job cannot become {to}")


def skipped(step: Step) -> Step:
    """A step of a job that has ended: what had not ended by then is not run any more."""
    return step if step.state.final else step.model_copy(update={"state": StepState.SKIPPED})


def progress_of(state: JobState, steps: Sequence[Step]) -> int:
    """Per cent done: planning is the first tenth, the steps share the rest."""
    if state.final:
        return 100
    if state is JobState.EXECUTING and steps:
        return 10 + 85 * sum(step.state.final for step in steps) // len(steps)
    return {JobState.SUBMITTED: 0, JobState.EXECUTING: 10}.get(state, 5)
