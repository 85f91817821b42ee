"""What an analysis hands over: its answer, with where every number of it came from."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import Field

from services.planner.domain.calls import Artifact, Frame
from services.planner.domain.catalogue import Frozen
from services.planner.domain.model_use import ModelUse
from services.planner.domain.reading import ReadDecision
from services.planner.domain.request import JobKind


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


class Assertion(Frozen):
    """A stretch of an answer's words and the cells it stands on; see `mesh.proof.assertions`."""

    kind: str
    place: str
    start: int
    end: int
    frame_digest: str = ""
    rows: tuple[int, ...] = ()
    columns: tuple[str, ...] = ()
    by: str = ""
    claim_id: int = 0
    of_digest: str = ""
    of_column: str = ""


class Answered(Frozen):
    """What work of any kind hands over: words with their claims, tables and files."""

    text: str = ""
    table: Frame | None = None
    display: Frame | None = None
    artifacts: tuple[Artifact, ...] = ()
    claims: tuple[Claim, ...] = ()
    assertions: tuple[Assertion, ...] = ()
    caveats: tuple[str, ...] = ()
    empty_reason: EmptyReason | None = None
    confidence: Literal["high", "medium", "low"] = "high"
    reasoner: str = "rules"
    recipe: str = ""
    model_use: ModelUse | None = None
    decisions: tuple[ReadDecision, ...] = ()
    formats: dict[str, str] = Field(default_factory=dict)


class Answer(Answered):
    """What an analysis hands over."""

    kind: Literal[JobKind.ANALYSIS] = JobKind.ANALYSIS
