"""Telling a watcher of a job all that happens to it, and its place while it waits for its turn."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator

from mesh.clock import Clock
from mesh.errors import SERVICE_UNAVAILABLE, AssayError
from services.planner.domain.job import Job, JobEvent, JobState
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
        self, jobs: JobStore, keeper: Keeper, clock: Clock, thinking: Thinking | None = None
    ) -> None:
        self._jobs = jobs
        self._keeper = keeper
        self._clock = clock
        self._thinking = thinking

    async def events(
        self, job: Job, after: int, changed: asyncio.Event
    ) -> AsyncGenerator[JobEvent]:
        """Events after a sequence number, until the job has ended or waits for a person.

        `changed` is set whenever the job moved here. Raises as `Planner.watch` does.
        """
        resting = job.state.final or job.state is JobState.WAITING
        while True:
            changed.clear()
            for event in await self._jobs.events(job.job_id, after):
                after = event.sequence
                if event.kind == "state":
                    state = JobState(event.data["state"])
                    resting = state.final or state is JobState.WAITING
                yield event
            if resting:
                return
            async for place in self._places(job, changed):
                yield place.model_copy(update={"sequence": after})
            async for thought in self._thoughts(job, changed):
                yield thought.model_copy(update={"sequence": after})
            if (given_up := self._keeper.given_up(job.job_id)) is not None:
                raise given_up
            if self._keeper.stopping:
                raise AssayError(
                    SERVICE_UNAVAILABLE, "this planner is stopping; the job goes on with the next"
                )
            here = self._keeper.works_on(job.job_id)
            patience = _LOOK_AFTER_ONESELF_SECONDS if here else _LOOK_AGAIN_SECONDS
            if here and self._thinking is not None:
                patience = _TELL_AGAIN_SECONDS  # a model may be asked any moment
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(changed.wait(), patience)

    async def _thoughts(self, job: Job, changed: asyncio.Event) -> AsyncIterator[JobEvent]:
        """How far a model is that is asked about the job, once a second, until the job moves. Told
        and not kept, as places are."""
        while self._thinking is not None and not (changed.is_set() or self._keeper.stopping):
            if not (told := self._thinking.told(job.job_id)):
                return
            data = {"percent": job.progress, "reason": told}
            now = self._clock.now()
            yield JobEvent(sequence=0, timestamp=now, kind="progress", data=data)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(changed.wait(), _TELL_AGAIN_SECONDS)

    async def _places(self, job: Job, changed: asyncio.Event) -> AsyncIterator[JobEvent]:
        """Where a job stands, whenever that has changed, for as long as it waits for its turn and
        there is hope for its end: one that cannot be stored waits for ever.

        These are computed from what the keeper saw last: nothing is read or stored for them, so
        that many who wait cost those at work next to nothing.
        """
        told = None
        while not (changed.is_set() or self._keeper.stopping):
            place = self._keeper.place(job.job_id)
            if place is None or self._keeper.given_up(job.job_id) is not None:
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
