"""Hypotheses: what may explain a movement, and where each of them stands (seed 002)."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Self

from pydantic import Field

from services.planner.domain.catalogue import Frozen


class HypothesisStatus(StrEnum):
    """Where a hypothesis is."""

    PENDING = "PENDING"
    INVESTIGATING = "INVESTIGATING"
    CONFIRMED = "CONFIRMED"
    RULED_OUT = "RULED_OUT"


HYPOTHESIS_TRANSITIONS: dict[HypothesisStatus, frozenset[HypothesisStatus]] = {
    HypothesisStatus.PENDING: frozenset({HypothesisStatus.INVESTIGATING}),
    HypothesisStatus.INVESTIGATING: frozenset(
        {HypothesisStatus.CONFIRMED, HypothesisStatus.RULED_OUT, HypothesisStatus.PENDING}
    ),
    HypothesisStatus.CONFIRMED: frozenset(),
    HypothesisStatus.RULED_OUT: frozenset(),
}


class Test(StrEnum):
    """How a hypothesis is tested: which analysis of the data bears on it."""

    __test__ = False  # what pytest is not to collect

    QUALITY = "quality"  # the data are at fault, not the business
    CHANGE = "change"  # it moved no more than it does by chance
    SEARCH = "search"  # segments moved, whichever
    DIMENSION = "dimension"  # the values of one dimension moved differently
    WITHIN = "within"  # inside a segment that moved, parts of it moved alone
    ALIKE = "alike"  # everything moved alike


class Approach(StrEnum):
    """A way of looking: hypotheses that are tried alike, one after the other."""

    DATA = "data"  # what makes all else void: faults, chance
    SUSPECTED = "suspected"  # dimensions that the request names, each by itself
    SEARCH = "search"  # all dimensions at once, and their combinations
    INSIDE = "inside"  # into a segment that stood out
    SINGLE = "single"  # a dimension by itself, where a search found nothing


_APPROACHES: dict[Test, Approach] = {
    Test.QUALITY: Approach.DATA,
    Test.CHANGE: Approach.DATA,
    Test.SEARCH: Approach.SEARCH,
    Test.ALIKE: Approach.SEARCH,
    Test.WITHIN: Approach.INSIDE,
}


class Hypothesis(Frozen):
    """A possible explanation. `test` says which analysis bears on it, `segment` where it looks:
    values of dimensions, None for a missing one. `made_by` is the language model that named its
    dimension, `supposed` what that takes for what happened, in its words."""

    hypothesis_id: str = Field(pattern=r"^hyp_\d{3}$")
    title: str = Field(max_length=100)
    causal_story: str = Field(max_length=500)
    dimensions: tuple[str, ...]
    expected_pattern: str
    priority: int = Field(ge=1, le=10)
    status: HypothesisStatus = HypothesisStatus.PENDING
    created_at: datetime
    test: Test = Test.DIMENSION
    segment: tuple[tuple[str, str | None], ...] = ()
    suspected: bool = False
    made_by: str = ""
    supposed: str = ""

    @property
    def approach(self) -> Approach:
        """The way of looking by which it is tried."""
        of_dimension = Approach.SUSPECTED if self.suspected else Approach.SINGLE
        return _APPROACHES.get(self.test, of_dimension)

    def moved(self, status: HypothesisStatus) -> Self:
        """The same in its next status. Raises ValueError for a move that it may not make."""
        if status not in HYPOTHESIS_TRANSITIONS[self.status]:
            raise ValueError(f"a hypothesis that is {self.status} cannot become {status}")
        return self.model_copy(update={"status": status})


def hypothesis_id(number: int) -> str:
    """The id of the hypothesis of that number, from 1."""
    return f"hyp_{number:03d}"
