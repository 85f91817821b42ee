"""The shape of a query, as far as wording alone tells it: counts, groups, order, sets."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from services.planner.domain.reader.choice.linear import Features, LogLinear

YES, NO = "yes", "no"
_LEAST_PROBABILITY = 2e-3
LEAST_LOG_PROBABILITY = math.log(_LEAST_PROBABILITY)
_NOT_OF_CHARTS = ("order", "order by count")  # in which order marks stand is not told
HEADS: dict[str, tuple[str, ...]] = {
    "count": (NO, YES),
    "count kinds": (NO, YES),
    "average": (NO, YES),
    "sum": (NO, YES),
    "minimum": (NO, YES),
    "maximum": (NO, YES),
    "group": (NO, YES),
    "having": (NO, YES),
    "order": (NO, "rising", "falling"),
    "order by count": (NO, YES),
    "limit": (NO, "one", "few"),
    "distinct": (NO, YES),
    "set": (NO, "both", "except", "without", "among", "union"),
    "conditions": ("0", "1", "2"),
    "shown": ("1", "2", "3"),
    "or": (NO, YES),
}


@dataclass(frozen=True)
class Shape:
    """How likely each choice of each head is."""

    odds: Mapping[str, Mapping[str, float]]

    def of(self, head: str, choice: str) -> float:
        """The probability of one choice."""
        return self.odds[head].get(choice, 0.0)

    @cached_property
    def log_probabilities(self) -> Mapping[str, Mapping[str, float]]:
        """The log-probability of each choice of each head, in the order of `HEADS`."""
        return {
            head: {c: math.log(max(self.of(head, c), _LEAST_PROBABILITY)) for c in choices}
            for head, choices in HEADS.items()
        }

    @cached_property
    def unordered_log_probabilities(self) -> Mapping[str, Mapping[str, float]]:
        """As `worth`, where the order of marks counts for nothing."""
        nothing = {head: dict.fromkeys(HEADS[head], 0.0) for head in _NOT_OF_CHARTS}
        return dict(self.log_probabilities) | nothing


@dataclass(frozen=True)
class ShapeModel:
    """One log-linear model a head over the same features."""

    heads: Mapping[str, LogLinear]

    def shape(self, features: Features) -> Shape:
        """The odds of all heads."""
        return Shape({name: model.probabilities(features) for name, model in self.heads.items()})
