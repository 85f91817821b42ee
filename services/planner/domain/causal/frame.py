"""What was found in the rows of a study before anything was estimated in them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from services.planner.domain.checks.finding import (
    Finding,
    Severity,
    confidence_after,
    describe_findings,
)
from services.planner.domain.frozen import Frozen

Confidence = Literal["high", "medium", "low"]
_ORDER = ("low", "medium", "high")
_SENTINEL, _LOADED_TWICE = "F08", "D02"


class FrameChecked(Frozen):
    """What checks found in the rows of a study, told before its effect, and how sure that effect
    can be at most. `statement` is what was judged; `said` are doubts beside the findings."""

    statement: str = ""
    findings: tuple[Finding, ...] = ()
    said: tuple[str, ...] = ()

    @property
    def caveats(self) -> tuple[str, ...]:
        """What is told before the effect, the gravest first."""
        grave = (one for one in self.findings if one.severity is not Severity.NOTE)
        return (*describe_findings(grave), *self.said)

    def at_most(self, sure: Confidence) -> Confidence:
        """A confidence, as far as what was found allows it."""
        doubted: Confidence = "medium" if self.said else "high"
        return min(sure, doubted, confidence_after(self.findings), key=_ORDER.index)

    def repaired(self, columns: Collection[str], *, once: bool = False) -> FrameChecked:
        """What is left once numbers that stand for no value were taken out of these columns, and
        with `once` rows that come again left out."""
        kept = (
            one
            for one in self.findings
            if one.code != _SENTINEL or not any(f"values of {c} are" in one.said for c in columns)
            if not (once and one.code == _LOADED_TWICE)
        )
        return self.model_copy(update={"findings": tuple(kept)})
