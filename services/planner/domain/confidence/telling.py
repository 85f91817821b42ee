"""How sure a decision is told: by the curve of its kind, and never sure where it is doubted.

An error is to be mended before anybody is told a number, so that with one left it is doubtful.
"""

from __future__ import annotations

from mesh.reliability import Measured, measured
from services.planner.domain.confidence.seen import ConfidenceLevel, Seen


def find_level(seen: Seen, by: Measured | None = None) -> ConfidenceLevel:
    """High, medium or low, as told for sure, likely, doubtful."""
    known = by or measured()
    curve = known.curves[seen.kind]
    probability = curve.probability(seen.features)
    if probability < known.doubtful or seen.errors:
        return "low"
    sure = curve.sure is not None and probability >= curve.sure and may_be_sure(seen)
    return "high" if sure else "medium"


def may_be_sure(seen: Seen) -> bool:
    """Whether a decision is of those that are sure where their probability is high enough: not what
    is doubted, and of the rules alone only plain questions plainly read."""
    return not seen.doubted and (seen.kind != "rules" or seen.plain)


def may_gain_by_sample(seen: Seen, by: Measured | None = None) -> bool:
    """Whether a second sample of the model could make a decision sure that is not."""
    if seen.kind != "model" or find_level(seen, by) == "high":
        return False
    return find_level(seen.model_copy(update={"samples": 2}), by) == "high"
