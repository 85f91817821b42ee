"""Impact ranking: the values, or pairs of values, that add most to the change.

What tools for dashboards call "key drivers" or "contribution analysis", and analysts do by hand: of
an additive metric an element adds real - predicted; of a ratio, what the whole would move back if
the element had stayed as predicted.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from bench.root_cause.cases import Case, Leaves, Numbers, Segment
from bench.root_cause.leafing import leaves_for
from bench.root_cause.measures import Sums, elements_of, grouped, sums_of


class Impact:
    """The `most` elements of one or two dimensions with the largest contributions."""

    def __init__(self, most: int = 1) -> None:
        self._most = most

    def find(self, case: Case) -> list[set[tuple[str, str]]]:
        """The largest first; of equal ones, those of fewer dimensions."""
        return [set(segment) for segment in largest(leaves_for(case), self._most)]


def largest(leaves: Leaves, most: int) -> list[Segment]:
    """Segments of one or two dimensions, the largest contribution first."""
    sums = sums_of(leaves)
    listed: list[tuple[float, int, Segment]] = []
    for depth in (1, 2):
        for places in combinations(range(len(leaves.dimensions)), depth):
            elements, at = elements_of(leaves.codes, places)
            each = np.abs(contributions(grouped(sums, at, len(elements)), sums))
            for one in np.argsort(-each, kind="stable")[:most]:
                listed.append((-float(each[one]), depth, leaves.segment(places, elements[one])))
    listed.sort(key=lambda one: (round(one[0], 9), one[1], sorted(one[2])))
    return [segment for _, _, segment in listed[:most]]


def contributions(sums: Sums, whole: Sums) -> Numbers:
    """What each element adds to the whole's change, in the unit of the metric."""
    change = sums.real - sums.predicted
    if sums.real_denominator is None or whole.real_denominator is None:
        return change
    assert sums.predicted_denominator is not None
    top, bottom = float(whole.real.sum()), float(whole.real_denominator.sum())
    without = bottom - sums.real_denominator + sums.predicted_denominator
    back = np.divide(top - change, without, out=np.zeros(len(change)), where=without > 0)
    return np.where(without > 0, top / max(bottom, 1e-300) - back, 0.0)
