"""The built-in reasoner: deterministic, offline, no model."""

from __future__ import annotations

from typing import Any, Literal

from mesh.errors import NOTHING_UNDERSTOOD
from services.planner.domain.analysis.adapting import adapted, as_learnt, assumed, restored
from services.planner.domain.analysis.deliver import with_files
from services.planner.domain.analysis.instructing import by_instructions
from services.planner.domain.analysis.planning import (
    Planning,
    PlanningInput,
    RecipeUse,
    Repair,
    RepairInput,
)
from services.planner.domain.analysis.recipe import Recipe
from services.planner.domain.analysis.repair import repair
from services.planner.domain.analysis.trial import misfit
from services.planner.domain.job import Clarification, Failure
from services.planner.domain.language import intent as language
from services.planner.domain.language.defining.definitions import with_columns
from services.planner.domain.language.planning.chart import charted
from services.planner.domain.language.planning.draft import draft_plan
from services.planner.domain.language.planning.summary import summarise
from services.planner.domain.reader.choice import thresholds
from services.planner.domain.reader.proposed import Weighing, weighed
from services.planner.domain.reader.understand import understand

_SURE, _FAIRLY_SURE = 0.75, 0.5
_TABLES_NAMED = 6


class RulesReasoner:
    """The Reasoner port by rules. Equal inputs give equal decisions, byte for byte."""

    @property
    def name(self) -> str:
        """Who decides."""
        return "rules"

    async def plan(self, given: PlanningInput) -> Planning:
        """From a recipe that fits, else from the words of the question."""
        use = RecipeUse()
        for recalled in given.recipes:
            if recalled.exact and not given.reply:
                planning = await _from_recipe(recalled.recipe, given, use)
                if planning.draft is not None:
                    return planning
                use = planning.recipe
        instructions = await by_instructions(given, use)
        if instructions is not None:
            return instructions
        outcome = await understand(
            given.request.intent,
            given.catalogue,
            given.lookup,
            today=given.today,
            assume=given.request.assume,
            answer=given.reply or None,
            meanings=given.meanings,
            evidence=given.evidence,
        )
        found = await _weighed(outcome, given)
        outcome = found.outcome
        if isinstance(outcome, language.Clarification):
            return Planning(
                recipe=use,
                reason="several readings score alike and give different answers",
                clarification=Clarification(question=outcome.question, options=outcome.options),
            )
        if isinstance(outcome, language.NotUnderstood):
            return Planning(recipe=use, reason=outcome.message, failure=_not_understood(outcome))
        planned = _planned(outcome, given, use)
        return planned.model_copy(update={"decided_by": found.by, "caveats": found.caveats})

    async def repair(self, given: RepairInput) -> Repair | None:
        """A changed call, for the categories of errors that a change can mend."""
        return repair(given)


async def _weighed(
    outcome: language.Understood | language.Clarification | language.NotUnderstood,
    given: PlanningInput,
) -> Weighing:
    """The outcome, against the reading that a language model proposes where there is one."""
    if given.proposed is None or given.evidence is None:
        return Weighing(outcome)
    return await weighed(
        outcome,
        given.proposed,
        given.request.intent,
        given.catalogue,
        given.lookup,
        given.evidence,
        today=given.today,
    )


def _planned(understood: language.Understood, given: PlanningInput, use: RecipeUse) -> Planning:
    request = given.request
    draft = draft_plan(
        understood,
        given.catalogue,
        deliverables=request.deliverables,
        row_limit=request.constraints.row_limit,
        timeout_seconds=request.constraints.timeout_seconds,
    )
    links = "; ".join(f"{link.phrase} → {link.target}: {link.reason}" for link in understood.links)
    return Planning(
        understood=understood.summary,
        reason=links or use.reason,
        confidence=_level(understood),
        intent=understood.intent.model_dump(mode="json"),
        draft=with_files(draft, request.deliverables),
        assumptions=understood.assumptions,
        recipe=use,
    )


async def _from_recipe(recipe: Recipe, given: PlanningInput, before: RecipeUse) -> Planning:
    """The plan that a recipe makes; without a draft, why it makes none.

    A recipe that fits the question must fit the data too: when it does not any more, or cannot be
    read, that is its failure.
    """
    identity, failed = recipe.recipe_id, dict(before.failed)
    try:
        question, data = given.request.intent, given.catalogue
        found = await adapted(recipe, question, data, given.lookup, given.today)
        why_not = found.why_not
        if found.intent is not None:
            why_not = await misfit(recipe, found.intent, given.catalogue, given.lookup)
            if not why_not:
                how: Literal["used", "adapted"] = "adapted" if found.changed else "used"
                exact = bool(recipe.exact_question)
                reason = f"fits the recipe {recipe.intent_template!r}"
                if exact:
                    reason = "this very question was answered before"
                use = RecipeUse(
                    recipe_id=identity, how=how, reason=reason, exact=exact, failed=failed
                )
                learnt = None
                if not found.changed:
                    learnt = as_learnt(recipe, given.request, found.intent)
                if learnt is None and not found.intent:
                    why_not = "it is the plan of a language model for other limits"
                    use = RecipeUse(
                        recipe_id=identity, how="refused", reason=why_not, failed=failed
                    )
                    return Planning(recipe=use)
                if learnt is not None:
                    return learnt.model_copy(update={"reason": reason, "recipe": use})
                planning = _remembered(found.intent, given, use, assumed(recipe))
                kept = recipe.plan_structure.get("confidence", planning.confidence)
                return Planning.model_validate({**dict(planning), "confidence": kept})
            failed[identity] = why_not
    except (KeyError, IndexError, TypeError, ValueError) as error:  # whatever its JSON may hold
        why_not = failed[identity] = f"it cannot be read ({type(error).__name__})"
    return Planning(
        recipe=RecipeUse(recipe_id=identity, how="refused", reason=why_not, failed=failed)
    )


def _remembered(
    intent: dict[str, Any], given: PlanningInput, use: RecipeUse, assumptions: tuple[str, ...]
) -> Planning:
    parsed = language.Intent.model_validate(restored(intent, given.catalogue))
    if parsed.chart is not None:  # another column may need another chart
        parsed = charted(parsed, with_columns(given.catalogue, parsed.defined))
    understood = language.Understood(
        intent=parsed,
        summary=summarise(parsed, given.catalogue),
        confidence=1.0,
        assumptions=assumptions,
    )
    return _planned(understood, given, use)


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
    return Failure(
        reason=NOTHING_UNDERSTOOD.code,
        message=outcome.message,
        hint=f"The data holds {listing}."
        if listing
        else "The policy leaves no column to ask about: see --allow-column and --block-pattern.",
    )
