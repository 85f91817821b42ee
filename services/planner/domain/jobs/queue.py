"""Which job is begun next, and how long the others will wait.

Tenants take turns. A tenant with fewer jobs at work goes first; among equals the one that has been
idle for longest, where idle means since its last job was begun, and at most since its oldest
waiting job came. So whoever comes later never overtakes, and a tenant with nothing at work sees
every other begun at most once before it. Within a tenant the oldest job goes first. Jobs that were
begun before, by a planner that died or before a person was asked, go before all that were not.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import inf

from mesh.errors import QUEUE_FULL, AssayError

_UNKNOWN_JOB_SECONDS = 2.0
"""How long a job is thought to take while none has ended yet."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A job that wants work and that no planner works on.

    `waited` is in seconds, and so is `left`: what is left of its own time, which is spent by
    waiting too where it was never begun.
    """

    job_id: str
    tenant: str
    waited: float = 0.0
    begun: bool = False
    cancelled: bool = False
    left: float = inf


@dataclass(frozen=True, slots=True)
class Place:
    """Where a job stands: how many are begun before it, and for about how many seconds it waits."""

    before: int
    seconds: float

    def __str__(self) -> str:
        """For people."""
        jobs = "1 job is" if self.before == 1 else f"{self.before} jobs are"
        where = f"{jobs} before it" if self.before else "it is next"
        return f"waiting: {where}, about {max(1, round(self.seconds))} s"


@dataclass(frozen=True, slots=True)
class Queue:
    """All that waits, in the order in which it is begun, and how many jobs are at work."""

    waiting: tuple[Waiting, ...] = ()
    at_work: int = 0

    def without(self, job_ids: Iterable[str]) -> Queue:
        """The queue after these jobs were begun."""
        gone = set(job_ids)
        left = tuple(job for job in self.waiting if job.job_id not in gone)
        return Queue(left, self.at_work + len(self.waiting) - len(left))


@dataclass(frozen=True, slots=True)
class Limits:
    """How many jobs one planner works on at once, how many may wait for all planners together,
    which share of those may be one tenant's, and for how many seconds a job may wait."""

    at_once: int = 4
    waiting: int = 200
    tenant_share: float = 0.5
    wait_seconds: float = 120.0

    @property
    def of_a_tenant(self) -> int:
        """How many jobs of one tenant may wait."""
        return max(1, int(self.waiting * self.tenant_share))

    def overdue(self, job: Waiting) -> bool:
        """Whether a job has waited for so long that it is only ended, which takes no slot."""
        return job.left <= 0.0 or (not job.begun and job.waited > self.wait_seconds)

    def seconds_until_begun(self, queue: Queue, before: int, job_seconds: float | None) -> float:
        """How long a job with so many before it waits, when jobs take `job_seconds`."""
        together = max(queue.at_work, self.at_once)
        return (before + 1) * (job_seconds or _UNKNOWN_JOB_SECONDS) / together

    def refusal(
        self, queue: Queue, arriving: Mapping[str, int], tenant: str, job_seconds: float | None
    ) -> AssayError | None:
        """Why no further job of a tenant can be taken (QUEUE_FULL); None when one can.

        `arriving` are jobs by tenant that were taken and are not stored yet; `job_seconds` is what
        jobs took lately, None where that is not known.
        """
        free = max(0, self.at_once - queue.at_work)
        by_tenant = Counter(job.tenant for job in queue.waiting) + Counter(arriving)
        waiting, theirs = by_tenant.total() - free, by_tenant.pop(tenant, 0) - free
        # Each other tenant has a turn for each of theirs, and one more.
        before = max(0, theirs + sum(min(count, theirs + 1) for count in by_tenant.values()))
        seconds = self.seconds_until_begun(queue, before, job_seconds)
        if waiting >= self.waiting:
            why = f"{waiting} jobs wait already"
            seconds = self.seconds_until_begun(queue, waiting, job_seconds)
        elif theirs >= self.of_a_tenant:
            why = f"{theirs} jobs of yours wait already, which is as many as one user may have"
        elif job_seconds is not None and seconds > self.wait_seconds:
            why = f"it would wait about {seconds:.0f} s, longer than jobs may"
        else:
            return None
        retry = min(max(1.0, seconds / 2), self.wait_seconds)
        return AssayError(
            QUEUE_FULL,
            f"the job was not taken: {why}",
            hint=f"Ask again in about {retry:.0f} s.",
            metadata={"waiting": str(waiting), "limit": str(self.waiting)},
            retry_seconds=retry,
        )


def in_turn(
    waiting: Iterable[Waiting], at_work: Mapping[str, int], idle: Mapping[str, float]
) -> tuple[Waiting, ...]:
    """Jobs in the order in which they are begun, from what each tenant has at work by now, and
    from how many seconds ago a job of it was begun last."""
    oldest = sorted(waiting, key=lambda job: (-job.waited, job.job_id))
    begun = [job for job in oldest if job.begun]
    of_tenant: dict[str, list[Waiting]] = defaultdict(list)
    for job in reversed(oldest):
        if not job.begun:
            of_tenant[job.tenant].append(job)
    busy = Counter(at_work) + Counter(job.tenant for job in begun)
    turns = [
        (busy[tenant], -min(jobs[-1].waited, idle.get(tenant, inf)), tenant)
        for tenant, jobs in of_tenant.items()
    ]
    heapq.heapify(turns)
    ordered = list(begun)
    while turns:
        at_once, _, tenant = heapq.heappop(turns)
        ordered.append(of_tenant[tenant].pop())
        if of_tenant[tenant]:  # its turn comes again after all who wait now
            heapq.heappush(turns, (at_once + 1, float(len(ordered)), tenant))
    return tuple(ordered)


def place(queue: Queue, job_id: str, limits: Limits, job_seconds: float | None) -> Place | None:
    """Where a job stands; None when it does not wait."""
    for before, job in enumerate(queue.waiting):
        if job.job_id == job_id:
            return Place(before, limits.seconds_until_begun(queue, before, job_seconds))
    return None
