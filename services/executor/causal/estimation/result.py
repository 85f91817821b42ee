"""What a method hands back, and how it declines."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from services.executor.causal.frame import Study


@dataclass(frozen=True)
class Assumption:
    """One thing that an estimate rests on, with what testing it gave.

    `passed` is None where it cannot be tested with the data at hand.
    """

    name: str
    text: str
    passed: bool | None = None
    statistic: float | None = None
    p_value: float | None = None


@dataclass(frozen=True)
class Estimate:
    """One effect in the outcome's unit, of a binary treatment or a unit of a numeric one.

    `df` are degrees of freedom of the t distribution behind interval and p-value. `bounds` and
    `p_value` are given where the interval is not the symmetric one. A rejected estimate says why in
    `reason` and is not to be used.
    """

    estimand: str
    estimate: float
    std_error: float
    rows: int
    group: str = ""
    df: float = math.inf
    bounds: tuple[float, float] | None = None
    p_value: float | None = None
    assumptions: tuple[Assumption, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""


class Rejected(Exception):
    """The data cannot carry this method; `reason` is for people."""

    def __init__(self, reason: str, assumptions: Sequence[Assumption] = ()) -> None:
        super().__init__(reason)
        self.reason = reason
        self.assumptions = tuple(assumptions)


class Estimator(Protocol):
    """A method: a pure function of a study. Raises Rejected."""

    def __call__(self, study: Study) -> list[Estimate]:
        """The estimates, the overall one first."""
        ...


UNCONFOUNDED = Assumption(
    "unconfoundedness",
    "Among rows alike in the columns adjusted for, nothing unseen links treatment and outcome; the "
    "data cannot tell.",
)
