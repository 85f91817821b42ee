"""The built-in reasoner: deterministic, offline, no model."""

from __future__ import annotations

from collections.abc import Sequence

from mesh.errors import NOTHING_TO_FOLLOW
from services.planner.domain.analysis.another_language import as_far_as_read
from services.planner.domain.analysis.decided import decided, planned_from
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
from services.planner.domain.analysis.remembering import by_recipe
from services.planner.domain.analysis.repair import repair
from services.planner.domain.analysis.settling import (
    by_person_first,
    passed_over,
    reading_of,
    settled_by,
)
from services.planner.domain.catalogue import Catalogue, ValueHit
from services.planner.domain.failure import Failure
from services.planner.domain.investigation.iteration import NextStep
from services.planner.domain.investigation.metric_words import WordedMetric, metric_in_words
from services.planner.domain.investigation.next_step import next_step
from services.planner.domain.investigation.request import InvestigationRequest
from services.planner.domain.investigation.step_calls import StepInput
from services.planner.domain.suggestions import Suggestions, SuggestionsInput
from services.planner.ports import RequestLookup


class RulesReasoner:
    """The Reasoner port by rules. Equal inputs give equal decisions, byte for byte."""

    @property
    def name(self) -> str:
        """Who decides."""
        return "rules"

    @property
    def rules(self) -> RulesReasoner:
        """Itself."""
        return self

    async def plan(self, given: PlanningInput) -> Planning:
        """As a person said that the question be read; else from a recipe that fits; else from the
        words of the question."""
        if given.before is not None:
            return await _followed(given, given.before)
        settled, use = settled_by(given), RecipeUse()
        if not settled.is_by_person:
            for recalled in by_person_first(given.recipes):
                if not recalled.exact:
                    continue
                planning = await by_recipe(recalled.recipe, given, use)
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
                return decided(asked, given, settled, use)
            instructions = await by_instructions(given, use)
            if instructions is not None:
                return instructions
        outcome, needed = await reading_of(given, settled)
        decision = decided(outcome, given, needed, use)
        return decision if given.reply else as_far_as_read(decision, given.request.intent)

    async def again(self, planning: Planning, given: PlanningInput) -> Planning:
        """The decision as it is: rules say the same every time."""
        return planning

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

    async def suggest(self, given: SuggestionsInput) -> Suggestions | None:
        """None: rules try what is there in their own order, and know of causes what people say."""
        return None


_SURENESS = ("low", "medium", "high")


def _not_followed(before: Planning) -> Failure | None:
    """Why rules cannot change what a statement answered, which they have no reading of."""
    if before.intent or before.draft is None:
        return None
    who = before.decided_by if before.by_model else "a statement"
    return Failure(
        reason=NOTHING_TO_FOLLOW.code,
        message=f"what was asked before was answered by {who}, and the built-in rules have no "
        "reading of it that words could change",
        hint="Ask the whole question; a language model, where one is configured and there, can go "
        "on from it.",
    )


async def _followed(given: PlanningInput, before: Planning) -> Planning:
    """The reading of another job, changed by the words that follow it."""
    found = _not_followed(before) or await followed(before.intent, given)
    if isinstance(found, Failure):
        return Planning(reason=found.message, failure=found)
    planned = planned_from(found.understood, given, RecipeUse())
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
