"""How far stated confidence can be trusted."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

EDGES = (0.0, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
COVERAGES = tuple(range(10, 101, 10))
_SURE_OF_95 = 1.959963984540054

Stated = tuple[float, bool]
"""A stated confidence from 0 to 1, and whether the answer was right."""


@dataclass(frozen=True, slots=True)
class Bin:
    """Answers whose stated confidence lies from `low` to below `high` (the last one up to it).

    `right_low` and `right_high` bound the share that is right: its 95 % Wilson interval.
    """

    low: float
    high: float
    number: int
    stated: float
    right: float
    right_low: float
    right_high: float


def wilson(right: int, number: int) -> tuple[float, float]:
    """The 95 % Wilson score interval of a share; everything from 0 to 1 where nothing was seen."""
    if number == 0:
        return 0.0, 1.0
    share, square = right / number, _SURE_OF_95**2
    middle = share + square / (2 * number)
    spread = _SURE_OF_95 * math.sqrt(share * (1 - share) / number + square / (4 * number * number))
    whole = 1 + square / number
    return max(0.0, (middle - spread) / whole), min(1.0, (middle + spread) / whole)


def reliability(stated: Sequence[Stated], edges: Sequence[float] = EDGES) -> list[Bin]:
    """Stated confidence against how often it was right; bins without answers are left out."""
    found = []
    for low, high in itertools.pairwise(edges):
        last = high == edges[-1]
        inside = [(c, ok) for c, ok in stated if low <= c < high or (last and c >= high)]
        if not inside:
            continue
        number, right = len(inside), sum(ok for _, ok in inside)
        mean = sum(c for c, _ in inside) / number
        found.append(Bin(low, high, number, mean, right / number, *wilson(right, number)))
    return found


def calibration_error(bins: Sequence[Bin]) -> float:
    """The expected calibration error: how far stated and right are apart, weighed by number."""
    number = sum(part.number for part in bins)
    if number == 0:
        return 0.0
    return sum(part.number * abs(part.stated - part.right) for part in bins) / number


def risk_coverage(
    stated: Sequence[Stated], of: int | None = None
) -> list[tuple[int, float, float]]:
    """The share wrong among the surest 10, 20, ... 100 % of `of` questions, while answers last.

    Each is coverage in per cent, share wrong, and the confidence from which on that is. Equal
    confidences cannot be told apart: within them the share wrong is that of all of them together.
    """
    ordered, number = _surest_first(stated), len(stated) if of is None else of
    found = []
    for coverage in COVERAGES:
        taken = round(number * coverage / 100)
        if 0 < taken <= len(ordered):
            wrong = sum(risk for _, risk in ordered[:taken])
            found.append((coverage, wrong / taken, ordered[taken - 1][0]))
    return found


def coverage_at(
    stated: Sequence[Stated], right: float, of: int | None = None
) -> tuple[float, float]:
    """The largest share of `of` questions that a threshold answers with that share right.

    With it the threshold; (0.0, 1.0) where there is none. Thresholds do not split ties.
    """
    ordered, number = _surest_first(stated), len(stated) if of is None else of
    best, wrong = (0.0, 1.0), 0.0
    for place, (confidence, risk) in enumerate(ordered, start=1):
        wrong += risk
        ends = place == len(ordered) or ordered[place][0] != confidence
        if ends and 1 - wrong / place >= right - 1e-12:
            best = (place / number, confidence)
    return best


def _surest_first(stated: Sequence[Stated]) -> list[tuple[float, float]]:
    """Confidence and share wrong of each answer, surest first; ties share what is wrong."""
    tied: dict[float, list[bool]] = {}
    for confidence, ok in stated:
        tied.setdefault(confidence, []).append(ok)
    return [
        (confidence, 1 - sum(tied[confidence]) / len(tied[confidence]))
        for confidence in sorted(tied, reverse=True)
        for _ in tied[confidence]
    ]
