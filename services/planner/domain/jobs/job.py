"""A job: its states, its plan, and what it tells those who watch.

A job is a planner of seed 004 with its steps as workers; the planner's statuses of that
specification are derived from the states here.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal

from mesh.errors import JOB_FINISHED, AssayError
from services.planner.domain.calls import Artifact
from services.planner.domain.catalogue import Frozen
from services.planner.domain.clarification import Clarification
from services.planner.domain.failure import Failure
from services.planner.domain.jobs.kinds import Result, Work
from services.planner.domain.plan import Plan
from services.planner.domain.request import JobKind
from services.planner.domain.step import Step


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


class JobPhase(StrEnum):
    """What a job that is under way is doing; kinds of work have phases of their own."""

    PLANNING = "planning"
    RUNNING = "running"
    CONCLUDING = "concluding"
    ENDED = "ended"


class JobEvent(Frozen):
    """One thing that happened; `kind` says which field of the contract's oneof `data` fills."""

    sequence: int
    timestamp: datetime
    kind: Literal[
        "state",
        "understood",
        "plan",
        "step",
        "clarification",
        "answer",
        "failure",
        "progress",
        "plan_abandoned",
        "hypothesis",
        "finding",
        "causal",
        "critique",
    ]
    data: dict[str, Any]


class Belonging(Frozen):
    """What a job belongs to; empty, and turn 0, for nothing."""

    session_id: str = ""
    conversation_id: str = ""
    turn: int = 0
    parent_job_id: str = ""


NOTHING = Belonging()


class Job(Belonging):
    """A job as stored. `replies` counts the answers that a person gave to its questions.

    `asked_by` is the user who asked for it, of the tenant; empty where the mesh did of its own
    accord, as for a board, and for jobs of before this was kept.

    `partial_artifacts` are files that belong to no answer: of a job, or of a plan that was
    abandoned; while a job runs, those that its conclusion has made so far. `end_logged` is false
    while the audit log still has to be told of its end. `queue_position` is not stored: it is known
    while the job waits for its turn.
    """

    job_id: str
    tenant: str
    asked_by: str = ""
    state: JobState
    request: Work
    understood: str = ""
    plan: Plan | None = None
    steps: tuple[Step, ...] = ()
    clarification: Clarification | None = None
    reply: str = ""
    replies: int = 0
    answer: Result | None = None
    failure: Failure | None = None
    partial_artifacts: tuple[Artifact, ...] = ()
    end_logged: bool = True
    created_at: datetime
    updated_at: datetime
    phase: JobPhase | None = None
    progress: int = 0
    progress_reason: str = ""
    queue_position: int | None = None
    trace_id: str = ""

    @property
    def kind(self) -> JobKind:
        """What kind of work it is."""
        return self.request.kind

    @property
    def has_report(self) -> bool:
        """Whether a report is part of its answer."""
        made = self.answer.artifacts if self.answer else ()
        return any(artifact.artifact_type == "report" for artifact in made)

    def check_transition(self, to: JobState) -> None:
        """Raise AssayError(JOB_FINISHED) when the job has ended, ValueError for a wrong move."""
        check_move(self.job_id, self.state, to)


def check_move(job_id: str, state: JobState, to: JobState) -> None:
    """Like `Job.check_transition`, of a job of which no more than its state is read."""
    if state.final:
        raise AssayError(JOB_FINISHED, f"job {job_id[:8]} is {state} already")
    if to not in TRANSITIONS[state]:
        raise ValueError(f"a {state} job cannot become {to}")


class JobFilter(Frozen):
    """Which jobs are meant; what is not set does not matter."""

    session_id: str = ""
    conversation_id: str = ""
    asked_by: str = ""
    kind: JobKind | None = None
    states: tuple[JobState, ...] = ()


class JobCount(Frozen):
    """How many jobs of a session are in a state, how many of them have a report, and when the
    newest of them was asked for."""

    session_id: str
    state: JobState
    count: int
    newest_at: datetime
    with_report: int = 0


def progress_of(kind: str, state: JobState, steps: Sequence[Step]) -> int:
    """Per cent done: planning is the first tenth, the steps share the rest.

    A causal job says itself how far it is: its steps come to be known as it goes on.
    """
    if state.final:
        return 100
    if kind == JobKind.CAUSAL:
        return 0
    if state is JobState.EXECUTING and steps:
        return 10 + 85 * sum(step.state.final for step in steps) // len(steps)
    return {JobState.SUBMITTED: 0, JobState.EXECUTING: 10}.get(state, 5)
