"""The plan that a recipe makes for a question, where it fits the question and the data."""

from __future__ import annotations

from typing import Any, Literal

from services.planner.domain.analysis.adapting import (
    adapted,
    as_learnt,
    assumed,
    restored,
    seen_of,
)
from services.planner.domain.analysis.decided import planned_from, proposed
from services.planner.domain.analysis.planning import Planning, PlanningInput, RecipeUse
from services.planner.domain.analysis.recipe import Recipe
from services.planner.domain.analysis.settled import Settled
from services.planner.domain.analysis.settling import reading_of, remembered_of
from services.planner.domain.analysis.trial import misfit
from services.planner.domain.charts.choosing import charted
from services.planner.domain.query import intent as language
from services.planner.domain.query.defining.columns import with_columns
from services.planner.domain.query.planning.summary import summarise


async def by_recipe(recipe: Recipe, given: PlanningInput, before: RecipeUse) -> Planning:
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
                exact, settled = bool(recipe.exact_question), remembered_of(recipe)
                reason = f"fits the recipe {recipe.intent_template!r}"
                if exact:
                    reason = (
                        settled.description
                        if settled.is_by_person
                        else "this very question was answered before"
                    )
                use = RecipeUse(
                    recipe_id=identity, how=how, reason=reason, exact=exact, failed=failed
                )
                if recipe.plan_structure.get("read_again"):
                    return await _read_again(settled, given, use)
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
                    values = (
                        *((settled.description,) if settled.is_by_person else ()),
                        *learnt.assumptions,
                    )
                    proposal = proposed(learnt.understood, learnt.draft, given, use)
                    update = {"reason": reason, "recipe": use, "assumptions": values}
                    return learnt.model_copy(update={**update, "proposal": proposal})
                values = (
                    *((settled.description,) if settled.is_by_person else ()),
                    *assumed(recipe),
                )
                planning = _remembered(found.intent, given, use, values)
                kept = recipe.plan_structure.get("confidence", planning.confidence)
                changed = {"confidence": kept, "seen": seen_of(recipe)}
                return Planning.model_validate({**dict(planning), **changed})
            failed[identity] = why_not
    except (KeyError, IndexError, TypeError, ValueError) as error:  # whatever its JSON may hold
        why_not = failed[identity] = f"it cannot be read ({type(error).__name__})"
    return Planning(
        recipe=RecipeUse(recipe_id=identity, how="refused", reason=why_not, failed=failed)
    )


async def _read_again(settled: Settled, given: PlanningInput, use: RecipeUse) -> Planning:
    """What a person said, of the same words on another day: "last month" is another one by now."""
    outcome, _ = await reading_of(given, settled)
    if not isinstance(outcome, language.Understood):
        why = "what was said of it then fits none of its readings today"
        return Planning(recipe=use.model_copy(update={"how": "refused", "reason": why}))
    texts = (settled.description, *outcome.assumptions)
    planned = planned_from(outcome.model_copy(update={"assumptions": texts}), given, use)
    how = {"chosen": bool(settled.choice), "corrected": bool(settled.corrections)}
    return planned.model_copy(update={"seen": planned.seen.model_copy(update=how)})


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
    return planned_from(understood, given, use)
