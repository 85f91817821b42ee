"""Which parts columns may play in a causal question: plain scores, each with its reasons.

A score is the sum of what speaks for a role less what speaks against it, between 0 and 1; from 0.5
on the column is a candidate. Scores choose what is looked at. They prove nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from services.executor.causal.profiling import words
from services.executor.causal.profiling.association import NOTHING, Strength, strength
from services.executor.causal.profiling.columns import Column
from services.executor.causal.profiling.discontinuity import Jump, jump

_STRONG_F = 0.1
"""Strength from which an instrument is worth a look; of 1,000 rows that is an F of 10."""
_LIKE_AN_INSTRUMENT = 0.6
_CAUTION = "a candidate only: that it acts through the treatment alone cannot be tested"


@dataclass
class Score:
    """What was added up, and why."""

    value: float = 0.0
    reasons: list[str] = field(default_factory=list)

    def add(self, value: float, reason: str) -> None:
        """Count something for the role, or against it."""
        self.value += value
        self.reasons.append(reason)

    @property
    def total(self) -> float:
        """Between 0 and 1."""
        return round(float(np.clip(self.value, 0, 1)), 3)


class Roles:
    """Roles of the columns of a frame, with treatment and outcome as named or else as guessed."""

    def __init__(
        self,
        columns: Sequence[Column],
        treatment: str | None,
        outcome: str | None,
        tiers: Mapping[str, int],
    ) -> None:
        """Names that are given are believed; tiers order columns by when they were measured."""
        self._by_name = {column.name: column for column in columns}
        self._named = {"treatment": treatment, "outcome": outcome}
        self._tiers = tiers
        self._pairs: dict[str, tuple[Strength, Strength]] = {}

    @cached_property
    def treatments(self) -> dict[str, Score]:
        """How likely each column is what was done, given or decided."""
        return {name: self._as_treatment(c) for name, c in self._by_name.items()}

    @cached_property
    def outcomes(self) -> dict[str, Score]:
        """How likely each column is what came of it."""
        return {name: self._as_outcome(c) for name, c in self._by_name.items()}

    @cached_property
    def treatment(self) -> Column | None:
        """The treatment named, else the best candidate there is."""
        return self._chosen("treatment", self.treatments, None)

    @cached_property
    def outcome(self) -> Column | None:
        """The outcome named, else the best candidate beside the treatment."""
        return self._chosen("outcome", self.outcomes, self.treatment)

    def _chosen(
        self, role: str, scores: Mapping[str, Score], other: Column | None
    ) -> Column | None:
        if named := self._named[role]:
            return self._by_name[named]
        fit = [
            name
            for name, score in scores.items()
            if score.total >= 0.5 and (other is None or name != other.name)
        ]
        best = min(
            fit,
            key=lambda name: (-round(scores[name].value, 6), words.hints_at_after(name), name),
            default=None,
        )
        return self._by_name[best] if best is not None else None

    def _as_treatment(self, column: Column) -> Score:
        score = Score()
        if self._named["treatment"] == column.name:
            score.add(1.0, "named as the treatment")
            return score
        if not column.usable or column.name == self._named["outcome"]:
            return score
        if column.kind == "binary":
            share = float(np.nanmean(column.numbers)) if column.numbers is not None else 0.0
            score.add(0.4, "two values")
            if min(share, 1 - share) < 0.02:
                score.add(-0.1, "one of them is rare")
        elif column.codes is not None and len(column.levels) <= 5:
            score.add(0.2, f"{len(column.levels)} values")
        elif column.kind == "numeric" and not column.is_date:
            score.add(0.1, "a number, as of a dose")
        if words.hints_at_treatment(column.name):
            score.add(0.45, "its name says so")
        if words.hints_at_outcome(column.name):
            score.add(-0.3, "its name is that of an outcome")
        if words.hints_at_trait(column.name):
            score.add(-0.3, "nobody can be given it")
        if words.hints_at_before(column.name) or self.is_time(column):
            score.add(-0.3, "it comes before")
        if words.hints_at_instrument(column.name):
            score.add(-0.15, "its name is that of an instrument")
        return score

    def _as_outcome(self, column: Column) -> Score:
        score = Score()
        if self._named["outcome"] == column.name:
            score.add(1.0, "named as the outcome")
            return score
        if not column.usable or column.name == self._named["treatment"] or column.is_date:
            return score
        if column.kind in ("numeric", "ordinal"):
            score.add(0.25, "a number")
        elif column.kind == "binary":
            score.add(0.15, "two values")
        if words.hints_at_outcome(column.name):
            score.add(0.45, "its name says so")
        for hint, part, why in (
            (words.hints_at_treatment(column.name), -0.4, "its name is that of a treatment"),
            (words.hints_at_before(column.name), -0.4, "its name says that it comes before"),
            (words.hints_at_trait(column.name), -0.4, "nobody's age or origin is an effect"),
            (self.is_time(column), -0.4, "it tells when"),
        ):
            if hint:
                score.add(part, why)
        return score

    def is_time(self, column: Column) -> bool:
        """Whether the column says when a row was."""
        if column.is_date:
            return True
        if column.kind == "categorical" and column.levels:
            return all(words.looks_like_period(level) for level in column.levels)
        numbers = column.numbers
        if not words.hints_at_time(column.name) or numbers is None or column.kind == "binary":
            return False
        finite = numbers[~np.isnan(numbers)]
        whole = bool(len(finite)) and bool((finite == np.round(finite)).all())
        return whole and bool((finite >= 0).all() and (finite <= 210_000).all())

    def comes_after(self, column: Column) -> str:
        """Why the column is taken as measured after the treatment, or nothing."""
        treatment, outcome = self.treatment, self.outcome
        if treatment is None or column is treatment or column is outcome:
            return ""
        at, since = self._tiers.get(column.name), self._tiers.get(treatment.name)
        if at is not None and since is not None:
            return f"tier {at} is later than the treatment's, {since}" if at > since else ""
        if at is None and words.hints_at_after(column.name):
            return "its name says that it comes after the treatment"
        return ""

    def confounder(self, column: Column) -> Score:
        """Goes with the treatment, and with the outcome among rows of one treatment.

        What a name and its relations say is an instrument is none: adjusting for it amplifies what
        bias there is (Pearl 2010, "On a class of bias-amplifying variables").
        """
        score = Score()
        treatment, outcome = self.treatment, self.outcome
        if not column.usable or treatment is None or outcome is None:
            return score
        if column is treatment or column is outcome:
            return score
        if after := self.comes_after(column):
            score.reasons.append(f"no confounder: {after}")
            return score
        first, second = self._two(column, treatment, outcome)
        shared = float(np.sqrt(first.size * second.size))
        text = f"with the treatment {first.size:.2f}, with the outcome {second.size:.2f}"
        if first.clear and self.instrument(column).total >= _LIKE_AN_INSTRUMENT:
            score.add(
                min(0.45, shared),
                f"is rather an instrument ({text}), and adjusting for one adds to bias",
            )
        elif first.clear and second.clear:
            score.add(0.5 + 0.5 * shared, f"goes with both ({text})")
        elif first.clear or second.clear:
            score.add(min(0.45, shared), f"goes with one of the two ({text})")
        return score

    def instrument(self, column: Column) -> Score:
        """Goes with the treatment, and little with the outcome among rows of one treatment.

        The second is weak evidence: where something hidden moves both, comparing rows of one
        treatment makes a true instrument go with the outcome a little (Pearl 2009, section 7.4.5),
        so little is allowed, and a name counts.
        """
        score = Score()
        treatment, outcome = self.treatment, self.outcome
        if not column.usable or treatment is None or outcome is None:
            return score
        if column is treatment or column is outcome or self.comes_after(column):
            return score
        first, second = self._two(column, treatment, outcome)
        if not first.clear or first.size < _STRONG_F:
            return score
        ratio = second.size / first.size if second.clear else 0.0
        named = words.hints_at_instrument(column.name)
        if ratio > 0.5:
            return score
        score.add(
            0.5 * (1 - ratio),
            f"moves the treatment ({first.size:.2f}) and goes little with "
            f"the outcome beside it ({second.size:.2f})",
        )
        if named:
            score.add(0.3, "its name is that of an instrument")
        elif words.hints_at_trait(column.name) or words.hints_at_outcome(column.name):
            score.add(-0.25, "its name is that of a trait or an outcome")
        score.reasons.append(_CAUTION)
        return score

    def _two(self, column: Column, treatment: Column, outcome: Column) -> tuple[Strength, Strength]:
        if not treatment.usable or not outcome.usable:
            return NOTHING, NOTHING
        if column.name not in self._pairs:
            beside = strength(outcome, column, (treatment,))
            self._pairs[column.name] = strength(treatment, column), beside
        return self._pairs[column.name]

    def discontinuity(self, column: Column) -> Jump | None:
        """Where the chance of treatment jumps along the column."""
        treatment = self.treatment
        apart = column is treatment or column is self.outcome or bool(self.comes_after(column))
        if treatment is None or apart or column.kind != "numeric" or not column.usable:
            return None
        return jump(column, treatment)
