"""How sure a routing is: the probability that the nearest domain is the one meant."""

from __future__ import annotations

import math
from dataclasses import dataclass

from services.planner.domain.routing.nearness import Ranked

_MOST = 0.99
"""Of what is stated as surer than this, two in a hundred were wrong."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """A logistic curve over the nearest domain's score and its lead on the next.

    A question whose nearest domain scores below `far` is about none of them.
    """

    constant: float
    top: float
    margin: float
    far: float

    def probability(self, ranked: Ranked) -> float:
        """That the nearest domain is meant, 0 to 1."""
        if not ranked.near:
            return 0.0
        sum_ = self.constant + self.top * ranked.top + self.margin * ranked.margin
        return 1.0 / (1.0 + math.exp(-sum_))


# Fitted by `python -m bench.routing --calibrate`: training questions of Banking77 and questions
# over half of the development databases, each once with its domain and, with a quarter of the
# weight, once without. Nothing about a domain is learnt, only what nearness is worth.
# Below `far` lie 2 % of those training questions and 95 % of what is asked of other data.
BY_MEANING = Calibration(-2.39, 2.38, 12.65, 0.36)
BY_WORDS = Calibration(-1.35, 1.25, 10.16, 0.08)


def calibration(ranked: Ranked) -> Calibration:
    """The curve for how the domains were compared."""
    return BY_MEANING if ranked.by_meaning else BY_WORDS


def confidence(ranked: Ranked) -> float:
    """The probability that the nearest domain is the one meant, to two digits."""
    return min(_MOST, round(calibration(ranked).probability(ranked), 2))
