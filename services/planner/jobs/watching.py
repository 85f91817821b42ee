"""Telling a watcher of a job all that happens to it, and its place while it waits for its turn."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator

from mesh.clock import Clock
from mesh.errors import SERVICE_UNAVAILABLE, AssayError
from services.planner.domain.jobs.job import Job, JobEvent, JobState
from services.planner.domain.readings import Readings
from services.planner.domain.thinking import Thinking
from services.planner.jobs.keeper import Keeper
from services.planner.store_ports import JobStore

# How long a watcher waits before it looks at the store again by itself; another planner may have
# moved the job without this one hearing of it.
_LOOK_AGAIN_SECONDS = 0.5
# The same where this planner works on the job: it hears of all that moves it, and of letting it go.
_LOOK_AFTER_ONESELF_SECONDS = 10.0
# How long a watcher of a job that waits for its turn is told nothing at least.
_TELL_AGAIN_SECONDS = 1.0


class Watching:
    """Follows a job in the store, from which alone it knows of what other planners do."""

    def __init__(
        self,
        jobs: JobStore,
        keeper: Keeper,
        clock: Clock,
        thinking: Thinking | None = None,
        readings: Readings | None = None,
    ) -> None:
        self._jobs = jobs
        self._keeper = keeper
        self._clock = clock
        self._thinking = thinking
        self._readings = readings

    async def events(
        self, job: Job, after: int, changed: asyncio.Event
    ) -> AsyncGenerator[JobEvent]:
        """Events after a sequence number, until the job has ended or waits for a person.

        `changed` is set whenever the job moved here. Raises as `Planner.watch` does.
        """
        resting = job.state.final or job.state is JobState.WAITING
        reason = job.progress_reason
        while True:
            changed.clear()
            for event in await self._jobs.events(job.job_id, after):
                after = event.sequence
                reason = event.data["reason"] if event.kind == "progress" else reason
                if event.kind == "state":
                    state = JobState(event.data["state"])
                    resting = state.final or state is JobState.WAITING
                yield event
            if resting:
                return
            async for place in self._places(job, changed):
                yield place.model_copy(update={"sequence": after})
            async for thought in self._thoughts(job, changed, reason):
                yield thought.model_copy(update={"sequence": after})
            if (given_up := self._keeper.given_up(job.job_id)) is not None:
                raise given_up
            if self._keeper.stopping:
                raise AssayError(
                    SERVICE_UNAVAILABLE, "this planner is stopping; the job goes on with the next"
                )
            here = self._keeper.works_on(job.job_id)
            patience = _LOOK_AFTER_ONESELF_SECONDS if here else _LOOK_AGAIN_SECONDS
            await self._wait(job, changed, patience)

    async def _wait(self, job: Job, changed: asyncio.Event, patience: float) -> None:
        """Until the job has moved, at most so many seconds, or there is something to tell of it: a
        model may be asked and a file read any moment."""
        loop = asyncio.get_running_loop()
        end = loop.time() + patience
        while (left := end - loop.time()) > 0 and not self._keeper.stopping:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(changed.wait(), min(left, _TELL_AGAIN_SECONDS))
                return
            if self._describe_work(job):
                return

    def _describe_work(self, job: Job) -> str:
        """What is done for the job that takes a while, in words for people."""
        thought = self._thinking.describe_progress(job.job_id) if self._thinking is not None else ""
        return thought or (self._readings.describe_progress(job.job_id) if self._readings else "")

    async def _thoughts(
        self, job: Job, changed: asyncio.Event, reason: str
    ) -> AsyncIterator[JobEvent]:
        """How far a model is that is asked about the job, and the reading of its files, once a
        second, until the job moves; where that ends before, the `reason` that stands. Told and not
        kept, as places are."""
        before = ""
        while not (changed.is_set() or self._keeper.stopping):
            text = self._describe_work(job) or (reason if before else "")
            if text and text != before:
                data = {"percent": job.progress, "reason": text}
                now = self._clock.now()
                yield JobEvent(sequence=0, timestamp=now, kind="progress", data=data)
            if text in ("", reason):
                return
            before = text
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(changed.wait(), _TELL_AGAIN_SECONDS)

    async def _places(self, job: Job, changed: asyncio.Event) -> AsyncIterator[JobEvent]:
        """Where a job stands, whenever that has changed, for as long as it waits for its turn and
        there is hope for its end: one that cannot be stored waits for ever.

        These are computed from what the keeper saw last: nothing is read or stored for them, so
        that many who wait cost those at work next to nothing.
        """
        text = None
        while not (changed.is_set() or self._keeper.stopping):
            place = self._keeper.place(job.job_id)
            if place is None or self._keeper.given_up(job.job_id) is not None:
                return
            if text != (text := str(place)):
                data = {
                    "percent": job.progress,
                    "reason": text,
                    "queue_position": place.before,
                }
                now = self._clock.now()
                yield JobEvent(sequence=0, timestamp=now, kind="progress", data=data)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(changed.wait(), _TELL_AGAIN_SECONDS)
