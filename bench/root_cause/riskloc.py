"""A search like RiskLoc: Kalander, "RiskLoc: Localization of Multi-dimensional Root Causes by
Weighted Risk", arXiv 2205.10004, 2022; written anew from the paper.

Leaves are parted by a cut point of their deviation scores into normal and abnormal, and weighted by
how far they are from it. Cuboids are searched layer by layer: of the elements that explain enough,
the one of most explanatory power whose risk (the abnormal part of its weight, less how badly one
ratio fits its leaves) is high enough is a root cause; its leaves are left out, and the search goes
on until the rest explains too little.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from bench.root_cause.cases import Case, Leaves, Numbers, Segment, Whole
from bench.root_cause.leafing import leaves_for
from bench.root_cause.measures import (
    deviation,
    elements_of,
    explanatory_power,
    sums_of,
    values_of,
)

RISK_THRESHOLD = 0.5
"""t_r of the paper."""

POWER_THRESHOLD = 0.02
"""t_pep of the paper: the part of the abnormal leaves' explanatory power that an element needs."""

_OUTLIERS = 5
_MOST_CAUSES = 50
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Scored:
    """Leaves with what the search weighs; all arrays are [leaves]."""

    codes: Whole
    predicted: Numbers
    real: Numbers
    deviation: Numbers
    power: Numbers
    abnormal: Mask
    weight: Numbers

    def without(self, gone: Mask) -> Scored:
        """The leaves that are left."""
        kept = ~gone
        return Scored(
            self.codes[kept],
            self.predicted[kept],
            self.real[kept],
            self.deviation[kept],
            self.power[kept],
            self.abnormal[kept],
            self.weight[kept],
        )


class RiskLoc:
    """Segments in the order in which they are found."""

    def find(self, case: Case) -> list[set[tuple[str, str]]]:
        """The root causes of the case's leaves."""
        return [set(segment) for segment in root_causes(leaves_for(case))]


def cut_point(deviations: Numbers) -> float:
    """Where abnormal begins: the mirror of how far deviations reach on their shorter side, without
    its five most extreme distinct values. Above it are the abnormal leaves where it is positive,
    below it where it is negative (also where it is -0: without noise one side reaches nowhere)."""
    distinct = np.unique(deviations)
    outliers = min(_OUTLIERS, len(distinct) - 1)
    low, high = float(distinct[outliers]), float(distinct[-1 - outliers])
    if distinct[0] >= 0 or distinct[-1] <= 0:  # one side reaches nowhere: no noise
        return 0.0 if distinct[0] >= 0 else -0.0
    return -min(low, high, key=abs)


def scored_leaves(leaves: Leaves) -> Scored:
    """Partition and weights; explanatory power has the sign that makes the abnormal part's sum
    positive."""
    sums = sums_of(leaves)
    deviations, power = deviation(sums), explanatory_power(sums, sums)
    predicted, real = values_of(sums)
    cut = cut_point(deviations)
    abnormal = deviations > cut if np.copysign(1.0, cut) > 0 else deviations < cut
    weight = np.where(abnormal, np.abs(deviations), np.abs(cut - deviations))
    weight = np.where((real == 0) & (predicted == 0) & ~abnormal, 0.0, np.minimum(weight, 1.0))
    if power[abnormal].sum() < 0:
        power = -power
    return Scored(leaves.codes, predicted, real, deviations, power, abnormal, weight)


def root_causes(leaves: Leaves) -> list[Segment]:
    """Elements until what is left of the abnormal leaves explains less than the threshold."""
    scored = scored_leaves(leaves)
    least = float(scored.power[scored.abnormal].sum()) * POWER_THRESHOLD
    if not scored.abnormal.any() or least <= 0:
        return []
    found: list[Segment] = []
    while len(found) < _MOST_CAUSES and scored.power[scored.abnormal].sum() >= least:
        one = _best_element(_pruned(scored, least), least)
        if one is None:
            break
        places, codes = one
        found.append(leaves.segment(places, codes.tolist()))
        scored = scored.without((scored.codes[:, places] == codes).all(axis=1))
    return found


def _pruned(scored: Scored, least: float) -> Scored:
    """Leaves without the values of single dimensions that can be in no cause: with no abnormal
    leaf, or whose positive explanatory power alone is too small."""
    gone = np.zeros(len(scored.codes), dtype=bool)
    positive = np.maximum(scored.power, 0.0)
    for place in range(scored.codes.shape[1]):
        at = scored.codes[:, place]
        count = int(at.max(initial=0)) + 1
        useless = np.bincount(at, positive, count) < least
        useless |= np.bincount(at[scored.abnormal], minlength=count) == 0
        gone |= useless[at]
    return scored.without(gone)


def _best_element(scored: Scored, least: float) -> tuple[tuple[int, ...], Whole] | None:
    """Of the shallowest layer that has any, the risky element of the most explanatory power."""
    if not len(scored.codes):
        return None
    dimensions = range(scored.codes.shape[1])
    for layer in range(1, len(dimensions) + 1):
        best: tuple[tuple[int, ...], Whole] | None = None
        most = least
        for places in combinations(dimensions, layer):
            one = _risky(scored, places, most)
            if one is not None:
                best, most = (places, one[0]), one[1]
        if best is not None:
            return best
    return None


def _risky(scored: Scored, places: tuple[int, ...], above: float) -> tuple[Whole, float] | None:
    """The element of a cuboid with the most explanatory power, more than `above`, that is risky."""
    elements, at = elements_of(scored.codes, places)
    power = np.bincount(at, scored.power)
    there = np.bincount(at, scored.abnormal)
    for one in np.argsort(-power, kind="stable"):
        if power[one] <= above:
            return None
        if there[one] > 0 and risk(scored, at == one) >= RISK_THRESHOLD:
            return elements[one], float(power[one])
    return None


def risk(scored: Scored, own: Mask) -> float:
    """High risk, the abnormal part of an element's weight, less low risk, how much worse its leaves
    fit one common ratio (the generalised ripple effect) than no change at all."""
    abnormal = float(scored.weight[own & scored.abnormal].sum())
    normal = float(scored.weight[own & ~scored.abnormal].sum()) + 1
    own = own & (scored.real != 0) & (scored.predicted != 0)
    low = 0.0
    if own.any():
        real, predicted = scored.real[own], scored.predicted[own]
        expected = predicted * real.sum() / predicted.sum()
        both = expected + real
        misfit = np.abs(
            np.divide(2 * (expected - real), both, out=np.zeros(len(both)), where=both != 0)
        )
        moved = float(np.abs(scored.deviation[own]).mean())
        low = float(misfit.mean()) / moved if moved else 0.0
    return abnormal / (abnormal + normal) - low
