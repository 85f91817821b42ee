"""Adtributor: Bhagwan et al., "Adtributor: Revenue Debugging in Advertising Systems", NSDI 2014.

Each dimension's elements are taken in order of surprise if their explanatory power is above T_EEP,
until they explain T_EP of the change; dimensions are ranked by the surprise of what was taken. The
recursive form (Persson and Rudenius, "Anomaly Detection and Fault Localization: An Automated
Process for Advertising Systems", Chalmers 2018) goes on inside each element over the other
dimensions, and takes the deepest that are found.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bench.root_cause.cases import Case, Leaves, Numbers
from bench.root_cause.leafing import leaves_for
from bench.root_cause.measures import Sums, explanatory_power, grouped, sums_of, surprise

LEAST_OF_ELEMENT = 0.1
"""T_EEP: 10 %, as in the paper."""

LEAST_OF_ALL = 0.67
"""T_EP: 67 %, as in the paper."""

_DEEPEST = 3


@dataclass(frozen=True)
class Candidate:
    """Elements of one dimension, by its place and their codes, and their surprise together."""

    place: int
    codes: tuple[int, ...]
    surprise: float


class Adtributor:
    """The elements of the most surprising dimension: of the paper's list of three the first, which
    is best for precision, as each of them is a full explanation."""

    def find(self, case: Case) -> list[set[tuple[str, str]]]:
        """In order of surprise."""
        leaves = leaves_for(case)
        found = candidates(leaves, sums_of(leaves), tuple(range(len(leaves.dimensions))))
        if not found:
            return []
        return [set(leaves.segment((found[0].place,), (code,))) for code in found[0].codes]


class RecursiveAdtributor:
    """Adtributor inside each element that it finds, over the other dimensions, down to three."""

    def find(self, case: Case) -> list[set[tuple[str, str]]]:
        """In order of surprise, level by level."""
        leaves = leaves_for(case)
        places = tuple(range(len(leaves.dimensions)))
        found = _inside(leaves, np.arange(len(leaves.codes)), places, ())
        return [set(leaves.segment([p for p, _ in one], [c for _, c in one])) for one in found]


def _inside(
    leaves: Leaves,
    rows: np.typing.NDArray[np.int64],
    places: tuple[int, ...],
    so_far: tuple[tuple[int, int], ...],
) -> list[tuple[tuple[int, int], ...]]:
    if len(so_far) == _DEEPEST or not places:
        return [so_far]
    part = Leaves(
        leaves.dimensions,
        leaves.values,
        leaves.codes[rows],
        leaves.predicted[rows],
        leaves.real[rows],
        _of(leaves.predicted_denominator, rows),
        _of(leaves.real_denominator, rows),
    )
    found = candidates(part, sums_of(part), places)
    if not found or _all_of(part, found[0]):
        return [so_far] if so_far else []
    out = []
    for code in found[0].codes:
        place = found[0].place
        others = tuple(one for one in places if one != place)
        inner = rows[part.codes[:, place] == code]
        out += _inside(leaves, inner, others, (*so_far, (place, code)))
    return out


def _of(amounts: Numbers | None, rows: np.typing.NDArray[np.int64]) -> Numbers | None:
    return None if amounts is None else amounts[rows]


def _all_of(part: Leaves, candidate: Candidate) -> bool:
    """Whether a candidate names every value there is, which says nothing."""
    return len(candidate.codes) == len(np.unique(part.codes[:, candidate.place]))


def candidates(leaves: Leaves, sums: Sums, places: tuple[int, ...]) -> list[Candidate]:
    """A candidate for each dimension whose elements explain enough, the most surprising first."""
    found = []
    for place in places:
        count = len(leaves.values[place])
        elements = grouped(sums, leaves.codes[:, place], count)
        power, surprises = explanatory_power(elements, sums), surprise(elements)
        taken: list[int] = []
        explained = 0.0
        for code in np.argsort(-surprises, kind="stable"):
            if power[code] > LEAST_OF_ELEMENT:
                taken.append(int(code))
                explained += float(power[code])
            if explained > LEAST_OF_ALL:
                found.append(Candidate(place, tuple(taken), float(surprises[taken].sum())))
                break
    return sorted(found, key=lambda one: (-one.surprise, one.place))
