"""Whether a new job is taken at all, decided before anything of it is logged or stored."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mesh.errors import NOT_FOUND, AssayError
from services.planner.domain.jobs.job import Job
from services.planner.domain.jobs.queue import Limits, Queue
from services.planner.jobs.keeper import Keeper
from services.planner.store_ports import JobStore, Leases


class Admission:
    """Takes jobs while the queue has room.

    Planners that share a database do not wait for one another here: together they may take as
    many jobs more than the limit as they are storing in one moment.
    """

    def __init__(self, jobs: JobStore, leases: Leases, keeper: Keeper, limits: Limits) -> None:
        self._jobs = jobs
        self._leases = leases
        self._keeper = keeper
        self._limits = limits
        self._arriving: dict[str, str] = {}  # tenants by job
        self._one_by_one = asyncio.Lock()

    @asynccontextmanager
    async def admitted(self, job: Job) -> AsyncIterator[bool]:
        """Room for a job while it is being stored; whether it has a slot and may begin at once.

        A slot is whoever stores the job's to give back. Raises AssayError(QUEUE_FULL), unless the
        job is stored already: then it takes no room.
        """
        slot = False
        # What was seen last comes first: when all is full, a refusal must cost next to nothing.
        if not await self._has_no_room(job, self._keeper.queue, {}):
            async with self._one_by_one:
                before = dict(self._arriving)
                queue = (await self._leases.look()).queue
                waiting = {other.job_id for other in queue.waiting}
                arriving = {
                    job_id: tenant
                    for job_id, tenant in (before | self._arriving).items()
                    if job_id not in waiting
                }
                if not await self._has_no_room(job, queue, arriving):
                    slot = not queue.waiting and self._keeper.slots.take()
                    self._arriving[job.job_id] = job.tenant
        try:
            yield slot
        finally:
            self._arriving.pop(job.job_id, None)

    async def _has_no_room(self, job: Job, queue: Queue, arriving: dict[str, str]) -> bool:
        """Whether there is none, for a job that is stored already and needs none.

        Raises AssayError(QUEUE_FULL) for any other when there is none.
        """
        job_seconds = self._keeper.slots.job_seconds
        by_tenant = Counter(arriving.values())
        refusal = self._limits.refusal(queue, by_tenant, job.tenant, job_seconds)
        if refusal is None:
            return False
        try:
            await self._jobs.get(job.tenant, job.job_id)
        except AssayError as error:
            raise (refusal if error.reason is NOT_FOUND else error) from None
        return True
