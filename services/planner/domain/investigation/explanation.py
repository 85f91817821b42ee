"""Explanations: what moved the metric, ranked, each with its evidence (seed 002)."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from services.planner.domain.catalogue import Frozen


class Likelihood(StrEnum):
    """How likely an explanation is beside the others, by its rank."""

    MOST_LIKELY = "Most Likely"
    LIKELY = "Likely"
    POSSIBLE = "Possible"
    LESS_LIKELY = "Less Likely"


def likelihood_of(rank: int) -> Likelihood:
    """By rank, from 1: the first most likely, two and three likely, four and five possible."""
    if rank == 1:
        return Likelihood.MOST_LIKELY
    if rank <= 3:
        return Likelihood.LIKELY
    return Likelihood.POSSIBLE if rank <= 5 else Likelihood.LESS_LIKELY


class Basis(StrEnum):
    """What an explanation rests on. Where a metric moved says nothing of why."""

    ASSOCIATIONAL = "associational"
    CAUSAL = "causal"


class Evidence(Frozen):
    """One thing that the data shows, in words, with the claims that its numbers are."""

    text: str
    claims: tuple[int, ...] = ()
    finding: str = ""


class Effect(Frozen):
    """How much of the movement it is, in the metric's own unit, with the ends of its 95 % interval.

    `share` is the part of the whole movement, None where that is nothing or of the other sign.
    `p_value` is corrected for everything that was searched; `at_most` says that it is no more than
    that.
    """

    value: float
    low: float | None = None
    high: float | None = None
    share: float | None = None
    p_value: float | None = None
    at_most: bool = False


class Explanation(Frozen):
    """One of the ranked explanations. `segment` is empty for what is not of a segment."""

    rank: int = Field(ge=1)
    title: str = Field(max_length=100)
    likelihood: Likelihood
    evidence: tuple[Evidence, ...]
    reasoning: str = Field(max_length=1_000)
    causal_story: str = Field(max_length=500)
    source_hypotheses: tuple[str, ...]
    kind: str = "segment"
    segment: tuple[tuple[str, str | None], ...] = ()
    effect: Effect | None = None
    basis: Basis = Basis.ASSOCIATIONAL
    onset: str = ""
