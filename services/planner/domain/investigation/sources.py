"""Which hypotheses an explanation comes from, and which findings told of it (seed 002)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from services.planner.domain.investigation.explanation import Explanation
from services.planner.domain.investigation.hypothesis import Hypothesis, HypothesisStatus, Test
from services.planner.domain.investigation.hypothesising import Segment
from services.planner.domain.investigation.iteration import Finding, IterationLog

_ALIKE, _FAULT = "alike", "fault"
_SETTLED = (HypothesisStatus.CONFIRMED, HypothesisStatus.RULED_OUT)


@dataclass(frozen=True)
class Sources:
    """The hypotheses as they stand at the end, all findings, and the iterations that made them."""

    hypotheses: Sequence[Hypothesis]
    findings: Sequence[Finding]
    iterations: Sequence[IterationLog] = ()

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
            named += self._list_confirmed(segment)
        return tuple(h.hypothesis_id for h in named)

    def _list_confirmed(self, segment: Segment) -> list[Hypothesis]:
        names = {name for name, _ in segment}
        return [
            h
            for h in self.hypotheses
            if h.status is HypothesisStatus.CONFIRMED
            and (
                (h.test is Test.DIMENSION and names & set(h.dimensions))
                or (h.test is Test.WITHIN and set(segment) <= set(h.segment))
            )
        ]

    def finding(self, kind: str) -> str:
        """The first finding that settled what an explanation of this kind comes of, or is about it;
        empty where there is none."""
        about = set(self.of(kind, ()))
        settling = {
            log.iteration
            for log in self.iterations
            for change in log.hypothesis_status_changes
            if change.hypothesis in about and change.after in _SETTLED
        }
        found = [
            f.finding_id
            for f in self.findings
            if f.hypothesis_affected in about or f.iteration in settling
        ]
        return found[0] if found else ""

    def inside(self, segment: Segment) -> Finding | None:
        """What was found where somebody looked into a segment, and parts of it moved alone."""
        about = {
            h.hypothesis_id
            for h in self._list_confirmed(segment)
            if h.test is Test.WITHIN and set(h.segment) == set(segment)
        }
        return next((f for f in self.findings if f.hypothesis_affected in about), None)


def why_unnamed(hypothesis: Hypothesis, explanations: Iterable[Explanation]) -> str:
    """Why no explanation comes of a hypothesis that was borne out; empty where one does, and of
    every other hypothesis."""
    named = {name for one in explanations for name in one.source_hypotheses}
    if hypothesis.status is not HypothesisStatus.CONFIRMED or hypothesis.hypothesis_id in named:
        return ""
    return f"No explanation names it: {_UNNAMED[hypothesis.test]}."


_UNNAMED = {
    Test.QUALITY: "no fault was told apart",
    Test.CHANGE: "what is usual needs none",
    Test.SEARCH: "what stands out is not among the largest",
    Test.ALIKE: "its effect is not among the largest",
    Test.DIMENSION: "no segment of it stands out of all that was searched, and is more than usual",
    Test.WITHIN: "what it is inside of does not stand out of all that was searched",
}
"""By how a hypothesis was tested."""
