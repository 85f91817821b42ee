"""Questions about finished jobs: found, asked of what the job holds, and told in its words."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import TYPE_CHECKING

from mesh import context as calls
from mesh import sureness
from mesh.clock import Clock
from mesh.errors import (
    INVESTIGATION_NOT_COMPLETE,
    JOB_NOT_COMPLETE,
    NOT_FOUND,
    NOT_TOLD,
    AssayError,
)
from services.planner.domain.analysis.past import Attempt
from services.planner.domain.analysis.planning import Planning
from services.planner.domain.answer import Claim
from services.planner.domain.conversation.response import Response, domain_call, refusal, sources_of
from services.planner.domain.conversation.turn import Judgement, TurnKind
from services.planner.domain.conversation.turn_input import Turn
from services.planner.domain.failure import Failure
from services.planner.domain.jobs.job import Job, JobFilter, JobState
from services.planner.domain.request import JobKind
from services.planner.jobs.collaborators import Collaborators

if TYPE_CHECKING:  # to start up takes no reading of words, and nobody lists jobs with it
    from services.planner.domain.inquiry.choosing import JobAnswer, Known

ANSWERED = (JobState.COMPLETED, JobState.PARTIAL_SUCCESS)
_MOST_JOBS = 10
_CALLED = {
    JobKind.ANALYSIS: "answer",
    JobKind.INVESTIGATION: "investigation",
    JobKind.CAUSAL: "causal study",
}


class Inquiring:
    """Answers questions about jobs of the caller of the running call."""

    def __init__(self, with_: Collaborators, clock: Clock) -> None:
        self._with = with_
        self._clock = clock

    async def of_job(self, job_id: str, words: str) -> Response:
        """What a job tells. Raises AssayError: NOT_FOUND, INVESTIGATION_NOT_COMPLETE,
        JOB_NOT_COMPLETE."""
        job = await self._with.jobs.get(calls.current().tenant, job_id)
        return await self.answer(words, [job], job.session_id)

    async def of_session(self, session_id: str, words: str) -> Response:
        """What the jobs of a session tell, those first whose documents are nearest.

        Raises AssayError: as `of_job` of its newest job, NOT_FOUND where it has none.
        """
        found = await self._in_session(words, session_id)
        if not found:
            raise AssayError(NOT_FOUND, f"session {session_id[:8]} has no job to ask about")
        return await self.answer(words, found, "")

    async def answer(
        self, words: str, jobs: Sequence[Job], session_id: str, turn: Turn | None = None
    ) -> Response:
        """What the first of the jobs that tells it tells, and behind them those of the session, of
        which those that a `turn` does not count are left out.

        Raises AssayError as `of_job` does of the first.
        """
        from services.planner.domain.inquiry.choosing import choose_answer

        began = self._clock.monotonic()
        first: tuple[Job, Known, JobAnswer] | None = None
        async for job in self._candidates(words, jobs, session_id):
            if turn is not None and not turn.counts(job.conversation_id, job.turn):
                continue
            if job.state not in ANSWERED:
                if first is None:
                    raise not_complete(job)
                continue
            whole, known, attempts = await self._known(job)
            job_answer = await asyncio.to_thread(choose_answer, words, known)
            if job_answer.passages:
                other = first is not None
                response = _quoted(whole, job_answer, attempts, other=other)
                return response.model_copy(update={"seconds": self._clock.monotonic() - began})
            first = first or (job, known, job_answer)
        if first is None:
            raise AssayError(NOT_FOUND, "there is no job to ask about")
        response = _refuse(*first)
        return response.model_copy(update={"seconds": self._clock.monotonic() - began})

    async def judged(self, turn: Turn, jobs: Sequence[Job]) -> tuple[Judgement, list[Job]] | None:
        """Whether words of a conversation ask about the work itself, with the jobs that they may
        be about; None where they are anything else. `jobs` are those of the turns before, the
        newest first; where none of them has an answer, those of the session are meant.
        """
        from services.planner.domain.inquiry.cues import asks_about, topics_asked

        words, session_id = turn.words, turn.session_id
        if not topics_asked(words):
            return None
        surely = asks_about(words, None)
        rested = [job for job in jobs if job.state is not JobState.WAITING]
        if surely and rested and not rested[0].state.final:
            about = Judgement(kind=TurnKind.ABOUT, reason="about work that is still under way")
            return about, rested[:1]
        answered = [job for job in jobs if job.state in ANSWERED]
        if not answered and session_id:
            own = {job.job_id for job in jobs}
            found = await self._in_session(words, session_id)
            others = [
                job
                for job in found
                if job.job_id not in own and turn.counts(job.conversation_id, job.turn)
            ]
            answered = [job for job in others if job.state in ANSWERED]
            if surely and others and not answered:
                reason = "about work of the session that has no answer"
                return Judgement(kind=TurnKind.ABOUT, reason=reason), others[:1]
        if not answered:
            why = "nothing was answered before that this could be about"
            refused = Judgement(kind=TurnKind.ABOUT, reason=why, refused=why)
            return (refused, []) if surely else None
        if not surely:
            _, known, _ = await self._known(answered[0])
            if not asks_about(words, known.topics):
                return None
        called = _CALLED[answered[0].request.kind]
        reason = f"asks about the {called} that was given, and nothing of the data"
        return Judgement(kind=TurnKind.ABOUT, reason=reason), answered

    async def turn(self, turn: Turn, jobs: Sequence[Job]) -> Response:
        """The response to a turn that asks about jobs; a refusal is one too."""
        began = self._clock.monotonic()
        try:
            return await self.answer(turn.words, jobs, turn.session_id, turn)
        except AssayError as error:
            if error.reason not in (INVESTIGATION_NOT_COMPLETE, JOB_NOT_COMPLETE):
                raise
            failure = Failure(reason=error.reason.code, message=error.message, hint=error.remedy)
            return refusal(failure, self._clock.monotonic() - began)

    async def _in_session(self, words: str, session_id: str) -> list[Job]:
        """The jobs of a session that may be meant: those whose documents are nearest, else those
        that were answered, else the newest."""
        found = [job async for job in self._nearest(words, session_id)]
        if found:
            return found
        tenant = calls.current().tenant
        wanted = JobFilter(session_id=session_id)
        page, _ = await self._with.jobs.page(tenant, wanted, _MOST_JOBS, "")
        answered = [job for job in page if job.state in ANSWERED] or page[:1]
        return [await self._with.jobs.get(tenant, job.job_id) for job in answered]

    async def _candidates(
        self, words: str, jobs: Sequence[Job], session_id: str
    ) -> AsyncIterator[Job]:
        for job in jobs:
            yield job
        if session_id:
            seen = {job.job_id for job in jobs}
            async for job in self._nearest(words, session_id):
                if job.job_id not in seen:
                    yield job

    async def _nearest(self, words: str, session_id: str) -> AsyncIterator[Job]:
        """Jobs of a session whose documents are nearest; none while memory is away."""
        try:
            with calls.changed(seconds=self._with.recall_seconds):
                found = await self._with.memory.search_documents(words, session_id)
        except AssayError:
            return
        for job_id in found:
            try:
                yield await self._with.jobs.get(calls.current().tenant, job_id)
            except AssayError as error:
                if error.reason is not NOT_FOUND:
                    raise

    async def _known(self, job: Job) -> tuple[Job, Known, list[Attempt]]:
        """The job with its answer, which lists leave out, what it can be asked, and its calls."""
        from services.planner.domain.inquiry.known import known_of

        if job.answer is None:
            job = await self._with.jobs.get(job.tenant, job.job_id)
        attempts = await self._with.jobs.observations(job.job_id)
        decisions = await self._with.jobs.decisions(job.job_id)
        plans = [d.decided for d in decisions if d.kind == "plan"]
        planning = Planning.model_validate(plans[-1]) if plans else Planning()
        return job, await asyncio.to_thread(known_of, job, planning, attempts), attempts


def not_complete(job: Job) -> AssayError:
    """That a job has no answer that could be asked about."""
    investigated = job.request.kind is JobKind.INVESTIGATION
    reason = INVESTIGATION_NOT_COMPLETE if investigated else JOB_NOT_COMPLETE
    state = "ended without an answer" if job.state.final else f"is {job.state.value}"
    hint = job.failure.message if job.failure is not None else ""
    return AssayError(reason, f"job {job.job_id[:8]} {state}", hint=hint)


def _quoted(
    job: Job, job_answer: JobAnswer, attempts: Sequence[Attempt], *, other: bool
) -> Response:
    """The passages, with the claims, calls and files that they cite."""
    claims = (*job_answer.claims, *_cells(job_answer, attempts))
    cited = {claim.call_id for claim in claims}
    cited.update(call for passage in job_answer.passages for call in passage.calls)
    files = {name for passage in job_answer.passages for name in passage.artifacts}
    result = job.answer
    assert result is not None
    about = f"About “{job.request.question}”: " if other else ""
    kind = _CALLED[job.request.kind]
    return Response(
        answer=f"{about}{job_answer.text}",
        sources=sources_of(job),
        tool_calls=tuple(
            domain_call(call, seen, job) for call, seen in attempts if call.call_id in cited
        ),
        confidence=result.confidence,
        confidence_reasons=(
            f"quoted from what the {kind} recorded (assay show {job.job_id[:8]})",
            f"the {kind} itself is told as {sureness.describe_level(result.confidence)}",
        ),
        about_job_id=job.job_id,
        claims=claims,
        artifacts=tuple(a for a in result.artifacts if a.content_ref in files),
    )


def _cells(job_answer: JobAnswer, attempts: Sequence[Attempt]) -> Iterator[Claim]:
    """Claims of cells that are quoted whole, such as what a test came to; none of a frame of which
    not every row was taken, for there it is not known which row it is."""
    for cell in (passage.cell for passage in job_answer.passages if passage.cell is not None):
        for call, seen in attempts:
            frame = seen.frame if seen is not None and seen.succeeded else None
            if frame is not None and call.task_id == cell.task_id and frame.rows == cell.rows:
                yield Claim(
                    claim_id=0,
                    value=cell.text,
                    text=cell.text,
                    frame_digest=frame.digest,
                    row=cell.row,
                    column=cell.column,
                    call_id=call.call_id,
                )


def _refuse(job: Job, known: Known, job_answer: JobAnswer) -> Response:
    kind = _CALLED[job.request.kind]
    can = "; ".join(topic.value for topic in known.topics)
    failure = Failure(
        reason=NOT_TOLD.code,
        message=f"The {kind} does not tell that: {job_answer.why}.",
        hint=f"It tells of: {can}.",
    )
    return Response(
        answer=f"{failure.message} {failure.hint}",
        failure=failure,
        confidence_reasons=("nothing was quoted",),
        about_job_id=job.job_id,
    )
