"""What routing decides: which domains a question is about, how sure that is, and why."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field, model_validator

from services.planner.domain.catalogue import Frozen


class Outcome(StrEnum):
    """What is to be done with the question."""

    ROUTED = "routed"
    UNCLEAR = "unclear"
    """Several domains are about equally near: the person says which."""
    OUT_OF_SCOPE = "out_of_scope"
    """No domain is near."""


class Alternative(Frozen):
    """A domain that the question could also mean, and how near it is."""

    domain: str
    score: float


class DomainRoutingDecision(Frozen):
    """The seed 003 value; `alternatives` are the nearest domains that were not identified.

    `confidence` is the probability that the identified domains are the ones meant, as measured by
    bench/routing.py. Where clarification is needed, none is identified and the alternatives are
    what there is to choose from. `questions` are the parts of the question, each by the domain that
    it is put to, where there are several.
    """

    user_query: Annotated[str, Field(min_length=1)]
    identified_domains: tuple[str, ...]
    reasoning: Annotated[str, Field(min_length=1)]
    confidence: Annotated[float, Field(ge=0.0, le=1.0)]
    ambiguity_detected: bool = False
    clarification_needed: bool = False
    outcome: Outcome = Outcome.ROUTED
    alternatives: tuple[Alternative, ...] = ()
    questions: dict[str, str] = Field(default_factory=dict)

    @property
    def choices(self) -> tuple[str, ...]:
        """The domains among which a person is to say which is meant; none where none is near."""
        if self.outcome is not Outcome.UNCLEAR or not self.ambiguity_detected:
            return ()
        return tuple(other.domain for other in self.alternatives)

    @model_validator(mode="after")
    def _consistent(self) -> DomainRoutingDecision:
        if not self.identified_domains and not self.clarification_needed:
            raise ValueError("without a clarification, a decision identifies a domain")
        if self.clarification_needed != (self.outcome is not Outcome.ROUTED):
            raise ValueError("a question is routed, or clarification is needed")
        if self.ambiguity_detected and not all(
            other.domain in self.reasoning for other in self.alternatives
        ):
            raise ValueError("the reasoning of an ambiguous decision names its alternatives")
        if len(set(self.identified_domains)) < len(self.identified_domains):
            raise ValueError("a domain is identified once")
        return self
