"""What the planner does for its callers: create, show, watch, stop and answer jobs."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Collection
from functools import partial

from mesh import context as calls
from mesh.clock import Clock
from mesh.errors import (
    INVALID_ARGUMENT,
    INVESTIGATION_NOT_COMPLETE,
    JOB_FINISHED,
    NO_PENDING_QUESTION,
    SERVICE_UNAVAILABLE,
    AssayError,
)
from mesh.telemetry import current_trace_id, span
from services.planner.analysis.looking import looked
from services.planner.domain.analysis.recipe import Recipe
from services.planner.domain.analysis.request import AnalysisRequest
from services.planner.domain.causal.request import CausalRequest
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.decision import Decision
from services.planner.domain.job import (
    NOTHING,
    Belonging,
    Job,
    JobCount,
    JobEvent,
    JobFilter,
    JobState,
)
from services.planner.domain.kinds import Work
from services.planner.domain.lease import Holder, Lease
from services.planner.domain.look.look import Look
from services.planner.domain.permission import reply_refused
from services.planner.domain.queue import Limits
from services.planner.domain.repeated import differences, reused
from services.planner.domain.request import JobKind
from services.planner.jobs import records, telling
from services.planner.jobs.accepting import accepted
from services.planner.jobs.admission import Admission
from services.planner.jobs.catchup import Catchup
from services.planner.jobs.changes import Changes
from services.planner.jobs.collaborators import Collaborators, Desk
from services.planner.jobs.keeper import Keeper, Rhythm
from services.planner.jobs.previews import Previews
from services.planner.jobs.running import Running
from services.planner.jobs.work import Preview
from services.planner.kinds import AT_END, KINDS
from services.planner.store_ports import Leases

# How long a watcher waits before it looks at the store again by itself; another planner may have
# moved the job without this one hearing of it.
_LOOK_AGAIN_SECONDS = 0.5
# The same where this planner works on the job: it hears of all that moves it, and of letting it go.
_LOOK_AFTER_ONESELF_SECONDS = 10.0
# How long a watcher of a job that waits for its turn is told nothing at least.
_TELL_AGAIN_SECONDS = 1.0
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
        self._holder = holder
        self._clock = clock
        self._catchup = Catchup(collaborators)
        self._limits = limits = limits or Limits()
        self._keeper = Keeper(leases, self._work, clock, rhythm, self._catchup.begin, limits)
        self._admission = Admission(collaborators.jobs, leases, self._keeper, limits)
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
        request = await accepted(self._with, calls.current().tenant, request)
        if isinstance(request, CausalRequest) and request.origin is not None:
            belonging = belonging.model_copy(update={"parent_job_id": request.origin.job_id})
        new = self._new(request, JobState.SUBMITTED, belonging)
        async with self._admission.admitted(new) as slot:
            job = await self._store(new, slot, turn)
        if changed := differences(job, new):
            raise reused(new.job_id, changed)
        return self._placed(job)

    async def _store(self, new: Job, slot: bool, turn: Decision | None) -> Job:
        lease = None
        try:
            await self._record(new)
            decided = (turn,) if turn is not None else ()
            job, lease = await self._with.jobs.create(new, self._holder if slot else None, decided)
        finally:
            if slot and lease is None:
                self._keeper.slots.give_back()
        if lease is not None:
            await self._keeper.begin(lease, slotted=True)
        else:
            self._keeper.waits()
        return job

    def _new(self, request: Work, state: JobState, belonging: Belonging) -> Job:
        now = self._clock.now()
        return Job(
            job_id=request.request_id,
            tenant=calls.current().tenant,
            state=state,
            request=request,
            created_at=now,
            updated_at=now,
            progress_reason="waiting for its turn" if state is JobState.SUBMITTED else "",
            trace_id=current_trace_id(),
            **belonging.model_dump(),
        )

    async def _record(self, new: Job) -> None:
        """Append the request to its chain, unless the id stands for another request already."""
        try:
            await self._with.audit.append(new.job_id, [records.submitted(new.request)])
        except AssayError as error:
            if error.reason is not INVALID_ARGUMENT:
                raise
            await self._with.audit.length(new.job_id)  # whose id it is; raises NOT_FOUND
            stored = await self._with.jobs.get(new.tenant, new.job_id)
            raise reused(new.job_id, differences(stored, new)) from error

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
        """A job with its place, while it waits for its turn."""
        if job.state.final or (place := self._keeper.place(job.job_id)) is None:
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
            async for event in self._watched(job, after, changed):
                yield event

    async def _watched(
        self, job: Job, after: int, changed: asyncio.Event
    ) -> AsyncGenerator[JobEvent]:
        resting = job.state.final or job.state is JobState.WAITING
        while True:
            changed.clear()
            for event in await self._with.jobs.events(job.job_id, after):
                after = event.sequence
                if event.kind == "state":
                    state = JobState(event.data["state"])
                    resting = state.final or state is JobState.WAITING
                yield event
            if resting:
                return
            if (given_up := self._keeper.given_up(job.job_id)) is not None:
                raise given_up
            async for place in self._places(job, changed):
                yield place.model_copy(update={"sequence": after})
            if self._keeper.stopping:
                raise AssayError(
                    SERVICE_UNAVAILABLE, "this planner is stopping; the job goes on with the next"
                )
            here = self._keeper.works_on(job.job_id)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(
                    changed.wait(), _LOOK_AFTER_ONESELF_SECONDS if here else _LOOK_AGAIN_SECONDS
                )

    async def _places(self, job: Job, changed: asyncio.Event) -> AsyncIterator[JobEvent]:
        """Where a job stands, whenever that has changed, for as long as it waits for its turn.

        These are computed from what the keeper saw last: nothing is read or stored for them, so
        that many who wait cost those at work next to nothing.
        """
        told = None
        while not (changed.is_set() or self._keeper.stopping):
            place = self._keeper.place(job.job_id)
            if place is None:
                return
            if told != (told := str(place)):
                data = {
                    "percent": job.progress,
                    "reason": told,
                    "queue_position": place.before,
                }
                now = self._clock.now()
                yield JobEvent(sequence=0, timestamp=now, kind="progress", data=data)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(changed.wait(), _TELL_AGAIN_SECONDS)

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
        if refused := await asyncio.to_thread(reply_refused, text, job.request.policy):
            event = records.refused(job.job_id, refused.reason.code, refused.message)
            await self._with.audit.append(job.job_id, [event])
            raise refused
        if job.kind is JobKind.INVESTIGATION and not job.state.final:
            raise AssayError(
                INVESTIGATION_NOT_COMPLETE,
                f"investigation {job.job_id[:8]} is {job.state}; it has no report to ask about yet",
            )
        reply = job.clarification.reply(option_id, text) if job.clarification else ""
        lease = await self._leases.claim(job.job_id) if reply else None
        if lease is None:
            raise AssayError(
                NO_PENDING_QUESTION, f"job {job.job_id[:8]} is {job.state}, not waiting"
            )
        update = {
            "reply": reply,
            "replies": job.replies + 1,
            "state": JobState.PLANNING,
            "clarification": None,
        }
        try:
            job = await self._with.jobs.under(lease).save(
                job.model_copy(update=update),
                [("state", {"state": JobState.PLANNING.value})],
                (turn,) if turn is not None else (),
            )
        except BaseException:
            await self._leases.release(lease)
            raise
        if self._keeper.slots.take():
            await self._keeper.begin(lease, slotted=True)
        else:  # it goes before all that was never begun
            await self._leases.release(lease, rested=True)
            self._keeper.waits()
        return job

    async def plan(self, request: Work) -> Preview:
        """Understand and plan without running or storing anything.

        Raises AssayError(QUEUE_FULL) when too many wait for that.
        """
        async with self._previews.turn():
            return await self._preview(request)

    async def _preview(self, request: Work) -> Preview:
        request = await accepted(self._with, calls.current().tenant, request)
        job = self._new(request, JobState.PLANNING, NOTHING)
        nobody = Lease(job.job_id, job.tenant, owner="", token=0, seconds_left=0.0)
        desk = Desk(self._with.jobs.under(nobody), self._clock, lambda: None)
        return await KINDS[job.kind](self._with, desk).preview(job)

    async def look(self, request: AnalysisRequest, *, propose: bool = False) -> Look:
        """What the sources of a request hold; what it asks does not matter. With `propose` a
        semantic model to begin with.

        Raises AssayError(QUEUE_FULL) when too many wait, and for sources that cannot be read.
        """
        await asyncio.to_thread(request.check_terms)
        async with self._previews.turn():
            return await looked(self._with, self._clock, request, propose=propose)

    async def recipes(self, size: int, token: str) -> tuple[list[Recipe], str]:
        """The caller's recipes, newest use first."""
        return await self._with.memory.recipes(size, token)

    async def delete_recipe(self, recipe_id: str) -> None:
        """Forget a recipe of the caller."""
        await self._with.memory.delete_recipe(recipe_id)

    async def audit_length(self, job_id: str) -> int:
        """Entries in the job's audit chain."""
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
        running = self._running(lease, job)
        if lease.cancel_requested:
            await self._stop_calls(job)
            await running.cancel(job)
        elif lease.waited_seconds > self._limits.wait_seconds:
            await running.shed(job, lease.waited_seconds)
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

    def _running(self, lease: Lease, job: Job) -> Running:
        notify = partial(self._changes.moved, lease.job_id)
        desk = Desk(self._with.jobs.under(lease), self._clock, notify, AT_END.get(job.kind))
        return Running(self._with, desk, KINDS[job.kind](self._with, desk))
