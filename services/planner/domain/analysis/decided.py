"""The decision that an outcome of reading a question is: a plan, a question back or a refusal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from mesh.errors import NOTHING_UNDERSTOOD
from services.planner.domain.analysis.deliver import with_files
from services.planner.domain.analysis.planning import Planning, PlanningInput, RecipeUse
from services.planner.domain.analysis.settled import Settled
from services.planner.domain.analysis.settling import Outcome
from services.planner.domain.clarification import Clarification
from services.planner.domain.confidence import thresholds
from services.planner.domain.confidence.seen import Seen
from services.planner.domain.drafting.draft import draft_plan
from services.planner.domain.failure import Failure
from services.planner.domain.plan import PlanDraft
from services.planner.domain.proposals.considered import Considered
from services.planner.domain.proposals.proposing import (
    RULES,
    by_recipe,
    by_rules,
    statement_that_answers,
)
from services.planner.domain.query import intent as language

_SURE, _FAIRLY_SURE = 0.75, 0.5
_TABLES_NAMED = 6
_UNSETTLED = Settled()


def decided(outcome: Outcome, given: PlanningInput, settled: Settled, use: RecipeUse) -> Planning:
    """The decision that a reading, a question back or a refusal is."""
    if isinstance(outcome, language.Clarification):
        return Planning(
            recipe=use,
            reason="several readings score alike and give different answers",
            clarification=Clarification(
                question=outcome.question, options=outcome.options, glimpses=outcome.glimpses
            ),
            readings=tuple(one.model_dump(mode="json") for one in outcome.readings),
        )
    if isinstance(outcome, language.NotUnderstood):
        return Planning(recipe=use, reason=outcome.message, failure=_not_understood(outcome))
    return planned_from(outcome, given, use, settled)


def planned_from(
    understood: language.Understood,
    given: PlanningInput,
    use: RecipeUse,
    settled: Settled = _UNSETTLED,
) -> Planning:
    """The decision that a reading is: its plan, and how sure it is."""
    request = given.request
    draft = _drafted(understood, given)
    links = "; ".join(f"{link.phrase} → {link.target}: {link.reason}" for link in understood.links)
    return Planning(
        understood=understood.summary,
        reason=links or use.reason,
        confidence=_level(understood),
        intent=understood.intent.model_dump(mode="json"),
        draft=with_files(draft, request.deliverables),
        assumptions=understood.assumptions,
        recipe=use,
        settled=settled,
        proposal=proposed(understood.summary, draft, given, use, understood.links),
        others=_beside(understood.rivals, given),
        seen=Seen(
            reading=understood.confidence if understood.measured else None,
            odds=understood.odds,
            chosen=bool(settled.choice),
            corrected=bool(settled.corrections),
        ),
    )


def proposed(
    understood: str,
    draft: PlanDraft | None,
    given: PlanningInput,
    use: RecipeUse,
    links: Sequence[language.Link] = (),
) -> dict[str, Any] | None:
    """The statement of a plan, and what each word became in it, as JSON; None of a plan that takes
    several."""
    if draft is None:
        return None
    if use.how in ("used", "adapted"):
        question = given.request.intent
        made = by_recipe(use.recipe_id, question, understood, draft, given.catalogue)
    else:
        made = by_rules(given.request.intent, understood, links, draft, given.catalogue)
    return made.model_dump(mode="json") if made is not None else None


def _drafted(understood: language.Understood, given: PlanningInput) -> PlanDraft:
    request = given.request
    return draft_plan(
        understood,
        given.catalogue,
        deliverables=request.deliverables,
        row_limit=request.constraints.row_limit,
        timeout_seconds=request.constraints.timeout_seconds,
    )


def _beside(rivals: Sequence[language.Rival], given: PlanningInput) -> tuple[Considered, ...]:
    """Other readings as proposals; of one that one statement does not answer nothing is told."""
    found = []
    for rival in rivals:
        read = language.Understood(intent=rival.intent, summary=rival.summary, confidence=1.0)
        if text := statement_that_answers(_drafted(read, given)):
            found.append(
                Considered(
                    proposer=RULES,
                    interpretation=rival.summary,
                    statement=text,
                    compared="differs" if rival.glimpse else "not_compared",
                    glimpse=rival.glimpse,
                )
            )
    return tuple(found)


def _level(understood: language.Understood) -> Literal["high", "medium", "low"]:
    sure, fairly = _SURE, _FAIRLY_SURE
    if understood.measured:
        sure, fairly = thresholds.SURE, thresholds.LIKELY
    if understood.confidence >= sure:
        return "high"
    return "medium" if understood.confidence >= fairly else "low"


def _not_understood(outcome: language.NotUnderstood) -> Failure:
    shown = outcome.available[:_TABLES_NAMED]
    more = len(outcome.available) - len(shown)
    listing = "; ".join(shown) + (f"; and {more} more tables" if more > 0 else "")
    offered = ", or ".join(f'"{question}"' for question in outcome.nearest)
    offer = f"Near to it can be answered: {offered}. " if offered else ""
    return Failure(
        reason=NOTHING_UNDERSTOOD.code,
        message=outcome.message,
        hint=f"{offer}The data holds {listing}."
        if listing
        else "The policy leaves no column to ask about: see --allow-column and --block-pattern.",
    )
