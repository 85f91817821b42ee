"""Decisions by a language model: proposed by it, checked here, and its own only if they hold."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from mesh import context as calls
from mesh.errors import NOTHING_UNDERSTOOD
from mesh.policy import Disclosure
from services.planner.adapters.llm.accepting import accepted, problems, tests_of
from services.planner.adapters.llm.ask import Ask, Asks, NoAnswerError
from services.planner.adapters.llm.checking import Grounds
from services.planner.adapters.llm.describing import FEW_TABLES, described, visible
from services.planner.adapters.llm.earlier import hidden
from services.planner.adapters.llm.findings import GivenBack
from services.planner.adapters.llm.forms import ProposedAnswer, ProposedRepair
from services.planner.adapters.llm.looking_up import LookUps
from services.planner.adapters.llm.numbers import known_numbers
from services.planner.adapters.llm.prompt import (
    REPAIRING,
    answering,
    answering_prompt,
    repair_prompt,
)
from services.planner.adapters.llm.proposing import list_texts
from services.planner.adapters.llm.relevance import phrases_of
from services.planner.adapters.llm.suggesting import suggestions
from services.planner.domain.analysis.edited import edited
from services.planner.domain.analysis.in_sight import statement_in_sight
from services.planner.domain.analysis.planning import (
    Planning,
    PlanningInput,
    RecipeUse,
    Repair,
    RepairInput,
)
from services.planner.domain.analysis.settled import Settled
from services.planner.domain.analysis.settling import settled_by
from services.planner.domain.catalogue import Catalogue, ValueHit
from services.planner.domain.clarification import Clarification
from services.planner.domain.confidence.seen import Seen
from services.planner.domain.failure import Failure
from services.planner.domain.model_use import ModelUse
from services.planner.domain.proposals.alternatives import describe_alternatives
from services.planner.domain.question import AnalysisRequest
from services.planner.domain.suggestions import Suggestions, SuggestionsInput
from services.planner.domain.tooling import ToolDescription

_TABLE_TOKENS, _FEWEST_TABLES = 240, 10
"""Most tokens that describe the data for each table, and for how many at least: a prompt about ten
tables stays below 12 KB."""
_TESTING = "stats.test"

# Of the time a job has left the model may take this share, or all but so many seconds where that
# is more: what it plans must still run.
_SHARE, _FOR_THE_REST_SECONDS = 0.5, 30.0


@dataclass(frozen=True)
class Limits:
    """How long a prompt is, what of the data is told, and how often more may be looked up."""

    prompt_tokens: int
    disclosure: Disclosure
    lookups: int


_HIDDEN = "what was asked before is of something that this request may not see"


ListTools = Callable[[], Awaitable[Sequence[ToolDescription]]]


class LanguageModel:
    """Plans and repairs by asking a model. Every method raises NoAnswerError when it gives
    nothing that may be used."""

    def __init__(
        self, asker: Asks, list_tools: ListTools, allowed: Sequence[str], limits: Limits
    ) -> None:
        self._asker = asker
        self._list_tools = list_tools
        self._allowed = frozenset(allowed)
        self._limits = limits

    @property
    def name(self) -> str:
        """The model as configured, such as `openai:gpt-5`."""
        return self._asker.name

    async def plan(self, given: PlanningInput) -> Planning:
        """A statement as a plan, a question back, or why the data cannot answer."""
        *earlier, now = given.messages
        request = given.request.model_copy(update={"intent": "\n".join((now, *earlier))})
        level = request.policy.disclosure.within(self._limits.disclosure)
        in_sight = statement_in_sight(given.in_sight) if given.in_sight is not None else ""
        if await asyncio.to_thread(hidden, in_sight, given.catalogue, request, level):
            raise NoAnswerError(_HIDDEN, ModelUse(model=self.name))
        hits = await given.lookup(phrases_of(request.intent))
        clean = [hit for hit in hits if _permitted(hit, request)]
        most = min(
            self._limits.prompt_tokens,
            _TABLE_TOKENS * max(_FEWEST_TABLES, len(given.catalogue.tables)),
        )
        data, shown = await asyncio.to_thread(_card, given.catalogue, request, clean, most, level)
        if not level.allows(Disclosure.VALUES):
            clean = []
        grounds = await self._grounds(request, shown, clean, given.reply, in_sight, *_asked(given))
        looks = LookUps(given, grounds, level, self._limits.lookups)
        testing = grounds.tools.get(_TESTING)
        tests = tests_of(testing.arguments_schema) if testing is not None else ()
        seconds = _for_model(calls.current().seconds_left(request.constraints.timeout_seconds))
        ask = Ask(
            job_id=request.request_id,
            purpose="plan",
            instructions=answering(tests, level, self._limits.lookups),
            prompt=answering_prompt(given, data, level),
            form=ProposedAnswer,
            problems=lambda form: self._problems(form, looks.grounds, given),
            judged=GivenBack(given, self.name, level),
            lookups=looks,
            seconds=seconds,
            job_seconds=seconds,
        )
        form, use = await self._asker.ask(ask)
        planning = await self._planning(form, use, looks.grounds, given)
        also = (f"{use.fell_back}. {use.last} answered.",) if use.fell_back else ()
        update = {
            "disclosure": str(level),
            "lookups": tuple(looks.made),
            "caveats": (*planning.caveats, *also),
        }
        return planning.model_copy(update=update)

    async def repair(self, given: RepairInput) -> Repair | None:
        """A changed call that passes the same checks as a new one; None when none could work."""
        request, call = given.request, given.call
        written = [str(value) for value in call.arguments.values()]
        question = f"{request.intent} {call.arguments.get('query', '')}"
        level = request.policy.disclosure.within(self._limits.disclosure)
        most = self._limits.prompt_tokens
        seen = await asyncio.to_thread(visible, given.catalogue, request.policy)
        data, shown = await asyncio.to_thread(
            described, seen, request.policy, question, [], most, level=level
        )
        grounds = await self._grounds(request, shown, [], *written)
        if call.tool_name not in grounds.tools:
            return None

        def wrong(proposed: ProposedRepair) -> list[str]:
            if not proposed.possible:
                return []
            found = grounds.call_problems(call.tool_name, proposed.arguments)
            found += [
                f"the reason states a number: {number}"
                for number in grounds.known.foreign(proposed.reason)
            ]
            same = proposed.arguments == call.arguments
            return [*found, "nothing was changed"] if same else found

        ask = Ask(
            job_id=request.request_id,
            purpose="repair",
            instructions=REPAIRING,
            prompt=repair_prompt(given, data, grounds.tools[call.tool_name], level),
            form=ProposedRepair,
            problems=wrong,
            seconds=_for_model(given.seconds_left),
        )
        proposed, use = await self._asker.ask(ask)
        if not proposed.possible:
            return None
        return Repair(
            arguments=_limited(proposed.arguments, call.arguments),
            reason=proposed.reason or "the call was changed",
            decided_by=use.last,
            model_use=use,
        )

    async def suggest(self, given: SuggestionsInput) -> Suggestions:
        """What an investigation or a study might try or doubt, as the model supposes it."""
        limits = self._limits
        return await suggestions(self._asker, given, limits.prompt_tokens, limits.disclosure)

    async def _grounds(
        self,
        request: AnalysisRequest,
        shown: Catalogue,
        hits: Sequence[ValueHit],
        *texts: str,
    ) -> Grounds:
        tools = {t.name: t for t in await self._list_tools() if t.name in self._allowed}
        known = await asyncio.to_thread(known_numbers, [request.intent, *texts], shown, hits)
        return Grounds(request, shown, tools, known)

    def _problems(self, form: ProposedAnswer, grounds: Grounds, given: PlanningInput) -> list[str]:
        if form.kind == "question" and given.reply:
            return ["a person was asked already: answer, and state in assumptions what is open"]
        return problems(form, grounds, self.name)

    async def _planning(
        self, form: ProposedAnswer, use: ModelUse, grounds: Grounds, given: PlanningInput
    ) -> Planning:
        common = Planning(
            reason=form.reason or form.interpretation,
            confidence="medium",
            recipe=RecipeUse(),
            decided_by=use.last,
            model_use=use,
            seen=Seen(proposer="model"),
        )
        if form.kind == "question":
            asked = Clarification(question=form.question, options=form.options)
            return common.model_copy(update={"clarification": asked})
        if form.kind == "impossible":
            failure = Failure(reason=NOTHING_UNDERSTOOD.code, message=form.reason)
            return common.model_copy(update={"failure": failure})
        found = await asyncio.to_thread(accepted, form, grounds, use.last)
        texts = list_texts(form, given)
        text = edited(found.proposal.statement, texts, given.in_sight, given.catalogue).note
        update = {
            "said": texts,
            "settled": settled_by(given) if given.request.corrections else Settled(),
            "edit": text,
            "understood": found.proposal.interpretation,
            "intent": found.intent.model_dump(mode="json") if found.intent is not None else {},
            "draft": found.draft,
            "assumptions": (*([text] if text else ()), *found.proposal.assumptions),
            "caveats": await describe_alternatives(found.proposal, given.evidence),
            "proposal": found.proposal.model_dump(mode="json"),
        }
        return common.model_copy(update=update)


def _card(
    catalogue: Catalogue,
    request: AnalysisRequest,
    hits: Sequence[ValueHit],
    most: int,
    level: Disclosure,
) -> tuple[str, Catalogue]:
    """The data as the prompt tells of it, and what of it that is: in full, or where that leaves
    tables or columns out of the prompt, without long domains, or briefly."""
    seen = visible(catalogue, request.policy)
    known_partial = partial(
        described, seen, request.policy, request.intent, hits, most, level=level
    )
    full = known_partial()
    if _width(full[1]) == _width(seen):
        return full
    if len(seen.tables) <= FEW_TABLES:
        shorter = known_partial(domains=False)
        if _width(shorter[1]) == _width(seen):
            return shorter
    brief = known_partial(brief=True)
    return brief if _width(brief[1]) > _width(full[1]) else full


def _width(shown: Catalogue) -> int:
    """How many columns there are, in all tables."""
    return sum(len(table.columns) for table in shown.tables)


def _for_model(left: float) -> float:
    """Seconds that the model may take of those that a job has left."""
    return max(_SHARE * left, left - _FOR_THE_REST_SECONDS)


def _asked(given: PlanningInput) -> list[str]:
    """The words of an earlier question back."""
    asked = given.asked.clarification if given.asked is not None else None
    return [] if asked is None else [asked.question, *asked.options]


def _permitted(hit: ValueHit, request: AnalysisRequest) -> bool:
    policy = request.policy
    return policy.column_allowed(hit.table, hit.column) and policy.match(hit.value) is None


def _limited(proposed: Mapping[str, object], failed: Mapping[str, object]) -> dict[str, object]:
    """A changed call keeps the limits that the failed one had."""
    limits = {key: failed[key] for key in ("timeout", "row_limit") if key in failed}
    return {**proposed, **limits}
