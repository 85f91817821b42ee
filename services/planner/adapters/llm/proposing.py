"""A filled form as a proposal: its words are the model's, and nothing of it is believed yet."""

from __future__ import annotations

from services.planner.adapters.llm.forms import ProposedAnswer
from services.planner.domain.analysis.planning import PlanningInput
from services.planner.domain.statements.proposal import Proposal

_OF_PROPOSAL = {
    "interpretation",
    "statement",
    "bindings",
    "columns",
    "grain",
    "test",
    "alternatives",
    "assumptions",
    "sentences",
    "further",
}


def proposal_of(form: ProposedAnswer, by: str) -> Proposal:
    """The proposal that a form of kind answer makes; `by` is the model as configured. Raises
    ValueError for texts longer than a proposal holds."""
    return Proposal.model_validate(
        {"proposer": f"model:{by}", **form.model_dump(include=_OF_PROPOSAL)}
    )


def list_texts(form: ProposedAnswer, given: PlanningInput) -> tuple[str, ...]:
    """The words that a form answers, in order: all so far, or where it takes those said now for a
    question of their own, these alone."""
    own = form.alone and not given.request.corrections
    return (given.request.intent,) if own else given.messages
