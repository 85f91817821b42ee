"""Iterations of the memory loop: what was decided, what came back, what it means (seed 002)."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from pydantic import Field

from services.planner.domain.catalogue import Frozen
from services.planner.domain.investigation.hypothesis import Hypothesis, HypothesisStatus
from services.planner.domain.plan import Subtask

MAX_ITERATIONS = 15
STALLED_AFTER = 3
"""Looks of one kind in a row that showed nothing new, after which that kind is given up."""


class Move(StrEnum):
    """What an iteration does."""

    ANALYZE = "ANALYZE"
    DRILL_DOWN = "DRILL_DOWN"
    PIVOT = "PIVOT"
    CONCLUDE = "CONCLUDE"


class ExitReason(StrEnum):
    """Why the loop ended."""

    CONCLUDE = "CONCLUDE"
    MAX_ITERATIONS = "MAX_ITERATIONS"
    STALL_DETECTED = "STALL_DETECTED"


class NextStep(Frozen):
    """A typed decision of the reasoner: the next move, on which hypothesis, by which calls, why.

    `put_back` is the hypothesis that gives way on a PIVOT; `further` are hypotheses that this move
    adds. With CONCLUDE `exit_reason` is set, the reason says on which grounds, and the calls draw
    what was found.
    """

    move: Move
    reason: str
    hypothesis: str = ""
    subtasks: tuple[Subtask, ...] = ()
    put_back: str = ""
    further: tuple[Hypothesis, ...] = ()
    exit_reason: ExitReason | None = None
    decided_by: str = ""


class StatusChange(Frozen):
    """That a hypothesis is seen differently now."""

    hypothesis: str
    before: HypothesisStatus
    after: HypothesisStatus


class Finding(Frozen):
    """What one iteration found, in two or three sentences: what was tested, what was seen, what
    follows. `full_output_ref` is where all of it lies, below the artifact store."""

    finding_id: str = Field(pattern=r"^find_\d{3}$")
    iteration: int = Field(ge=1, le=MAX_ITERATIONS)
    summary: str = Field(max_length=500)
    full_output_ref: str
    hypothesis_affected: str = ""
    created_at: datetime


class IterationLog(Frozen):
    """The whole record of one iteration. `code_executed` are its calls as JSON, one a line;
    `raw_output` is all that they gave. `showed` says whether anything came of it that could explain
    the change: a fault, a value or segment that stands out."""

    iteration: int = Field(ge=1, le=MAX_ITERATIONS)
    decision: Move
    reason: str = ""
    code_executed: str
    raw_output: str
    compressed_summary: str
    hypothesis_status_changes: tuple[StatusChange, ...] = ()
    showed: bool = False
    timestamp: datetime


class FindingsLedger(Frozen):
    """Everything that was found, and how each hypothesis came out."""

    findings: tuple[Finding, ...]
    hypothesis_outcomes: dict[str, HypothesisStatus]
    total_iterations: int = Field(ge=0, le=MAX_ITERATIONS)
    exit_reason: ExitReason
    created_at: datetime


def finding_id(number: int) -> str:
    """The id of the finding of that number, from 1."""
    return f"find_{number:03d}"
