"""What a check finds in a statement: which fault, where, how much it matters, and a way out."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from services.planner.domain.catalogue import Frozen


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
    said: str
    mend: str = ""
    sizes: dict[str, float] = Field(default_factory=dict)
    fix: str = ""
