"""The former reader as a proposer: one more candidate, until the grammar says all that it does."""

from __future__ import annotations

from datetime import date

from services.planner.domain.catalogue import Catalogue, MeaningLookup, ValueLookup
from services.planner.domain.language.understand import understand
from services.planner.domain.query.intent import (
    Clarification,
    Intent,
    NotUnderstood,
    Understood,
)
from services.planner.domain.query.planning.sql import render
from services.planner.domain.reader.accounting import Claims
from services.planner.domain.reader.choice.candidate import Candidate

FORMER = "former"


async def former_reading(
    question: str,
    catalogue: Catalogue,
    lookup: ValueLookup,
    *,
    today: date,
    meanings: MeaningLookup | None = None,
) -> Understood | NotUnderstood:
    """What it would answer if it had to, or why it would not."""
    found = await understand(
        question, catalogue, lookup, today=today, assume=True, meanings=meanings
    )
    assert isinstance(found, Understood | NotUnderstood)
    return found


def former_candidate(found: Understood | NotUnderstood, catalogue: Catalogue) -> Candidate | None:
    """Its reading as a candidate; None where it refused or where no rows are asked for."""
    if not isinstance(found, Understood) or not gives_rows(found.intent):
        return None
    candidate = Candidate(found.intent, None, FORMER, 0.0)
    candidate.query = render(found.intent, catalogue)
    return candidate


def gives_rows(intent: Intent) -> bool:
    """Whether a query alone answers it."""
    return intent.statistic is None and not intent.profile and intent.cohort is None


def claims_of(found: Understood) -> Claims:
    """The phrases that it says it made use of."""
    return [(link.phrase, None) for link in found.links]


def former_alone(found: Understood | Clarification | NotUnderstood) -> bool:
    """Whether it read what the grammar has no words for yet."""
    if not isinstance(found, Understood):
        return False
    intent = found.intent
    over_time = any(d.periods or d.bins for d in intent.dimensions)
    per_thing = any(m.per is not None for m in intent.measures)  # "average revenue per order"
    return not gives_rows(intent) or bool(
        intent.derived or intent.defined or intent.copies or over_time or per_thing
    )


def former_features(found: Understood | NotUnderstood, *, alone: bool) -> dict[str, float]:
    """What its candidate, or one with the same answer, is known by."""
    if not isinstance(found, Understood):
        return {}
    notes = float(min(3, len(found.assumptions)))
    features = {"former": 1.0, "former confidence": found.confidence, "former notes": notes}
    if alone:
        intent = found.intent
        features |= {
            "former alone": 1.0, "former alone confidence": found.confidence,
            "former alone notes": notes, "former alone derived": float(bool(intent.derived)),
            "former alone joins": float(len(intent.joins)),
        }  # fmt: skip
    return features
