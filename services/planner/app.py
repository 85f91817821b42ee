"""What the planner does for its callers: create, show, watch, stop and answer jobs."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Collection, Sequence
from dataclasses import replace
from functools import partial

from mesh import context as calls
from mesh.clock import Clock
from mesh.errors import JOB_FINISHED, AssayError
from mesh.telemetry.tracing import span
from services.planner.analysis.looking import looked
from services.planner.domain.analysis.recipe import Recipe
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.checks.finding import Lint
from services.planner.domain.decision import Decision
from services.planner.domain.jobs.job import (
    NOTHING,
    Belonging,
    Job,
    JobCount,
    JobEvent,
    JobFilter,
    JobState,
)
from services.planner.domain.jobs.kinds import Work
from services.planner.domain.jobs.lease import Holder, Lease
from services.planner.domain.jobs.queue import Limits
from services.planner.domain.look.look import Look
from services.planner.domain.question import AnalysisRequest
from services.planner.domain.request import JobKind
from services.planner.jobs import telling
from services.planner.jobs.accepting import accepted
from services.planner.jobs.admission import Admission
from services.planner.jobs.answering import Answering
from services.planner.jobs.catchup import Catchup
from services.planner.jobs.changes import Changes
from services.planner.jobs.collaborators import Collaborators, JobContext
from services.planner.jobs.creating import Creating
from services.planner.jobs.keeper import Keeper, Rhythm
from services.planner.jobs.previews import Previews
from services.planner.jobs.running import Running
from services.planner.jobs.watching import Watching
from services.planner.jobs.work import Preview
from services.planner.kinds import AT_END, use_case
from services.planner.store_ports import Leases

# How long a caller who cancels waits for the job's end, and how often it is looked for.
_CANCEL_SECONDS = 10.0
_CANCEL_LOOK_SECONDS = 0.1


class Planner:
    """The use cases of the planner service. All truth is in the job store."""

    def __init__(
        self,
        collaborators: Collaborators,
        leases: Leases,
        holder: Holder,
        clock: Clock,
        rhythm: Rhythm,
        limits: Limits | None = None,
    ) -> None:
        self._with = collaborators
        self._leases = leases
        self._clock = clock
        self._catchup = Catchup(collaborators)
        self._limits = limits = limits or Limits()
        self._keeper = Keeper(leases, self._work, clock, rhythm, self._catchup.begin, limits)
        admission = Admission(collaborators.jobs, leases, self._keeper, limits)
        self._creating = Creating(collaborators, self._keeper, admission, holder, clock)
        self._watching = Watching(
            collaborators.jobs, self._keeper, clock, collaborators.thinking, collaborators.readings
        )
        self._answering = Answering(collaborators, leases, self._keeper)
        self._previews = Previews(limits)
        self._changes = Changes()

    async def start(self) -> None:
        """Take up jobs that a stopped planner left unfinished, now and from now on."""
        await self._keeper.start()

    async def create(
        self, request: Work, belonging: Belonging = NOTHING, turn: Decision | None = None
    ) -> Job:
        """Store a job, and start it if it is its turn. Repeating a request returns the job it made.

        `turn` is the decision that made it the work of a conversation, stored with it.
        The request is audited before the job exists, and what policy blocks is taken out of its
        question before that. Raises AssayError for a request that may not become a job, QUEUE_FULL
        before anything is done when too much waits, ID_REUSED for an id that stands for another
        one, NOT_FOUND for an id of another tenant's, AUDIT_UNAVAILABLE when it cannot be recorded.
        """
        return self._placed(await self._creating.create(request, belonging, turn))

    async def get(self, job_id: str) -> Job:
        """A job of the caller. Raises AssayError(NOT_FOUND)."""
        return self._placed(await self._with.jobs.get(calls.current().tenant, job_id))

    async def causal_state(self, job: Job) -> AnalysisState | None:
        """The state of a causal job that has no result, whatever became of it; None of any other
        job."""
        if job.kind is not JobKind.CAUSAL or job.answer is not None:
            return None
        from services.planner.causal.standing import state_of

        return await state_of(self._with.jobs, self._leases, job)

    def _placed(self, job: Job) -> Job:
        """A job with its place, while it waits for its turn; or with what keeps it from ending."""
        if job.state.final:
            return job
        if (given_up := self._keeper.given_up(job.job_id)) is not None:
            return job.model_copy(update={"progress_reason": given_up.message})
        if (place := self._keeper.place(job.job_id)) is None:
            return job
        return job.model_copy(
            update={"progress_reason": str(place), "queue_position": place.before}
        )

    async def page(self, wanted: JobFilter, size: int, token: str) -> tuple[list[Job], str]:
        """The caller's jobs, newest first. Raises AssayError(INVALID_ARGUMENT)."""
        return await self._with.jobs.page(calls.current().tenant, wanted, size, token)

    async def counts(self, session_ids: Collection[str]) -> list[JobCount]:
        """The caller's jobs by session and state."""
        return await self._with.jobs.counts(calls.current().tenant, session_ids)

    async def watch(self, job_id: str, after: int) -> AsyncGenerator[JobEvent]:
        """Events after a sequence number; ends when the job has ended or waits for a person.

        Raises AssayError(SERVICE_UNAVAILABLE) when this planner stops: whoever watches asks the
        next one for what comes after. Raises what kept a job's end from being stored, such as
        DISK_FULL, some seconds after the job's time is over.
        """
        job = await self.get(job_id)
        with self._changes.of(job.job_id) as changed:
            async for event in self._watching.events(job, after, changed):
                yield event

    async def cancel(self, job_id: str) -> Job:
        """Stop a job; what was finished is kept. Raises AssayError(JOB_FINISHED, NOT_FOUND).

        The wish is stored, so it holds whichever planner works on the job and whatever becomes
        of this call. Returns the ended job; after ten seconds the job as it stands.
        """
        job = await self.get(job_id)
        if job.state.final:
            raise AssayError(JOB_FINISHED, f"job {job.job_id[:8]} is {job.state} already")
        await self._leases.request_cancel(job.job_id)
        self._keeper.cancel(job.job_id)
        until = self._clock.monotonic() + calls.current().seconds_left(_CANCEL_SECONDS)
        while not job.state.final and self._clock.monotonic() < until:
            if lease := await self._leases.claim(job.job_id):  # nobody works on it
                await self._keeper.begin(lease)
            await self._changes.within(job.job_id, _CANCEL_LOOK_SECONDS)
            job = await self.get(job.job_id)
        return job

    async def answer(
        self, job_id: str, option_id: str, text: str, turn: Decision | None = None
    ) -> Job:
        """Answer a pending clarification: with the id or the text of an option, or in other words.

        Words that are no option are read as a correction of the first, or the question comes back.
        Raises AssayError(NO_PENDING_QUESTION, NO_SUCH_OPTION), INVESTIGATION_NOT_COMPLETE for one
        that is under way, and QUESTION_BLOCKED for a text that policy blocks, which is not kept.
        """
        job = await self.get(job_id)
        return await self._answering.answer(job, option_id, text, turn)

    async def plan(self, request: Work, *, by_rules: bool = False) -> Preview:
        """Understand and plan without running or storing anything; with `by_rules` no model is
        asked.

        Raises AssayError(QUEUE_FULL) when too many wait for that.
        """
        async with self._previews.turn():
            return await self._preview(request, by_rules=by_rules)

    async def _preview(self, request: Work, *, by_rules: bool) -> Preview:
        request = await accepted(self._with, calls.current().tenant, request)
        job = self._creating.new(request, JobState.PLANNING, NOTHING)
        nobody = Lease(job.job_id, job.tenant, owner="", token=0, seconds_left=0.0)
        context = JobContext(self._with.jobs.under(nobody), self._clock, lambda: None)
        alone = replace(self._with, reasoner=self._with.reasoner.rules) if by_rules else self._with
        return await (await use_case(job.kind))(alone, context).preview(job)

    async def look(
        self, request: AnalysisRequest, *, propose: bool = False, values: Sequence[str] = ()
    ) -> Look:
        """What the sources of a request hold; what it asks does not matter. With `propose` a
        semantic model to begin with, with `values` where such values are.

        Raises AssayError(QUEUE_FULL) when too many wait, and for sources that cannot be read.
        """
        await asyncio.to_thread(request.check_terms)
        async with self._previews.turn():
            return await looked(self._with, self._clock, request, propose=propose, values=values)

    async def lint(self, request: AnalysisRequest, question: str, *, fix: bool = False) -> Lint:
        """What checks find in the statement of a request, which answers a question in words; with
        `fix` also what would be right.

        Raises AssayError(QUEUE_FULL) when too many wait, for sources and statements that cannot be
        read, and COLUMN_BLOCKED.
        """
        # Here, because what lists jobs comes by this module and judges no statement.
        from services.planner.analysis.linting import linted

        async with self._previews.turn():
            return await linted(self._with, request.validated(), question, fix=fix)

    async def recipes(self, size: int, token: str) -> tuple[list[Recipe], str]:
        """The caller's recipes, newest use first."""
        return await self._with.memory.recipes(size, token)

    async def delete_recipe(self, recipe_id: str) -> None:
        """Forget a recipe of the caller."""
        await self._with.memory.delete_recipe(recipe_id)

    async def audit_length(self, job_id: str) -> int | None:
        """Entries in the job's audit chain; None where the log does not say at once."""
        return await self._with.audit.length(job_id)

    async def stop(self) -> None:
        """Let go of what runs here without ending it: the next planner goes on with it."""
        await self._keeper.stop()
        await self._catchup.stop()
        self._changes.wake_all()

    async def _work(self, lease: Lease) -> None:
        job = await self._with.jobs.get(lease.tenant, lease.job_id)
        with span(job.kind.value, {"assay.job": job.job_id}):
            telling.began(lease)
            await self._go_on(lease, job)

    async def _go_on(self, lease: Lease, job: Job) -> None:
        running = await self._running(lease, job)
        if lease.cancel_requested:
            await self._stop_calls(job)
            await running.cancel(job)
        elif lease.waited_seconds > self._limits.wait_seconds:
            await running.shed(job, lease.waited_seconds)
        elif lease.waited_seconds >= job.request.constraints.timeout_seconds:
            await running.too_late(job)
        elif not job.state.final and job.state is not JobState.WAITING:
            try:
                await running.run(job)
            finally:
                self._changes.moved(lease.job_id)  # whoever works on it next is not heard here

    async def _stop_calls(self, job: Job) -> None:
        """Stop what a planner that is gone had the executor do for a job."""
        for call, observation in await self._with.jobs.observations(job.job_id):
            if observation is None:
                with contextlib.suppress(AssayError):  # then its stream's end has stopped it
                    await self._with.tools.cancel(call.call_id)

    async def _running(self, lease: Lease, job: Job) -> Running:
        notify = partial(self._changes.moved, lease.job_id)
        context = JobContext(
            self._with.jobs.under(lease), self._clock, notify, AT_END.get(job.kind)
        )
        return Running(self._with, context, (await use_case(job.kind))(self._with, context))
