"""Keeping jobs: what this planner holds is renewed, what nobody holds is claimed.

One loop looks around: for jobs that wait for their turn, as long as there are slots to work in,
for its own that somebody asked to stop, and for its own that another planner has by now.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from typing import Any

from mesh import context as calls
from mesh.clock import Clock
from mesh.errors import INTERNAL, AssayError
from services.planner.domain.jobs.lease import Lease, LeaseLostError
from services.planner.domain.jobs.queue import Limits, Place, Queue, Waiting, place
from services.planner.domain.request import MAX_TIMEOUT_SECONDS
from services.planner.jobs.running import CANCEL
from services.planner.jobs.setbacks import Setbacks
from services.planner.jobs.slots import Slots
from services.planner.store_ports import Leases

log = logging.getLogger("assay.planner")

_LET_GO = "let go of the job"


@dataclass(frozen=True)
class Rhythm:
    """How often a planner renews what it holds, and how often it looks around, in seconds."""

    renew_seconds: float = 1.0
    look_seconds: float = 0.5


class Keeper:
    """The jobs that this planner holds, each a task of its own.

    `work` takes a claimed job to its end, or to a question back; `chores` are begun
    at every look, which waits for nothing but the database: else leases would run out behind it.
    """

    def __init__(
        self,
        leases: Leases,
        work: Callable[[Lease], Coroutine[Any, Any, None]],
        clock: Clock,
        rhythm: Rhythm,
        chores: Callable[[], None] | None = None,
        limits: Limits | None = None,
    ) -> None:
        self._leases = leases
        self._work = work
        self._clock = clock
        self._rhythm = rhythm
        self._chores = chores
        self._setbacks = Setbacks(clock)
        self._running: dict[str, asyncio.Task[None]] = {}
        self._looking: asyncio.Task[None] | None = None
        self._renewed = clock.monotonic()
        self._limits = limits or Limits()
        self._stopping = asyncio.Event()
        self._stirred = asyncio.Event()
        self._unseen = False
        self.slots = Slots(self._limits.at_once)
        self.queue = Queue()
        """All that waited when this planner looked last."""

    @property
    def stopping(self) -> bool:
        """Whether no more work is taken."""
        return self._stopping.is_set()

    async def start(self) -> None:
        """Take up what an earlier planner left, and go on looking until `stop`."""
        await self.look()
        self._looking = asyncio.create_task(self._look_on(), name="keeper")

    def waits(self) -> None:
        """A job was left to wait: look for it as soon as there is a slot."""
        self._unseen = True
        if self.slots.free:
            self._stirred.set()

    def place(self, job_id: str) -> Place | None:
        """Where a job stood when this planner looked last; None when it did not wait."""
        if job_id in self._running:
            return None
        return place(self.queue, job_id, self._limits, self.slots.job_seconds)

    async def begin(self, lease: Lease, slotted: bool = False) -> None:
        """Work on a claimed job, within what is left of its time, whoever asked for it.

        `slotted` says that a slot was taken for it, which is given back at its end.
        """
        if self.stopping:
            if slotted:
                self.slots.give_back()
            await self._release(lease)
            return
        here = calls.current()
        context = replace(
            here,
            service="planner",  # what this planner found for itself was begun by no call to it
            request_id=lease.job_id,
            job_id=lease.job_id,
            tenant=lease.tenant,
            deadline=None,
        )
        with calls.entered(context), calls.changed(seconds=lease.seconds_left):
            task = asyncio.create_task(self._keep(lease), name=f"job-{lease.job_id}")
        self._running[lease.job_id] = task
        if slotted:
            began = self._clock.monotonic()
            task.add_done_callback(lambda _: self._free_slot(self._clock.monotonic() - began))

    def _free_slot(self, seconds: float) -> None:
        self.slots.give_back(seconds)
        if self.queue.waiting or self._unseen:
            self._stirred.set()

    def cancel(self, job_id: str) -> None:
        """End a job that runs here; nothing happens when it does not."""
        if task := self._running.get(job_id):
            _cancel(task, CANCEL)

    def works_on(self, job_id: str) -> bool:
        """Whether a job is at work here."""
        return job_id in self._running

    def given_up(self, job_id: str) -> AssayError | None:
        """Why a job whose time is over has not ended; None while there is hope, or it runs here."""
        return None if job_id in self._running else self._setbacks.given_up(job_id)

    async def look(self) -> None:
        """Look around once; what cannot be done now for want of the database is done next time."""
        try:
            since = self._clock.monotonic() - self._renewed
            if self._running and since >= self._rhythm.renew_seconds:
                await self._renew()
            await self._look_for_work()
            if self._chores is not None:
                self._chores()
        except AssayError as error:
            log.warning("leases could not be kept: %s", error)

    async def _look_for_work(self) -> None:
        self._stirred.clear()
        self._unseen = False
        found = await self._leases.look()
        for job_id in found.cancelled:
            self.cancel(job_id)
        self.queue = found.queue
        for job in found.queue.waiting:
            if self.stopping:
                return
            if not self._setbacks.due(job.job_id):
                continue
            if job.job_id in self._running or await self._claim(job):
                self.queue = self.queue.without([job.job_id])

    async def _claim(self, job: Waiting) -> bool:
        """Claim a job if there is a slot for it, or if it only has to be ended; whether it waits
        no more."""
        slotted = not job.cancelled and not self._limits.overdue(job)
        if slotted and not self.slots.take():
            return False
        lease = None
        try:
            lease = await self._leases.claim(job.job_id)
        except AssayError as error:
            self._setbacks.met(job.job_id, error, max(0.0, min(job.left, MAX_TIMEOUT_SECONDS)))
            raise
        finally:
            if lease is None and slotted:
                self.slots.give_back()
        if lease is not None:
            await self.begin(lease, slotted)
        return True

    async def stop(self) -> None:
        """Let go of every job without ending it: another planner goes on with it at once."""
        self._stopping.set()
        self._stirred.set()
        if self._looking is not None:
            await self._looking
        tasks = list(self._running.values())
        for task in tasks:
            _cancel(task, _LET_GO)
        if tasks:
            await asyncio.wait(tasks)

    async def _look_on(self) -> None:
        while not self.stopping:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stirred.wait(), self._rhythm.look_seconds)
            if self.stopping:
                return
            try:
                await self.look()
            except Exception:  # whatever it was, the jobs that run must go on being renewed
                log.exception("looking for jobs failed")

    async def _renew(self) -> None:
        held = dict(self._running)
        began = self._clock.monotonic()
        mine = await self._leases.renew(list(held))
        self._renewed = began
        for job_id in held.keys() - mine:
            if self._running.get(job_id) is held[job_id]:  # it has not ended in this moment
                log.warning("%s", LeaseLostError(job_id).message)
                _cancel(held[job_id], _LET_GO)

    async def _keep(self, lease: Lease) -> None:
        try:
            await self._work(lease)
            self._setbacks.overcome(lease.job_id)
        except AssayError as error:  # nothing could be stored; the next planner may be luckier
            log.warning("job %s is let go: %s", lease.job_id, error)
            if not isinstance(error, LeaseLostError):
                self._set_back(lease, error)
        except Exception:  # not even its failure could be told: as above, and no faster
            log.exception("job %s is let go", lease.job_id)
            self._set_back(lease, AssayError(INTERNAL, "something went wrong inside Assay"))
        finally:
            if self._running.get(lease.job_id) is asyncio.current_task():
                del self._running[lease.job_id]
            await asyncio.shield(self._release(lease))

    def _set_back(self, lease: Lease, error: AssayError) -> None:
        left = calls.current().seconds_left(lease.seconds_left)
        self._setbacks.met(lease.job_id, error, left)

    async def _release(self, lease: Lease) -> None:
        try:
            await self._leases.release(lease)
        except AssayError as error:  # then it runs out
            log.warning("the lease of job %s could not be released: %s", lease.job_id, error)


def _cancel(task: asyncio.Task[None], why: str) -> None:
    """Cancel a task once: what it does on the way out must not be cut short."""
    if not task.cancelling():
        task.cancel(why)
