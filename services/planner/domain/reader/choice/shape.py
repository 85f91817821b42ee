"""The shape of a query, as far as wording alone tells it: counts, groups, order, sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from services.planner.domain.reader.choice.linear import Features, LogLinear

YES, NO = "yes", "no"
HEADS: dict[str, tuple[str, ...]] = {
    "count": (NO, YES), "count kinds": (NO, YES), "average": (NO, YES), "sum": (NO, YES),
    "minimum": (NO, YES), "maximum": (NO, YES), "group": (NO, YES), "having": (NO, YES),
    "order": (NO, "rising", "falling"), "order by count": (NO, YES), "limit": (NO, "one", "few"),
    "distinct": (NO, YES), "set": (NO, "both", "except", "without", "among", "union"),
    "conditions": ("0", "1", "2"), "shown": ("1", "2", "3"), "or": (NO, YES),
}  # fmt: skip


@dataclass(frozen=True)
class Shape:
    """How likely each choice of each head is."""

    odds: Mapping[str, Mapping[str, float]]

    def of(self, head: str, choice: str) -> float:
        """The probability of one choice."""
        return self.odds[head].get(choice, 0.0)


@dataclass(frozen=True)
class ShapeModel:
    """One log-linear model a head over the same features."""

    heads: Mapping[str, LogLinear]

    def shape(self, features: Features) -> Shape:
        """The odds of all heads."""
        return Shape({name: model.probabilities(features) for name, model in self.heads.items()})
