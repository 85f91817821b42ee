"""What the planner does for its callers: create, show, watch, stop and answer jobs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from dataclasses import replace

from mesh import context as calls
from mesh.clock import Clock
from mesh.errors import (
    CANCELLED,
    INVALID_ARGUMENT,
    JOB_FINISHED,
    NO_PENDING_QUESTION,
    SERVICE_UNAVAILABLE,
    AssayError,
)
from mesh.telemetry import current_trace_id
from services.planner.analysis import Analysis, Collaborators
from services.planner.domain.decision import Planning
from services.planner.domain.job import Failure, Job, JobEvent, JobState
from services.planner.domain.recipe import Recipe
from services.planner.domain.request import AnalysisRequest
from services.planner.ports import AuditEvent

log = logging.getLogger("assay.planner")

# How long a watcher waits before it looks at the store again by itself; another planner may have
# moved the job without this one hearing of it.
_LOOK_AGAIN_SECONDS = 0.5


class Planner:
    """The use cases of the planner service. All truth is in the job store."""

    def __init__(self, collaborators: Collaborators, clock: Clock) -> None:
        self._with = collaborators
        self._clock = clock
        self._running: dict[str, asyncio.Task[None]] = {}
        self._changed: dict[str, asyncio.Event] = {}
        self._stopping = False

    async def create(self, request: AnalysisRequest) -> Job:
        """Store and start a job. Repeating a request id returns the job it made.

        The request is audited before the job exists. Raises AssayError for a request that may
        not become a job, NOT_FOUND for an id of another tenant's, AUDIT_UNAVAILABLE when it
        cannot be recorded.
        """
        request = request.validated()
        now = self._clock.now()
        await self._record(request)
        job = await self._with.jobs.create(
            Job(
                job_id=request.request_id,
                tenant=calls.current().tenant,
                state=JobState.SUBMITTED,
                request=request,
                created_at=now,
                updated_at=now,
                trace_id=current_trace_id(),
            )
        )
        self._start(job)
        return job

    async def _record(self, request: AnalysisRequest) -> None:
        submitted = AuditEvent(
            entry_id=request.request_id,
            event_type="request_submitted",
            event_data=audited_request(request),
            actor="system",
        )
        try:
            await self._with.audit.append(request.request_id, [submitted])
        except AssayError as error:
            if error.reason is INVALID_ARGUMENT:  # the id stands for another request: whose?
                await self._with.audit.length(request.request_id)
            raise

    async def resume(self) -> None:
        """Take up every job that a stopped planner left unfinished."""
        for tenant, job_id in await self._with.jobs.unfinished():
            with calls.changed(tenant=tenant, request_id=job_id):
                self._start(await self._with.jobs.get(tenant, job_id))

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
            if self._stopping:
                raise AssayError(
                    SERVICE_UNAVAILABLE, "this planner is stopping; the job goes on with the next"
                )
            try:
                await asyncio.wait_for(changed.wait(), _LOOK_AGAIN_SECONDS)
            except TimeoutError:
                continue

    async def cancel(self, job_id: str) -> Job:
        """Stop a job; what was finished is kept. Raises AssayError(JOB_FINISHED, NOT_FOUND)."""
        job = await self.get(job_id)
        if job.state.final:
            raise AssayError(JOB_FINISHED, f"job {job.job_id[:8]} is {job.state} already")
        task = self._running.get(job.job_id)
        if task is not None:
            task.cancel()
            await asyncio.wait([task])
        job = await self.get(job_id)
        if not job.state.final:
            failure = Failure(reason=CANCELLED.code, message="cancelled by request")
            job = await self._analysis(job).end(job, JobState.CANCELLED, failure)
        return job

    async def answer(self, job_id: str, reply: str) -> Job:
        """Answer a pending clarification. Raises AssayError(NO_PENDING_QUESTION)."""
        job = await self.get(job_id)
        if job.state is not JobState.WAITING:
            raise AssayError(
                NO_PENDING_QUESTION, f"job {job.job_id[:8]} is {job.state}, not waiting"
            )
        job = await self._with.jobs.save(
            job.model_copy(update={"reply": reply, "state": JobState.PLANNING}),
            [("state", {"state": JobState.PLANNING.value})],
        )
        self._start(job)
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
        return (await self._analysis(job).decide(job)).planning

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
        """Cancel what runs here without ending the jobs: they are taken up again later."""
        self._stopping = True
        tasks = list(self._running.values())
        for task in tasks:
            task.cancel("stopping")
        if tasks:
            await asyncio.wait(tasks)
        for changed in self._changed.values():
            changed.set()

    def _analysis(self, job: Job) -> Analysis:
        return Analysis(self._with, self._clock, self._notifier(job.job_id))

    def _notifier(self, job_id: str) -> Callable[[], None]:
        def notify() -> None:
            if event := self._changed.get(job_id):
                event.set()

        return notify

    def _start(self, job: Job) -> None:
        """Work on a job from here on, unless that is done here already or it waits for a person.

        It has its whole time from now: time in which a person thought or no planner ran does not
        count.
        """
        idle = job.state.final or job.state is JobState.WAITING
        if idle or self._stopping or job.job_id in self._running:
            return
        here = calls.current()
        # The job outlives the call that started it: it has its own deadline, not the call's.
        context = replace(here, request_id=job.job_id, tenant=job.tenant, deadline=None)
        seconds = job.request.constraints.timeout_seconds
        with calls.entered(context), calls.changed(seconds=seconds):
            task = asyncio.create_task(self._analysis(job).run(job), name=f"job-{job.job_id}")
        self._running[job.job_id] = task
        task.add_done_callback(lambda _: self._running.pop(job.job_id, None))


def audited_request(request: AnalysisRequest) -> dict[str, object]:
    """The request as the audit log keeps it: everything but credentials.

    Repeated, it is the same record, so the time it came is left to the entry.
    """
    record = request.model_dump(mode="json", exclude={"data_sources", "timestamp"})
    record["data_sources"] = [
        {
            "type": source.type,
            "name": source.label,
            "place": source.file_path or source.file_id or "connection string (not recorded)",
        }
        for source in request.data_sources
    ]
    return record
