"""Decisions by a language model: proposed by it, checked here, and its own only if they hold."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence

from mesh import context as calls
from mesh.errors import NOTHING_UNDERSTOOD
from services.planner.adapters.llm.ask import Ask, Asks, NoAnswerError
from services.planner.adapters.llm.causes import arguments, knowledge
from services.planner.adapters.llm.checking import Grounds
from services.planner.adapters.llm.describing import described
from services.planner.adapters.llm.findings import GivenBack
from services.planner.adapters.llm.numbers import known_numbers
from services.planner.adapters.llm.prompt import (
    PLANNING,
    READING,
    REPAIRING,
    planning_prompt,
    reading_prompt,
    repair_prompt,
)
from services.planner.adapters.llm.proposal import Proposal, ProposedRepair
from services.planner.adapters.llm.read import Read
from services.planner.adapters.llm.reading import ProposedReading
from services.planner.adapters.llm.reading_grounds import ReadingGrounds
from services.planner.adapters.llm.relevance import phrases_of
from services.planner.domain.analysis.deliver import with_files
from services.planner.domain.analysis.planning import (
    Planning,
    PlanningInput,
    RecipeUse,
    Repair,
    RepairInput,
)
from services.planner.domain.analysis.request import AnalysisRequest
from services.planner.domain.catalogue import Catalogue, ValueHit
from services.planner.domain.causal.advice import Advice, AdviceInput
from services.planner.domain.clarification import Clarification
from services.planner.domain.job import Failure
from services.planner.domain.model_use import ModelUse, total_use
from services.planner.domain.tooling import ToolDescription

_READING_TOKENS = 1_200
"""Most tokens that describe the data where a reading is asked for: with the form and what is asked
of it, a prompt stays below 2,500."""

# Of the time a job has left, the model may take this share: what it plans must still run.
_SHARE = 0.5

ListTools = Callable[[], Awaitable[Sequence[ToolDescription]]]


class LanguageModel:
    """Reads, plans and repairs by asking a model. Every method raises NoAnswerError when it gives
    nothing that may be used."""

    def __init__(
        self, asker: Asks, list_tools: ListTools, allowed: Sequence[str], prompt_tokens: int
    ) -> None:
        self._asker = asker
        self._list_tools = list_tools
        self._allowed = frozenset(allowed)
        self._prompt_tokens = prompt_tokens

    @property
    def name(self) -> str:
        """The model as configured, such as `openai:gpt-5`."""
        return self._asker.name

    async def read(self, given: PlanningInput) -> Read:
        """What the question means as a reading that fits the data; or that it takes a plan, or why
        the data cannot answer."""
        request = given.request
        hits = await given.lookup(phrases_of(request.intent))
        clean = [hit for hit in hits if _permitted(hit, request)]
        most = min(_READING_TOKENS, self._prompt_tokens)
        data, shown = await asyncio.to_thread(
            described, given.catalogue, request.policy, request.intent, clean, most, brief=True
        )
        grounds = await asyncio.to_thread(ReadingGrounds, given, shown, clean)
        ask = Ask(
            job_id=request.request_id,
            purpose="read",
            instructions=READING,
            prompt=reading_prompt(given, data),
            form=ProposedReading,
            problems=grounds.problems,
            seconds=_SHARE * calls.current().seconds_left(request.constraints.timeout_seconds),
            call="read",
        )
        form, use = await self._asker.ask(ask)
        if form.kind == "reading":
            return Read(use, grounds.proposed(form, self.name))
        return Read(use, reason=form.reason if form.kind == "impossible" else "")

    async def plan(
        self,
        given: PlanningInput,
        rules_asked: Clarification | None = None,
        before: ModelUse | None = None,
    ) -> Planning:
        """A plan, a question back, or why the data cannot answer. `before` is what the model took
        of this decision's time and budget already."""
        request = given.request
        hits = await given.lookup(phrases_of(request.intent))
        clean = [hit for hit in hits if _permitted(hit, request)]
        data, shown = await self._described(given.catalogue, request, request.intent, clean)
        grounds = await self._grounds(request, shown, clean, given.reply, *_asked(given))
        ask = Ask(
            job_id=request.request_id,
            purpose="plan",
            instructions=PLANNING,
            prompt=planning_prompt(given, data, list(grounds.tools.values()), rules_asked),
            form=Proposal,
            problems=lambda proposal: _problems(grounds, proposal, given),
            judged=GivenBack(given) if given.evidence is not None else None,
            seconds=_SHARE * calls.current().seconds_left(request.constraints.timeout_seconds),
            waited=before.seconds if before is not None else 0.0,
        )
        try:
            proposal, use = await self._asker.ask(ask)
        except NoAnswerError as failed:
            raise NoAnswerError(failed.why, total_use((before, failed.use)) or failed.use) from None
        return self._planning(proposal, total_use((before, use)) or use, grounds)

    async def repair(self, given: RepairInput) -> Repair | None:
        """A changed call that passes the same checks as a new one; None when none could work."""
        request, call = given.request, given.call
        written = [str(value) for value in call.arguments.values()]
        question = f"{request.intent} {call.arguments.get('query', '')}"
        data, shown = await self._described(given.catalogue, request, question, [])
        grounds = await self._grounds(request, shown, [], *written)
        if call.tool_name not in grounds.tools:
            return None

        def problems(proposed: ProposedRepair) -> list[str]:
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
            prompt=repair_prompt(given, data, grounds.tools[call.tool_name]),
            form=ProposedRepair,
            problems=problems,
            seconds=_SHARE * given.seconds_left,
        )
        proposed, use = await self._asker.ask(ask)
        if not proposed.possible:
            return None
        return Repair(
            arguments=_limited(proposed.arguments, call.arguments),
            reason=proposed.reason or "the call was changed",
            decided_by=self.name,
            model_use=use,
        )

    async def causal_knowledge(self, given: AdviceInput) -> Advice:
        """Order in time, edges and instruments, as the model supposes them."""
        return await knowledge(self._asker, given)

    async def causal_arguments(self, given: AdviceInput) -> Advice:
        """What the model would have a defender and a sceptic say."""
        return await arguments(self._asker, given)

    async def _described(
        self,
        catalogue: Catalogue,
        request: AnalysisRequest,
        question: str,
        hits: Sequence[ValueHit],
    ) -> tuple[str, Catalogue]:
        """The data as the prompt tells of it, and what of it that is: beside the event loop."""
        most = self._prompt_tokens
        return await asyncio.to_thread(described, catalogue, request.policy, question, hits, most)

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

    def _planning(self, proposal: Proposal, use: ModelUse, grounds: Grounds) -> Planning:
        common = Planning(
            reason=proposal.reason or proposal.understood,
            confidence="medium",
            recipe=RecipeUse(),
            decided_by=self.name,
            model_use=use,
        )
        if proposal.kind == "question":
            asked = Clarification(question=proposal.question, options=proposal.options)
            return common.model_copy(update={"clarification": asked})
        if proposal.kind == "impossible":
            failure = Failure(reason=NOTHING_UNDERSTOOD.code, message=proposal.reason)
            return common.model_copy(update={"failure": failure})
        draft = with_files(grounds.draft(proposal), grounds.request.deliverables)
        update = {
            "understood": proposal.understood,
            "draft": draft,
            "assumptions": proposal.assumptions,
        }
        return common.model_copy(update=update)


def _problems(grounds: Grounds, proposal: Proposal, given: PlanningInput) -> list[str]:
    if proposal.kind == "question" and given.reply:
        return ["a person was asked already: plan, and state in assumptions what is left open"]
    return grounds.problems(proposal)


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
