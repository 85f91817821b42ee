"""What estimating, testing and judging an effect gives (seed 001)."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from services.planner.domain.catalogue import Frozen

Estimand = Literal["ATE", "ATT", "CATE", "LATE"]


class TreatmentEffectResult(Frozen):
    """One method's estimate of one effect, in the outcome's unit, with its 95 % interval.

    Raises ValueError for an interval that does not hold its estimate.
    """

    method: str
    estimand: Estimand
    estimate: float
    std_error: float
    ci_lower: float
    ci_upper: float
    p_value: float | None = None
    assumptions_tested: tuple[str, ...] = ()
    details: dict[str, Any] = Field(default_factory=dict)
    treatment_variable: str | None = None
    outcome_variable: str | None = None

    @model_validator(mode="after")
    def _holds_its_estimate(self) -> Self:
        if not self.ci_lower <= self.estimate <= self.ci_upper:
            raise ValueError(
                f"the interval [{self.ci_lower:g}, {self.ci_upper:g}] of {self.method} does not "
                f"hold its estimate {self.estimate:g}"
            )
        return self

    @property
    def accepted(self) -> bool:
        """Whether what it rests on held; a rejected estimate is told and counts for nothing."""
        return bool(self.details.get("status", "ok") == "ok")

    def agrees_with(self, other: TreatmentEffectResult) -> bool:
        """Whether two estimates of one effect differ by no more than their uncertainty: twice the
        standard error of a difference of independent ones, which they are not wholly."""
        spread = (self.std_error**2 + other.std_error**2) ** 0.5
        return bool(abs(self.estimate - other.estimate) <= 2 * spread)

    def agrees_without(self, other: TreatmentEffectResult) -> bool:
        """Whether it agrees with an estimate of the same rows that does without a column which may
        be an instrument.

        Were it one and nothing hidden, both would be right and the other narrower, so that their
        difference varied by as much as the squares of their errors differ (Hausman 1978); a quarter
        of an error is allowed at least.
        """
        gained = max(self.std_error**2 - other.std_error**2, (other.std_error / 4) ** 2)
        return bool(abs(self.estimate - other.estimate) <= 2 * gained**0.5)


class SensitivityResult(Frozen):
    """How fragile an effect is by one method; `robustness_value` is in that method's own unit."""

    method: str
    robustness_value: float
    interpretation: str
    details: dict[str, Any] = Field(default_factory=dict)

    @property
    def passes(self) -> bool | None:
        """Whether the effect held; None where the method gives a figure and no verdict."""
        held = self.details.get("passes")
        return held if isinstance(held, bool) else None


class CritiqueDecision(StrEnum):
    """What a critique comes to."""

    APPROVE = "APPROVE"
    ITERATE = "ITERATE"
    REJECT = "REJECT"


class CritiqueFeedback(Frozen):
    """One evaluation; `scores` are 1 to 5 by dimension.

    Raises ValueError for a score beyond these.
    """

    decision: CritiqueDecision
    iteration: int
    scores: dict[str, int]
    issues: tuple[str, ...]
    improvements: tuple[str, ...]
    reasoning: str

    @model_validator(mode="after")
    def _scores_of_five(self) -> Self:
        beyond = {name: score for name, score in self.scores.items() if not 1 <= score <= 5}
        if beyond:
            raise ValueError(f"scores are 1 to 5, not {beyond}")
        return self

    @property
    def mean_score(self) -> float:
        """The mean of all dimensions, 1 to 5; 0 without any."""
        return sum(self.scores.values()) / len(self.scores) if self.scores else 0.0
