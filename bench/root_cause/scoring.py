"""How good what was found is: element F1, rank of the first true cause, false causes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from bench.root_cause.cases import Segment, canonical

_NORMAL = 1.959964


@dataclass(frozen=True)
class Score:
    """One case: how many segments were found rightly, wrongly and not; the first true one's rank.

    `rank` counts from 1; None where no true segment was found or there is none.
    """

    right: int
    wrong: int
    missed: int
    rank: int | None

    @property
    def f1(self) -> float:
        """2·right / (2·right + wrong + missed): exact segments (Squeeze, Li et al. 2019; RiskLoc,
        Kalander 2022). 1 where there was nothing to find and nothing was found."""
        count = 2 * self.right + self.wrong + self.missed
        return 2 * self.right / count if count else 1.0


def scored(
    found: Sequence[set[tuple[str, str]]],
    truth: Sequence[Segment],
    determines: Mapping[str, str],
) -> Score:
    """The score of a list of segments in order; one that comes twice counts once."""
    wanted = {canonical(segment, determines) for segment in truth}
    listed = list(dict.fromkeys(canonical(segment, determines) for segment in found))
    right = wanted.intersection(listed)
    rank = next((place for place, one in enumerate(listed, 1) if one in wanted), None)
    return Score(len(right), len(listed) - len(right), len(wanted) - len(right), rank)


def wilson(hits: int, count: int) -> tuple[float, float]:
    """A 95 % interval of a share (Wilson 1927); from 0 to 1 where nothing was counted."""
    if not count:
        return 0.0, 1.0
    share, square = hits / count, _NORMAL**2
    middle = (share + square / (2 * count)) / (1 + square / count)
    half = (
        sqrt(share * (1 - share) / count + square / (4 * count**2)) * _NORMAL / (1 + square / count)
    )
    return max(middle - half, 0.0), min(middle + half, 1.0)


def mean_interval(values: Sequence[float]) -> tuple[float, float, float]:
    """A mean with its 95 % interval by the normal law; of one value or none, from 0 to 1."""
    count = len(values)
    if not count:
        return float("nan"), 0.0, 1.0
    mean = sum(values) / count
    if count < 2:
        return mean, 0.0, 1.0
    half = _NORMAL * sqrt(sum((v - mean) ** 2 for v in values) / (count - 1) / count)
    return mean, max(mean - half, 0.0), min(mean + half, 1.0)
