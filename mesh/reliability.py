"""How often answers are right that are told as so sure: measured, and shipped as one file.

`python -m bench.proposals.confidence fit` writes the file; nothing in it is set by hand. What it
means and how it is measured: docs/confidence.md.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_suffix(".json")


@dataclass(frozen=True)
class Curve:
    """A logistic curve over features, for one kind of decision.

    `sure` is the probability from which on decisions of this kind are told as sure, None where none
    are: no such group was right often enough.
    """

    constant: float
    weights: Mapping[str, float]
    sure: float | None

    def probability(self, features: Mapping[str, float]) -> float:
        """That a decision of which this is seen is right, 0 to 1. Features without a weight say
        nothing."""
        score = self.constant
        score += sum(self.weights.get(name, 0.0) * value for name, value in features.items())
        return 1.0 / (1.0 + math.exp(-score))


@dataclass(frozen=True)
class Group:
    """A line of the reliability table: of `number` decisions of a kind that were told so, on
    questions kept apart, which share was right, and its 95 % Wilson interval; and of `people`'s own
    questions among them the share `of_people`."""

    kind: str
    label: str
    number: int
    share: float
    low: float
    high: float
    people: int = 0
    of_people: float = 0.0


@dataclass(frozen=True)
class Measured:
    """What the file holds. Below the probability `doubtful` a decision is told as doubtful."""

    curves: Mapping[str, Curve]
    doubtful: float
    table: tuple[Group, ...]
    made_from: Mapping[str, Any]


def read(values: Mapping[str, Any]) -> Measured:
    """What was measured, from its JSON object."""
    return Measured(
        curves={name: Curve(**curve) for name, curve in values["curves"].items()},
        doubtful=values["doubtful"],
        table=tuple(Group(**line) for line in values["table"]),
        made_from=values["made_from"],
    )


@lru_cache(maxsize=1)
def measured() -> Measured:
    """What is shipped. Raises OSError where the file is not there."""
    return read(json.loads(FILE.read_text(encoding="utf-8")))


def wilson(right: float, number: float, z: float = 1.96) -> tuple[float, float]:
    """The interval of a share (Wilson 1927), 95 % by default; all that is possible of nothing."""
    if number <= 0:
        return 0.0, 1.0
    share, squared = right / number, z * z
    middle = (share + squared / (2 * number)) / (1 + squared / number)
    half = math.sqrt(share * (1 - share) / number + squared / (4 * number * number))
    half *= z / (1 + squared / number)
    return max(0.0, middle - half), min(1.0, middle + half)
