"""Log-linear models: named features with a weight for each class, as one readable JSON object."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Features = Mapping[str, float]


@dataclass(frozen=True)
class LogLinear:
    """`weights[feature][class]`; the feature "1" is always there. Two classes have one column."""

    classes: tuple[str, ...]
    weights: Mapping[str, Sequence[float]]

    def scores(self, features: Features) -> list[float]:
        """The log-odds of each class, not normalised."""
        totals = list(self.weights.get("1", (0.0,) * len(self.classes)))
        for name, value in features.items():
            row = self.weights.get(name)
            if row is not None and value:
                for index, weight in enumerate(row):
                    totals[index] += weight * value
        return totals

    def probabilities(self, features: Features) -> dict[str, float]:
        """How likely each class is."""
        scores = self.scores(features)
        top = max(scores)
        parts = [math.exp(score - top) for score in scores]
        whole = sum(parts)
        return {name: part / whole for name, part in zip(self.classes, parts, strict=True)}

    @classmethod
    def read(cls, told: Mapping[str, object]) -> LogLinear:
        """From its JSON object."""
        weights = told["weights"]
        classes = told["classes"]
        assert isinstance(weights, Mapping) and isinstance(classes, Sequence)
        return cls(tuple(str(c) for c in classes), weights)
