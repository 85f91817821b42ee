"""What the planner does for its callers: create, show, watch, stop and answer jobs."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

from mesh import context as calls
from mesh.clock import Clock
from mesh.errors import (
    INVALID_ARGUMENT,
    JOB_FINISHED,
    NO_PENDING_QUESTION,
    SERVICE_UNAVAILABLE,
    AssayError,
)
from mesh.telemetry import current_trace_id
from services.planner import records
from services.planner.analysis import Analysis
from services.planner.catchup import Catchup
from services.planner.collaborators import Collaborators, Desk
from services.planner.deciding import Deciding
from services.planner.domain.decision import Planning
from services.planner.domain.job import Job, JobEvent, JobState
from services.planner.domain.lease import Holder, Lease
from services.planner.domain.recipe import Recipe
from services.planner.domain.request import AnalysisRequest
from services.planner.keeper import Keeper, Rhythm
from services.planner.store_ports import Leases

# How long a watcher waits before it looks at the store again by itself; another planner may have
# moved the job without this one hearing of it.
_LOOK_AGAIN_SECONDS = 0.5
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
    ) -> None:
        self._with = collaborators
        self._leases = leases
        self._holder = holder
        self._clock = clock
        self._catchup = Catchup(collaborators)
        self._keeper = Keeper(leases, self._work, clock, rhythm, self._catchup.begin)
        self._changed: dict[str, asyncio.Event] = {}

    async def start(self) -> None:
        """Take up jobs that a stopped planner left unfinished, now and from now on."""
        await self._keeper.start()

    async def create(self, request: AnalysisRequest) -> Job:
        """Store and start a job. Repeating a request id returns the job it made.

        The request is audited before the job exists. Raises AssayError for a request that may
        not become a job, NOT_FOUND for an id of another tenant's, AUDIT_UNAVAILABLE when it
        cannot be recorded.
        """
        request = request.validated()
        now = self._clock.now()
        await self._record(request)
        new = Job(
            job_id=request.request_id,
            tenant=calls.current().tenant,
            state=JobState.SUBMITTED,
            request=request,
            created_at=now,
            updated_at=now,
            trace_id=current_trace_id(),
        )
        job, lease = await self._with.jobs.create(new, self._holder)
        if lease is not None:
            await self._keeper.begin(lease)
        return job

    async def _record(self, request: AnalysisRequest) -> None:
        try:
            await self._with.audit.append(request.request_id, [records.submitted(request)])
        except AssayError as error:
            if error.reason is INVALID_ARGUMENT:  # the id stands for another request: whose?
                await self._with.audit.length(request.request_id)
            raise

    async def get(self, job_id: str) -> Job:
        """A job of the caller. Raises AssayError(NOT_FOUND)."""
        return await self._with.jobs.get(calls.current().tenant, job_id)

    async def page(self, size: int, token: str) -> tuple[list[Job], str]:
        """The caller's jobs, newest first."""
        return await self._with.jobs.page(calls.current().tenant, size, token)

    async def watch(self, job_id: str, after: int) -> AsyncIterator[JobEvent]:
        """Events after a sequence number; ends when the job has ended or waits for a person.

        Raises AssayError(SERVICE_UNAVAILABLE) when this planner stops: whoever watches asks the
        next one for what comes after.
        """
        job = await self.get(job_id)
        resting = job.state.final or job.state is JobState.WAITING
        while True:
            changed = self._changed.setdefault(job.job_id, asyncio.Event())
            changed.clear()
            for event in await self._with.jobs.events(job.job_id, after):
                after = event.sequence
                if event.kind == "state":
                    state = JobState(event.data["state"])
                    resting = state.final or state is JobState.WAITING
                yield event
            if resting:
                self._changed.pop(job.job_id, None)
                return
            if self._keeper.stopping:
                raise AssayError(
                    SERVICE_UNAVAILABLE, "this planner is stopping; the job goes on with the next"
                )
            try:
                await asyncio.wait_for(changed.wait(), _LOOK_AGAIN_SECONDS)
            except TimeoutError:
                continue

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
            await self._change(job.job_id, _CANCEL_LOOK_SECONDS)
            job = await self.get(job.job_id)
        return job

    async def answer(self, job_id: str, reply: str) -> Job:
        """Answer a pending clarification. Raises AssayError(NO_PENDING_QUESTION)."""
        job = await self.get(job_id)
        lease = await self._leases.claim(job.job_id) if job.state is JobState.WAITING else None
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
                job.model_copy(update=update), [("state", {"state": JobState.PLANNING.value})]
            )
        except BaseException:
            await self._leases.release(lease)
            raise
        await self._keeper.begin(lease)
        return job

    async def plan(self, request: AnalysisRequest) -> Planning:
        """Understand and plan without running anything."""
        request = request.validated()
        now = self._clock.now()
        job = Job(
            job_id=request.request_id,
            tenant=calls.current().tenant,
            state=JobState.PLANNING,
            request=request,
            created_at=now,
            updated_at=now,
        )
        return (await Deciding(self._with, self._clock).decide(job)).planning

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
        for changed in self._changed.values():
            changed.set()

    async def _work(self, lease: Lease) -> None:
        job = await self._with.jobs.get(lease.tenant, lease.job_id)
        analysis = self._analysis(lease)
        if lease.cancel_requested:
            await self._stop_calls(job)
            await analysis.cancel(job)
        elif not job.state.final and job.state is not JobState.WAITING:
            await analysis.run(job)

    async def _stop_calls(self, job: Job) -> None:
        """Stop what a planner that is gone had the executor do for a job."""
        for call, observation in await self._with.jobs.observations(job.job_id):
            if observation is None:
                with contextlib.suppress(AssayError):  # then its stream's end has stopped it
                    await self._with.tools.cancel(call.call_id)

    def _analysis(self, lease: Lease) -> Analysis:
        def notify() -> None:
            if event := self._changed.get(lease.job_id):
                event.set()

        return Analysis(self._with, Desk(self._with.jobs.under(lease), self._clock, notify))

    async def _change(self, job_id: str, seconds: float) -> None:
        """Wait until a job moved here, or for so long: another planner may have moved it."""
        changed = self._changed.setdefault(job_id, asyncio.Event())
        changed.clear()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(changed.wait(), seconds)
