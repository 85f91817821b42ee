"""What a check finds in a statement: which fault, where, how much it matters, and a way out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from mesh.text.harmless import harmless_line
from services.planner.domain.catalogue import Frozen

_REPEATED = ("J01", "J03")

Line = Annotated[str, AfterValidator(harmless_line)]
"""A sentence of ours that names cells: none of them begins a line of its own."""


class Severity(StrEnum):
    """What becomes of a finding: an error is mended before an answer is given, a doubt is stated
    before the number, a note beside it."""

    ERROR = "error"
    DOUBT = "doubt"
    NOTE = "note"


class Finding(Frozen):
    """A fault of analysis in a statement.

    `at` is the part of the statement, `said` a sentence for people with its size in numbers, `mend`
    what would be right. `sizes` are those numbers by name. `fix` is the whole statement, changed so
    that the fault is gone; empty where no change is safe.
    """

    code: str
    name: str
    severity: Severity
    at: str
    said: Line
    mend: Line = ""
    sizes: dict[str, float] = Field(default_factory=dict)
    fix: str = ""

    @property
    def description(self) -> str:
        """What was found and what would be right, behind the code, without a full stop."""
        way = self.mend
        if self.fix and self.code in _REPEATED:
            way = f"each counts once in: {self.fix}"
        return f"{self.code}: {self.said}" + (f"; {way}" if way else "")


def describe_findings(found: Iterable[Finding]) -> tuple[str, ...]:
    """What is told of findings before a number, the gravest first, each with a way out."""
    return tuple(one.description for one in found)


def confidence_after(found: Sequence[Finding]) -> Literal["high", "medium", "low"]:
    """How sure a result can be at most whose statements have this, where nothing was measured."""
    severities = {one.severity for one in found}
    if Severity.ERROR in severities:
        return "low"
    return "medium" if Severity.DOUBT in severities else "high"


class Lint(Frozen):
    """What is to be said of a statement, the gravest first. `unanswered` counts questions to the
    data that came back without an answer; `fixed` is the statement with every safe fix, empty where
    there is none or it was not asked for."""

    findings: tuple[Finding, ...] = ()
    unanswered: int = 0
    fixed: str = ""
