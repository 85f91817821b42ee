"""What an iteration comes to: words, and how hypotheses stand after it."""

from __future__ import annotations

from dataclasses import dataclass

from services.planner.domain.investigation.hypothesis import Hypothesis, HypothesisStatus
from services.planner.domain.investigation.hypothesising import Segment
from services.planner.domain.investigation.iteration import StatusChange

CONFIRMED, RULED_OUT, PENDING = (
    HypothesisStatus.CONFIRMED,
    HypothesisStatus.RULED_OUT,
    HypothesisStatus.PENDING,
)


@dataclass(frozen=True)
class Judgement:
    """What was found in words, how hypotheses stand after it, segments to look into, what the tools
    told of faults, sentence by sentence, and whether it showed anything that could explain the
    change."""

    summary: str
    changes: tuple[StatusChange, ...] = ()
    standing_out: tuple[Segment, ...] = ()
    notes: tuple[str, ...] = ()
    showed: bool = False


def change_of(hypothesis: Hypothesis, after: HypothesisStatus) -> StatusChange:
    """A hypothesis that stands otherwise now."""
    return StatusChange(hypothesis=hypothesis.hypothesis_id, before=hypothesis.status, after=after)
