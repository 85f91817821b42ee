"""Rules and a language model as one reasoner.

What the rules remember a plan for that was no guess they decide, and no model is asked. For the
rest the model proposes a statement while the rules read the question, and both results are
compared. Of equal ones the rules' plan stands, for more can be told of it and asked of it later; of
two that differ the model's stands, with the rules' reading as a caveat, unless it fails, finds
nothing or leaves most of the question aside. Where the model's stands alone, and one more proposal
could make it sure, the model is asked again. Where the model is away, over its budget or of no use,
the rules decide as they would alone, and that is told too.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable
from dataclasses import replace
from typing import Protocol

from services.planner.adapters.llm.agreement import compared
from services.planner.adapters.llm.ask import NoAnswerError
from services.planner.adapters.llm.at_once import with_the_other
from services.planner.adapters.llm.going_on import going_on, taken_otherwise
from services.planner.adapters.llm.second import asked_again
from services.planner.domain.analysis.planning import (
    Planning,
    PlanningInput,
    RecipeUse,
    Repair,
    RepairInput,
)
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.confidence.seen import Seen
from services.planner.domain.failure import Failure
from services.planner.domain.investigation.iteration import NextStep
from services.planner.domain.investigation.metric_words import WordedMetric
from services.planner.domain.investigation.request import InvestigationRequest
from services.planner.domain.investigation.step_calls import StepInput
from services.planner.domain.proposals.agreeing import Beside
from services.planner.domain.proposals.considered import Compared, Considered, considered
from services.planner.domain.proposals.unbound import find_unread_words
from services.planner.domain.statements.proposal import Proposal
from services.planner.domain.suggestions import Suggestions, SuggestionsInput
from services.planner.ports import Reasoner, RequestLookup

log = logging.getLogger("assay.planner")

# With less time left than this, what a model could mend could not run any more.
_LEAST_SECONDS = 2.0
_LISTED_WORDS = 5
_PAIR = 2
_MENDABLE = frozenset(
    "sql_syntax type_mismatch missing_column resource_exhausted policy_denied "
    "invalid_arguments".split()
)


class Model(Protocol):
    """What decides where rules are not sure. Its methods raise NoAnswerError."""

    @property
    def name(self) -> str:
        """The model as configured."""
        ...

    async def plan(self, given: PlanningInput) -> Planning:
        """A statement as a plan, a question back, or why the data cannot answer."""
        ...

    async def repair(self, given: RepairInput) -> Repair | None:
        """A changed call; None when none could work."""
        ...

    async def suggest(self, given: SuggestionsInput) -> Suggestions:
        """What an investigation or a study might try or doubt."""
        ...


class TogetherReasoner:
    """The Reasoner port by rules first and a model where they are not sure."""

    def __init__(self, rules: Reasoner, model: Model, samples: int = 2) -> None:
        self._rules = rules
        self._model = model
        self._samples = samples

    @property
    def name(self) -> str:
        """Who decides where a decision does not say: the rules."""
        return self._rules.name

    @property
    def rules(self) -> Reasoner:
        """The rules without the model."""
        return self._rules

    async def plan(self, given: PlanningInput) -> Planning:
        """The rules' plan where they remember it, else the model's, else the rules' as it is."""
        if given.without_model:
            assuming = given.request.model_copy(update={"assume": True})
            alone = await self._rules.plan(replace(given, request=assuming, reply=""))
            return _by(self._rules.name, alone)
        answers_model = given.asked is not None and given.asked.by_model
        asking: Awaitable[Planning]
        if answers_model and given.reply:
            # The rules cannot know which of the model's options "2" is.
            assuming = given.request.model_copy(update={"assume": True})
            reading = self._rules.plan(replace(given, request=assuming, reply=""))
            by_rules, asking = await with_the_other(reading, self._model.plan(given))
        elif given.recipes or given.reply:  # then the rules may have settled it
            by_rules = await self._rules.plan(given)
            if _remembered(by_rules) or (given.reply and by_rules.draft is not None):
                return _by(self._rules.name, by_rules)  # what a person chose is not argued with
            asking = self._model.plan(given)
        else:
            reading = self._rules.plan(given)
            by_rules, asking = await with_the_other(reading, self._model.plan(given))
        try:
            by_model = await asking
        except NoAnswerError as failed:
            gave = Planning(model_use=failed.use)
            return self._alone(by_rules, f"The language model gave no plan: {failed.why}", gave)
        if by_model.failure is not None:
            return self._impossible(by_rules, by_model)
        if (otherwise := taken_otherwise(by_model, given)) is not None:
            given = otherwise
            by_rules = await self._rules.plan(given)
        return await self._compared(by_rules, by_model, given)

    async def again(self, planning: Planning, given: PlanningInput) -> Planning:
        """The model's decision with what a second, independent sample of it gives."""
        if self._samples < _PAIR or not planning.by_model:
            return planning
        return await asked_again(self._model, planning, given)

    async def next_step(self, given: StepInput) -> NextStep:
        """The rules' next move: what an investigation does next is no matter of words."""
        return await self._rules.next_step(given)

    async def metric(
        self, request: InvestigationRequest, catalogue: Catalogue, lookup: RequestLookup
    ) -> WordedMetric | None:
        """The metric as the rules read it."""
        return await self._rules.metric(request, catalogue, lookup)

    async def suggest(self, given: SuggestionsInput) -> Suggestions | None:
        """What the model suggests; where it gives nothing that may be used, why."""
        try:
            return await self._model.suggest(given)
        except NoAnswerError as failed:
            return Suggestions(by=self._model.name, failed=failed.why, model_use=failed.use)

    async def repair(self, given: RepairInput) -> Repair | None:
        """The rules' change where they know one, else the model's."""
        found = await self._rules.repair(given)
        if found is not None:
            return found.model_copy(update={"decided_by": self._rules.name})
        mendable = given.observation.error_category in _MENDABLE
        if not mendable or given.seconds_left < _LEAST_SECONDS:
            return None
        try:
            return await self._model.repair(given)
        except NoAnswerError as failed:
            log.warning("step %s is not repaired by the model: %s", given.call.task_id, failed.why)
            return None

    async def _compared(
        self, by_rules: Planning, by_model: Planning, given: PlanningInput
    ) -> Planning:
        """The model's plan, as sure as the rules' reading of the question makes it."""
        if by_model.draft is None:
            return by_model
        seen = Seen(proposer="model", level=by_rules.confidence if by_rules.draft else None)
        own = by_model.model_copy(update={"recipe": _failed_recipes(by_rules), "seen": seen})
        planning = going_on(own, given)
        if rejected := _find_unread_words(by_model, given):
            why = f"The language model read it as {by_model.understood.rstrip('.')}; it makes no "
            return self._alone(by_rules, f"{why}use of {rejected}", by_model)
        if by_rules.draft is None:
            readings = by_rules.clarification
            if readings is None or given.request.assume:
                return planning
            also = "; ".join(readings.options)
            caveat = f"Other readings were possible: {readings.question} {also}"
            return planning.model_copy(update={"caveats": (*planning.caveats, caveat)})
        found = await compared(by_rules.draft, by_model.draft, given)
        if found.compared == "fails":
            return self._alone(by_rules, f"The language model's plan {found.note}", by_model)
        if found.agrees:
            return self._agreed(by_rules, by_model, found)
        apart = f"; they get {found.back}" if found.back else ""
        caveat = f"The built-in rules read the question otherwise: {by_rules.understood}{apart}."
        rules, who = by_rules, self._rules.name
        other = considered(rules.proposal, who, rules.understood, found.compared, found.back)
        seen = planning.seen.model_copy(update={"beside": "other"})
        update = {"caveats": (*planning.caveats, caveat), "others": (other,), "seen": seen}
        return planning.model_copy(update=update)

    def _agreed(self, by_rules: Planning, by_model: Planning, found: Beside) -> Planning:
        """The rules' plan, of which is known that what the model proposed gives the same."""
        update = {
            "seen": by_rules.seen.model_copy(update={"beside": "same"}),
            "caveats": (*by_rules.caveats, *by_model.caveats),
            "model_use": by_model.model_use,
            "proposal": by_rules.proposal or by_model.proposal,
            "others": (self._beside(by_model, found.compared, found.note),),
            "said": by_model.said,
        }
        return _by(self._rules.name, by_rules.model_copy(update=update))

    def _impossible(self, by_rules: Planning, by_model: Planning) -> Planning:
        """The model says that the data cannot answer: the rules may have a plan all the same."""
        reason = by_model.failure.message if by_model.failure is not None else ""
        if by_rules.failure is not None:
            failure = Failure(
                reason=by_rules.failure.reason, message=reason, hint=by_rules.failure.hint
            )
            return by_model.model_copy(
                update={"failure": failure, "recipe": _failed_recipes(by_rules)}
            )
        if by_rules.draft is not None and by_rules.confidence == "low" and by_model.failure:
            # Two doubts: that of the rules in their reading, and that there is an answer at all.
            read = f"The built-in rules would read it as: {by_rules.understood.rstrip('.')}."
            hint = f"{by_model.failure.hint} {read}".strip()
            failure = by_model.failure.model_copy(update={"hint": hint})
            return by_model.model_copy(
                update={"failure": failure, "recipe": _failed_recipes(by_rules)}
            )
        alone = self._alone(by_rules, f"The language model would not plan: {reason}", by_model)
        seen = by_rules.seen.model_copy(update={"denied": True})
        return alone.model_copy(update={"seen": seen})

    def _alone(self, by_rules: Planning, caveat: str, by_model: Planning) -> Planning:
        """The rules' decision, with why the model's does not stand."""
        why = f"{caveat.rstrip('.')}"
        caveat = f"{why}. The built-in rules decided."
        update: dict[str, object] = {
            "caveats": (*by_rules.caveats, caveat),
            "model_use": by_model.model_use,
            "others": (self._beside(by_model, "fails", why),) if by_model.proposal else (),
        }
        if by_rules.failure is not None:
            hint = f"{by_rules.failure.hint} {caveat}".strip()
            update["failure"] = by_rules.failure.model_copy(update={"hint": hint})
        return _by(self._rules.name, by_rules.model_copy(update=update))

    def _beside(self, by_model: Planning, how: Compared, text: str) -> Considered:
        return considered(by_model.proposal, self._model.name, by_model.understood, how, text)


def _find_unread_words(by_model: Planning, given: PlanningInput) -> str:
    """Words that the model's statement says nothing of, where these are most of the question."""
    if by_model.proposal is None:
        return ""
    words = given.messages[-1] if given.in_sight is not None else "\n".join(given.messages)
    left = find_unread_words(words, Proposal.model_validate(by_model.proposal))
    return ", ".join(f'"{word}"' for word in left[:_LISTED_WORDS])


def _remembered(by_rules: Planning) -> bool:
    """Whether no model is asked. What is remembered worked, but worked does not mean understood:
    a plan that was a guess when it was made is still one."""
    used = by_rules.recipe.how in ("used", "adapted")
    return by_rules.draft is not None and used and by_rules.confidence != "low"


def _by(name: str, planning: Planning) -> Planning:
    return planning.model_copy(update={"decided_by": name})


def _failed_recipes(by_rules: Planning) -> RecipeUse:
    """What the rules found of recipes: that one failed must be told, whoever plans."""
    return by_rules.recipe if by_rules.recipe.how in ("refused", "none") else RecipeUse()
