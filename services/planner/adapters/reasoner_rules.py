"""The built-in reasoner: deterministic, offline, no model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from mesh.errors import NOTHING_UNDERSTOOD
from services.planner.domain.analysis.adapting import adapted, as_learnt, assumed, restored
from services.planner.domain.analysis.deliver import with_files
from services.planner.domain.analysis.following import followed
from services.planner.domain.analysis.instructing import by_instructions
from services.planner.domain.analysis.planning import (
    GOES_ON_FROM,
    Planning,
    PlanningInput,
    RecipeUse,
    Repair,
    RepairInput,
)
from services.planner.domain.analysis.recipe import Recipe
from services.planner.domain.analysis.repair import repair
from services.planner.domain.analysis.settled import Settled
from services.planner.domain.analysis.settling import (
    Outcome,
    by_person_first,
    passed_over,
    reading_of,
    remembered_of,
    settled_by,
)
from services.planner.domain.analysis.trial import misfit
from services.planner.domain.catalogue import Catalogue, ValueHit
from services.planner.domain.causal.advice import Advice, AdviceInput
from services.planner.domain.investigation.iteration import NextStep
from services.planner.domain.investigation.metric_words import WordedMetric, metric_in_words
from services.planner.domain.investigation.next_step import StepInput, next_step
from services.planner.domain.investigation.request import InvestigationRequest
from services.planner.domain.job import Clarification, Failure
from services.planner.domain.language import intent as language
from services.planner.domain.language.defining.definitions import with_columns
from services.planner.domain.language.planning.chart import charted
from services.planner.domain.language.planning.draft import draft_plan
from services.planner.domain.language.planning.summary import summarise
from services.planner.domain.reader.choice import thresholds
from services.planner.domain.reader.proposed import Weighing, weighed
from services.planner.ports import RequestLookup

_SURE, _FAIRLY_SURE = 0.75, 0.5
_TABLES_NAMED = 6
_NOTHING_SAID = Settled()


class RulesReasoner:
    """The Reasoner port by rules. Equal inputs give equal decisions, byte for byte."""

    @property
    def name(self) -> str:
        """Who decides."""
        return "rules"

    async def plan(self, given: PlanningInput) -> Planning:
        """As a person said that the question be read; else from a recipe that fits; else from the
        words of the question."""
        if given.before is not None:
            return await _followed(given, given.before)
        said, use = settled_by(given), RecipeUse()
        if not said.said:
            for recalled in by_person_first(given.recipes):
                if not recalled.exact:
                    continue
                planning = await _from_recipe(recalled.recipe, given, use)
                use = planning.recipe
                if planning.draft is None:
                    continue
                asked = await passed_over(recalled.recipe, use, given)
                if asked is None:
                    return planning
                why = "it would pass over a question back that nobody has answered"
                use = RecipeUse(
                    recipe_id=use.recipe_id, how="refused", reason=why, failed=use.failed
                )
                return _outcome(asked, given, said, use)
            instructions = await by_instructions(given, use)
            if instructions is not None:
                return instructions
        outcome, needed = await reading_of(given, said)
        found = Weighing(outcome) if said.said else await _weighed(outcome, given)
        planned = _outcome(found.outcome, given, needed, use)
        return planned.model_copy(update={"decided_by": found.by, "caveats": found.caveats})

    async def repair(self, given: RepairInput) -> Repair | None:
        """A changed call, for the categories of errors that a change can mend."""
        return repair(given)

    async def next_step(self, given: StepInput) -> NextStep:
        """The next move of an investigation."""
        return next_step(given)

    async def metric(
        self, request: InvestigationRequest, catalogue: Catalogue, lookup: RequestLookup
    ) -> WordedMetric | None:
        """The metric that words mean; None where they mean none."""

        async def values(phrases: Sequence[str]) -> Sequence[ValueHit]:
            return await lookup(request, phrases)

        return await metric_in_words(
            request.metric_sql, catalogue, values, request.timestamp.date()
        )

    async def causal_knowledge(self, given: AdviceInput) -> Advice | None:
        """None: rules know of causes what people say."""
        return None

    async def causal_arguments(self, given: AdviceInput) -> Advice | None:
        """None: the critique has the arguments of rules."""
        return None


_SURENESS = ("low", "medium", "high")


async def _followed(given: PlanningInput, before: Planning) -> Planning:
    """The reading of another job, changed by the words that follow it."""
    found = await followed(before.intent, given)
    if isinstance(found, Failure):
        return Planning(reason=found.message, failure=found)
    planned = _planned(found.understood, given, RecipeUse())
    doubt: tuple[str, ...] = ()
    if before.confidence != "high":
        doubt = (f"{GOES_ON_FROM} “{before.understood}”, which is not certain",)
        if before.assumptions and before.assumptions[0].startswith(GOES_ON_FROM):
            doubt = before.assumptions[:1]  # the first question is the one that is doubtful
    return planned.model_copy(
        update={
            "confidence": min(before.confidence, planned.confidence, key=_SURENESS.index),
            "edit": found.edit,
            "reason": f"changes the reading of the question before: {found.edit}",
            "assumptions": (*doubt, *planned.assumptions),
        }
    )


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


def _outcome(outcome: Outcome, given: PlanningInput, said: Settled, use: RecipeUse) -> Planning:
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
    return _planned(outcome, given, use, said)


def _planned(
    understood: language.Understood,
    given: PlanningInput,
    use: RecipeUse,
    said: Settled = _NOTHING_SAID,
) -> Planning:
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
        settled=said,
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
                exact, said = bool(recipe.exact_question), remembered_of(recipe)
                reason = f"fits the recipe {recipe.intent_template!r}"
                if exact:
                    reason = said.told if said.said else "this very question was answered before"
                use = RecipeUse(
                    recipe_id=identity, how=how, reason=reason, exact=exact, failed=failed
                )
                if recipe.plan_structure.get("read_again"):
                    return await _read_again(said, given, use)
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
                    told = (*((said.told,) if said.said else ()), *learnt.assumptions)
                    return learnt.model_copy(
                        update={"reason": reason, "recipe": use, "assumptions": told}
                    )
                told = (*((said.told,) if said.said else ()), *assumed(recipe))
                planning = _remembered(found.intent, given, use, told)
                kept = recipe.plan_structure.get("confidence", planning.confidence)
                return Planning.model_validate({**dict(planning), "confidence": kept})
            failed[identity] = why_not
    except (KeyError, IndexError, TypeError, ValueError) as error:  # whatever its JSON may hold
        why_not = failed[identity] = f"it cannot be read ({type(error).__name__})"
    return Planning(
        recipe=RecipeUse(recipe_id=identity, how="refused", reason=why_not, failed=failed)
    )


async def _read_again(said: Settled, given: PlanningInput, use: RecipeUse) -> Planning:
    """What a person said, of the same words on another day: "last month" is another one by now."""
    outcome, _ = await reading_of(given, said)
    if not isinstance(outcome, language.Understood):
        why = "what was said of it then fits none of its readings today"
        return Planning(recipe=use.model_copy(update={"how": "refused", "reason": why}))
    told = (said.told, *outcome.assumptions)
    return _planned(outcome.model_copy(update={"assumptions": told}), given, use)


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
    offered = ", or ".join(f'"{question}"' for question in outcome.nearest)
    offer = f"Near to it can be answered: {offered}. " if offered else ""
    return Failure(
        reason=NOTHING_UNDERSTOOD.code,
        message=outcome.message,
        hint=f"{offer}The data holds {listing}."
        if listing
        else "The policy leaves no column to ask about: see --allow-column and --block-pattern.",
    )
