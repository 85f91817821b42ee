"""Keeping jobs: what this planner holds is renewed, what nobody holds is claimed.

One loop looks around: for jobs that a dead planner left, for its own that somebody asked to stop,
and for its own that another planner has by now.
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
from mesh.errors import AssayError
from services.planner.analysis import CANCEL
from services.planner.domain.lease import Lease, LeaseLostError
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
    ) -> None:
        self._leases = leases
        self._work = work
        self._clock = clock
        self._rhythm = rhythm
        self._chores = chores
        self._running: dict[str, asyncio.Task[None]] = {}
        self._looking: asyncio.Task[None] | None = None
        self._renewed = clock.monotonic()
        self._stopping = asyncio.Event()

    @property
    def stopping(self) -> bool:
        """Whether no more work is taken."""
        return self._stopping.is_set()

    async def start(self) -> None:
        """Take up what an earlier planner left, and go on looking until `stop`."""
        await self.look()
        self._looking = asyncio.create_task(self._look_on(), name="keeper")

    async def begin(self, lease: Lease) -> None:
        """Work on a claimed job, within what is left of its time, whoever asked for it."""
        if self.stopping:
            await self._release(lease)
            return
        here = calls.current()
        context = replace(here, request_id=lease.job_id, tenant=lease.tenant, deadline=None)
        with calls.entered(context), calls.changed(seconds=lease.seconds_left):
            task = asyncio.create_task(self._keep(lease), name=f"job-{lease.job_id}")
        self._running[lease.job_id] = task

    def cancel(self, job_id: str) -> None:
        """End a job that runs here; nothing happens when it does not."""
        if task := self._running.get(job_id):
            _cancel(task, CANCEL)

    async def look(self) -> None:
        """Look around once; what cannot be done now for want of the database is done next time."""
        try:
            since = self._clock.monotonic() - self._renewed
            if self._running and since >= self._rhythm.renew_seconds:
                await self._renew()
            found = await self._leases.look()
            for job_id in found.cancelled:
                self.cancel(job_id)
            for job_id in found.abandoned:
                if job_id in self._running or self.stopping:
                    continue
                lease = await self._leases.claim(job_id)
                if lease is not None:
                    log.info("job %s is taken up (claim %d)", job_id, lease.token)
                    await self.begin(lease)
            if self._chores is not None:
                self._chores()
        except AssayError as error:
            log.warning("leases could not be kept: %s", error)

    async def stop(self) -> None:
        """Let go of every job without ending it: another planner goes on with it at once."""
        self._stopping.set()
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
                await asyncio.wait_for(self._stopping.wait(), self._rhythm.look_seconds)
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
        except AssayError as error:  # nothing could be stored; the next planner may be luckier
            log.warning("job %s is let go: %s", lease.job_id, error)
        finally:
            if self._running.get(lease.job_id) is asyncio.current_task():
                del self._running[lease.job_id]
            await asyncio.shield(self._release(lease))

    async def _release(self, lease: Lease) -> None:
        try:
            await self._leases.release(lease)
        except AssayError as error:  # then it runs out
            log.warning("the lease of job %s could not be released: %s", lease.job_id, error)


def _cancel(task: asyncio.Task[None], why: str) -> None:
    """Cancel a task once: what it does on the way out must not be cut short."""
    if not task.cancelling():
        task.cancel(why)
