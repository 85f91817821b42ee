"""One turn of a conversation: judged, given to a job, followed, and answered.

What a message is taken for is recorded with its job in the same transaction: who repeats the
request, after a crash or a lost stream, goes on with the same job.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from mesh import context as calls
from mesh.clock import Clock
from mesh.errors import REASONS, TIMEOUT, AssayError
from mesh.ids import derived_id
from services.planner.app import Planner
from services.planner.conversing.inquiring import Inquiring
from services.planner.conversing.offering import Offering
from services.planner.conversing.past import ANSWERED, Past, past_of, planning_of
from services.planner.conversing.resolving import Resolving
from services.planner.conversing.responses import Responses, reading_of
from services.planner.conversing.to_domains import (
    ToDomains,
    TurnLimits,
    describe_routing,
    refused_domain,
)
from services.planner.domain.conversation.response import Response, refusal
from services.planner.domain.conversation.turn import Judgement, Otherwise, Standing, TurnKind
from services.planner.domain.conversation.turn_input import Reading, Turn
from services.planner.domain.decision import Decision
from services.planner.domain.failure import Failure
from services.planner.domain.jobs.job import Belonging, Job, JobEvent, JobFilter
from services.planner.domain.jobs.kinds import Work
from services.planner.domain.question import AnalysisRequest, analysis_of
from services.planner.jobs.collaborators import Collaborators

TurnEvent = Reading | JobEvent | Response
_LOOKED_AT = 10
"""Jobs of a conversation, from the newest, among which what was said before is looked for."""


class Conversing:
    """Takes turns in conversations, for the caller of the running call."""

    def __init__(
        self,
        planner: Planner,
        with_: Collaborators,
        clock: Clock,
        limits: TurnLimits,
        domains: ToDomains,
    ) -> None:
        self._planner = planner
        self._with = with_
        self._clock = clock
        self._limits = limits
        self._resolving = Resolving(with_)
        self._domains = domains
        self._offering = Offering(planner, with_, clock, limits.suggest_seconds)
        self.responses = Responses(with_.jobs)
        self.inquiring = Inquiring(with_, clock)

    async def turn(self, turn: Turn) -> AsyncGenerator[TurnEvent]:
        """How the message was read, the events of its job, and the response.

        The response comes within the time of a turn, also when the job has not ended by then: it
        goes on. Raises AssayError as `Planner.create`, `answer` and `watch` do.
        """
        began = self._clock.monotonic()
        try:
            async with asyncio.timeout(self._limits.turn_seconds):
                decision = await self._decided(turn)
        except TimeoutError as error:
            seconds = self._limits.turn_seconds
            raise AssayError(TIMEOUT, f"the message was not read within {seconds:g} s") from error
        if isinstance(decision, tuple):
            judgement, jobs = decision
            yield Reading(judgement.kind, judgement.reason)
            yield await self.inquiring.turn(turn, jobs)
            return
        if isinstance(decision, Judgement):
            yield Reading(decision.kind, decision.reason)
            failure = Failure(
                reason=decision.rule,
                message=decision.refused,
                hint=REASONS[decision.rule].remedy,
            )
            yield refusal(failure, self._clock.monotonic() - began, decision.routing)
            return
        yield reading_of(decision)
        after = max(int(decision.given["after"]), turn.after)
        left = calls.current().seconds_left(self._limits.turn_seconds)
        until = began + min(self._limits.turn_seconds, left) - self._limits.suggest_seconds - 1.0
        async with aclosing(self._events(decision.job_id, after, until)) as events:
            async for event in events:
                after = max(after, event.sequence)
                yield event
        job = await self._planner.get(decision.job_id)
        if job.state in ANSWERED:
            await self._offering.offer(job, after)
        response = await self.responses.of(job, after)
        yield response.model_copy(update={"seconds": self._clock.monotonic() - began})

    async def _events(self, job_id: str, after: int, until: float) -> AsyncGenerator[JobEvent]:
        """The job's events until it has ended, waits, or the turn's time is over."""
        async with aclosing(self._planner.watch(job_id, after)) as watched:
            while True:
                try:
                    left = max(0.0, until - self._clock.monotonic())
                    yield await asyncio.wait_for(anext(watched), left)
                except (StopAsyncIteration, TimeoutError):
                    return

    async def _decided(self, turn: Turn) -> Decision | Judgement | tuple[Judgement, list[Job]]:
        """The decision on the turn with its job begun: the recorded one, if there is one.

        Of a turn that asks about jobs, what it was judged with those jobs: it makes none.
        """
        page = await self._said(turn)
        decision_id = derived_id(turn.request.request_id, "turn")
        for job in page:
            if job.turn > turn.number:
                continue
            for decision in await self._with.jobs.decisions(job.job_id):
                if decision.decision_id == decision_id:
                    return decision
        earlier = [job for job in page if job.turn < turn.number]
        about = await self.inquiring.judged(turn, earlier)
        if about is not None:
            return about[0] if about[0].refused else about
        past = await past_of(self._with.jobs, earlier)
        judgement = await asyncio.to_thread(_judged, turn, past.standing)
        if judgement.refused:
            return judgement
        return await self._begun(turn, past, judgement, decision_id)

    async def _said(self, turn: Turn) -> list[Job]:
        """The newest jobs of the conversation whose messages count, from the newest; the last is
        the one that it goes on from, if that is among them."""
        wanted = JobFilter(conversation_id=turn.conversation_id)
        found: list[Job] = []
        token = ""
        while True:
            page, token = await self._planner.page(wanted, _LOOKED_AT, token)
            found += [job for job in page if turn.counts(job.conversation_id, job.turn)]
            if not token or len(found) >= _LOOKED_AT:
                break
        if turn.continues and not token and 1 not in turn.taken_back:
            first = await self._planner.get(turn.continues)
            found.append(first.model_copy(update={"turn": 1}))
        return found

    async def _begun(
        self, turn: Turn, past: Past, judgement: Judgement, decision_id: str
    ) -> Decision | Judgement:
        """The job that answers, begun or gone on with."""
        if judgement.kind is TurnKind.CHOICE and past.waiting is not None:
            return await self._chosen(turn, past.waiting, judgement, decision_id)
        found = await self._work(turn, past, judgement)
        if isinstance(found, Judgement):
            return found
        work, kind, reason = found
        if kind is TurnKind.FRESH and turn.candidates and isinstance(work, AnalysisRequest):
            put = await self._domains.put(work, turn.candidates)
            if isinstance(put, Judgement):
                return put
            work, reason = put, f"{reason}; {describe_routing(put)}"
        follows = past.read.job_id if past.read is not None and kind is not TurnKind.FRESH else ""
        decision = self._decision(turn, judgement, decision_id, turn.request.request_id, follows)
        decided = {**decision.decided, "kind": kind.value}
        decision = decision.model_copy(update={"decided": decided, "reason": reason})
        belonging = Belonging(
            session_id=turn.session_id,
            conversation_id=turn.conversation_id,
            turn=turn.number,
            parent_job_id=follows,
        )
        await self._planner.create(work, belonging, decision)
        return decision

    async def _work(
        self, turn: Turn, past: Past, judgement: Judgement
    ) -> tuple[Work, TurnKind, str] | Judgement:
        """What is asked for, what the turn is after all, and why; or why nothing can be."""
        request, read = self._limited(turn.request), past.read
        kind, reason = judgement.kind, judgement.reason
        if kind is TurnKind.FRESH or read is None:
            if read is not None and not turn.candidates:
                rather = request.model_copy(update={"follows_job_id": read.job_id})
                if await self._changes_rather(rather, request, judgement.otherwise):
                    return rather, TurnKind.FOLLOW_UP, "its words all change the question before"
                request = request.model_copy(update={"after_job_id": read.job_id})
            return request, TurnKind.FRESH, reason
        fresh = request
        asked = analysis_of(read.request)
        if turn.candidates and asked.domains:
            domain = (await planning_of(self._with.jobs, read)).domain or asked.domains[0].name
            if gone := refused_domain(domain, turn.candidates):
                return judgement.model_copy(update={"refused": gone, "reason": gone})
            request = request.going_on_from(asked, domain)
        if kind is TurnKind.CORRECTION:
            texts = (*asked.corrections, request.intent)
            changed = {
                "intent": asked.intent,
                "choice": asked.choice,
                "corrections": texts,
                "after_job_id": read.job_id,
            }
            return request.model_copy(update=changed), kind, reason
        if kind is TurnKind.FOLLOW_UP:
            follow_up = request.model_copy(update={"follows_job_id": read.job_id})
            if judgement.tentative and not await self._can(follow_up):
                if not turn.candidates:
                    fresh = fresh.model_copy(update={"after_job_id": read.job_id})
                return fresh, TurnKind.FRESH, "its words do not all change the question before"
            return follow_up, kind, reason
        planning = await planning_of(self._with.jobs, read)
        found = await self._resolving.work(kind, request, planning, read)
        if isinstance(found, str):
            return judgement.model_copy(update={"refused": found, "reason": found})
        return found[0], kind, found[1]

    async def _changes_rather(
        self, follow_up: AnalysisRequest, fresh: AnalysisRequest, otherwise: Otherwise
    ) -> bool:
        """Whether words are a follow-up though they look like a question of their own."""
        if otherwise is Otherwise.NEVER or not await self._can(follow_up):
            return False
        try:
            own = await self._planner.plan(fresh, by_rules=True)
        except AssayError:
            return True
        return own.plan is None or (own.doubtful and otherwise is Otherwise.DOUBTFUL)

    async def _can(self, follow_up: AnalysisRequest) -> bool:
        try:
            return (await self._planner.plan(follow_up, by_rules=True)).plan is not None
        except AssayError:
            return False

    async def _chosen(
        self, turn: Turn, waiting: Job, judgement: Judgement, decision_id: str
    ) -> Decision:
        events = await self._with.jobs.events(waiting.job_id, 0)
        job_id = waiting.job_id
        decision = self._decision(turn, judgement, decision_id, job_id, job_id)
        given = {**decision.given, "after": events[-1].sequence if events else 0}
        decision = decision.model_copy(update={"given": given})
        option = "" if judgement.option is None else str(judgement.option + 1)
        await self._planner.answer(job_id, option, "" if option else turn.words, decision)
        return decision

    def _limited(self, request: AnalysisRequest) -> AnalysisRequest:
        """With no more time than a call of a conversation has."""
        seconds = self._limits.call_seconds
        if request.constraints.timeout_seconds <= seconds:
            return request
        constraints = request.constraints.model_copy(update={"timeout_seconds": seconds})
        return request.model_copy(update={"constraints": constraints})

    def _decision(
        self, turn: Turn, judgement: Judgement, decision_id: str, job_id: str, follows: str
    ) -> Decision:
        return Decision(
            decision_id=decision_id,
            job_id=job_id,
            kind="turn",
            reasoner="rules",
            reason=judgement.reason,
            given={"turn": turn.number, "follows_job_id": follows, "after": 0},
            decided={"kind": judgement.kind.value, "follows_job_id": follows},
            timestamp=self._clock.now(),
        )


def _judged(turn: Turn, standing: Standing) -> Judgement:
    # Here, because to start up takes no reading of words.
    from services.planner.domain.conversation.judging import judged

    return judged(turn.words, standing, turn.request.timestamp.date())
