"""What a narration is made from, and what it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pydantic import ValidationError

from mesh.proof.assertions import TEXT, TITLE, Assertion
from mesh.text.spelling import label_text
from services.planner.domain.answer import EmptyReason
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.query.intent import Intent
from services.planner.domain.question import AnalysisRequest
from services.planner.domain.reporting.evidence import ClaimBook, EvidenceTable
from services.planner.domain.reporting.prose import Cited, Label, Prose
from services.planner.domain.reporting.spans import assertions_of
from services.planner.domain.statements.column import ResultColumn


@dataclass(frozen=True)
class Story:
    """A finished analysis: what was asked, how it was read, and the frames that were made.

    `tables` holds the frames small enough to be read, by task id; `answer_rows` counts the rows
    of the answer's frame even where it is not among them. `elsewhere` is the domain with its
    tool that answered, empty where our own queries did. `columns` say what those of the answer's
    frame are where no intent does, and `sentences` are a model's, not yet held against any cell.
    """

    request: AnalysisRequest
    understood: str
    intent: dict[str, Any]
    answer_task: str
    tables: dict[str, EvidenceTable]
    catalogue: Catalogue
    answer_rows: int
    answer_digest: str = ""
    elsewhere: str = ""
    columns: tuple[ResultColumn, ...] = ()
    sentences: tuple[str, ...] = ()

    @cached_property
    def reading(self) -> Intent | None:
        """The intent as a value; None where the reasoner described it in another form."""
        for candidate in (self.intent, self.intent.get("intent")):
            try:
                return Intent.model_validate(candidate)
            except ValidationError:
                continue
        return None

    @property
    def answer(self) -> EvidenceTable | None:
        """The answer's frame, or None where it is too large to be read."""
        return self.tables.get(self.answer_task)


@dataclass(frozen=True)
class Narration:
    """An answer in words. `headline` is the finding, `answer` one to three sentences.

    `display_task` names the step whose frame is shaped for people, or is empty. `gaps` are caveats
    about missing numbers, which a chart of the same rows tells as well. `formats` are of the
    columns of the answer's frame and of the one for people.
    """

    headline: Prose
    answer: Prose
    empty_reason: EmptyReason | None = None
    display_task: str = ""
    caveats: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    formats: Mapping[str, str] = field(default_factory=dict)

    @property
    def assertions(self) -> tuple[Assertion, ...]:
        """What the finding and the answer state, with the cells that bear it out."""
        return (*assertions_of(self.headline, TITLE), *assertions_of(self.answer, TEXT))

    @property
    def title(self) -> str:
        """The finding as plain text."""
        return self.headline.plain

    @property
    def text(self) -> str:
        """The answer as plain text."""
        return self.answer.plain


@dataclass(frozen=True)
class Speaker:
    """Turns cells into pieces: numbers into claims of `book`, names of rows into labels."""

    book: ClaimBook

    def number(
        self, table: EvidenceTable, row: int, column: str, *, unit: str = "", percent: bool = False
    ) -> Cited:
        """The cell as a claim. Raises KeyError for an unknown column."""
        text = self.book.cite(table, row, column, unit=unit, percent=percent)
        claim = next(
            c
            for c in self.book.claims
            if (c.frame_digest, c.row, c.column, c.text) == (table.digest, row, column, text)
        )
        return Cited(text, claim.claim_id)

    def label(
        self, table: EvidenceTable, row: int, column: str, grain: str = "", *, short: bool = False
    ) -> Label:
        """What the row is called in that column; `short` leaves a month's year out."""
        text = label_text(table.value(row, column), grain, short=short)
        return Label(text, table.digest, row, column)
