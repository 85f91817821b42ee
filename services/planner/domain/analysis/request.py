"""A question with what it is asked of and what is wanted of it (seed 000, section 1)."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, Self

from mesh.errors import QUESTION_EMPTY, QUESTION_TOO_LONG, AssayError
from services.planner.domain.request import JobKind, WorkRequest

MAX_INTENT_CHARACTERS = 2_000


class Deliverable(StrEnum):
    """What an analysis hands over."""

    TABLES = "tables"
    CHARTS = "charts"
    REPORTS = "reports"
    SUMMARY = "summary"


class AnalysisRequest(WorkRequest):
    """A question as it was submitted; `validated` says whether it may become a job."""

    kind: Literal[JobKind.ANALYSIS] = JobKind.ANALYSIS
    intent: str
    deliverables: tuple[Deliverable, ...] = tuple(Deliverable)
    assume: bool = False

    @property
    def question(self) -> str:
        """The question itself."""
        return self.intent

    def asking(self, text: str) -> Self:
        """The same with another question."""
        return self.model_copy(update={"intent": text})

    def validated(self) -> Self:
        """The request itself.

        Raises AssayError: QUESTION_EMPTY, QUESTION_TOO_LONG, and as `check_terms` does.
        """
        if not self.intent.strip():
            raise AssayError(
                QUESTION_EMPTY,
                "the question is empty",
                fields={"analysis.intent": "must not be empty"},
            )
        if len(self.intent) > MAX_INTENT_CHARACTERS:
            raise AssayError(
                QUESTION_TOO_LONG,
                f"the question has {len(self.intent):,} characters, "
                f"at most {MAX_INTENT_CHARACTERS:,} are read",
                fields={"analysis.intent": f"at most {MAX_INTENT_CHARACTERS} characters"},
            )
        self.check_terms()
        return self
