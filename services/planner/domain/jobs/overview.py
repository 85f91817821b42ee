"""What those who run a mesh see of its jobs: how many wait, who works on which, who asks."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from services.planner.domain.jobs.queue import Queue, Waiting
from services.planner.domain.request import JobKind


@dataclass(frozen=True, slots=True)
class HeldJob:
    """A job that a planner works on; both times left are in seconds.

    `lease_left` is how long it is the planner's without another sign of life, `time_left` what the
    job has left of its own time.
    """

    job_id: str
    tenant: str
    kind: JobKind
    asked_by: str
    holder: str
    lease_left: float
    time_left: float
    stopping: bool = False


@dataclass(frozen=True, slots=True)
class Asker:
    """A user who asked for jobs; no name for the mesh itself, as for boards."""

    user: str
    jobs: int
    newest_at: datetime


@dataclass(frozen=True, slots=True)
class Depth:
    """How many jobs wait and are worked on, and for how many seconds the first has waited."""

    waiting: int
    at_work: int
    longest_wait: float | None = None


@dataclass(frozen=True, slots=True)
class Overview:
    """All that waits, of all tenants, and what is worked on of one."""

    queue: Queue
    held: tuple[HeldJob, ...]

    @property
    def whole(self) -> Depth:
        """Of all tenants together."""
        return _depth(self.queue.waiting, self.queue.at_work)

    def of(self, tenant: str) -> Depth:
        """Of the tenant whose held jobs these are."""
        theirs = tuple(job for job in self.queue.waiting if job.tenant == tenant)
        return _depth(theirs, len(self.held))


def _depth(waiting: tuple[Waiting, ...], at_work: int) -> Depth:
    return Depth(len(waiting), at_work, max((job.waited for job in waiting), default=None))
