"""Which hypotheses an explanation comes from, and which findings told of it (seed 002)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from services.planner.domain.investigation.hypothesis import Hypothesis, HypothesisStatus, Test
from services.planner.domain.investigation.hypothesising import Segment
from services.planner.domain.investigation.iteration import Finding

_ALIKE, _FAULT = "alike", "fault"


@dataclass(frozen=True)
class Sources:
    """The hypotheses as they stand at the end, and all findings."""

    hypotheses: Sequence[Hypothesis]
    findings: Sequence[Finding]

    def of(self, kind: str, segment: Segment) -> tuple[str, ...]:
        """The hypotheses that contributed to an explanation of this kind and segment: what was
        tested by the call that found it, and what was borne out of it.

        A fault comes of the check of the data, a move of everything of the test of that. A segment
        comes of the search, of the dimensions that it has, and of what was found inside it.
        """
        test = {_FAULT: Test.QUALITY, _ALIKE: Test.ALIKE}.get(kind, Test.SEARCH)
        named = [h for h in self.hypotheses if h.test is test]
        if not named:
            named = [h for h in self.hypotheses if h.test is Test.SEARCH]
        if kind not in (_FAULT, _ALIKE):
            named += self._borne_out(segment)
        return tuple(h.hypothesis_id for h in named)

    def _borne_out(self, segment: Segment) -> list[Hypothesis]:
        names = {name for name, _ in segment}
        return [
            h
            for h in self.hypotheses
            if h.status is HypothesisStatus.CONFIRMED
            and (
                (h.test is Test.DIMENSION and names & set(h.dimensions))
                or (h.test is Test.WITHIN and set(h.segment) == set(segment))
            )
        ]

    def finding(self, kind: str) -> str:
        """The first finding on what an explanation of this kind comes of; empty where there is
        none."""
        about = set(self.of(kind, ()))
        found = [f.finding_id for f in self.findings if f.hypothesis_affected in about]
        return found[0] if found else ""

    def inside(self, segment: Segment) -> Finding | None:
        """What was found where somebody looked into a segment, and parts of it moved alone."""
        about = {h.hypothesis_id for h in self._borne_out(segment) if h.test is Test.WITHIN}
        return next((f for f in self.findings if f.hypothesis_affected in about), None)
