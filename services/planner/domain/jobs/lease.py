"""Leases: the right of one planner to work on one job, for a short time that is renewed.

A planner that dies stops renewing, and another claims the job. A planner that was only slow finds
its token outdated at its next write: every transaction of a job checks it, so at most one planner
ever writes a job, whatever any clock says.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from mesh.errors import SERVICE_UNAVAILABLE, AssayError
from services.planner.domain.jobs.queue import Queue


@dataclass(frozen=True, slots=True)
class Holder:
    """A planner that claims jobs: an id that no other run of a planner has, and for how many
    seconds it claims them."""

    owner: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Lease:
    """One job, claimed. `token` grows with each claim of the job and fences earlier ones.

    `seconds_left` is what the job had left of its time when it was claimed, `waited_seconds` how
    long it had waited to be begun; 0 when it was begun before.
    """

    job_id: str
    tenant: str
    owner: str
    token: int
    seconds_left: float
    cancel_requested: bool = False
    waited_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Lookout:
    """What a planner finds when it looks around: jobs that nobody works on, and those of its own
    that somebody asked to stop."""

    queue: Queue = field(default_factory=Queue)
    cancelled: tuple[str, ...] = ()

    @property
    def abandoned(self) -> tuple[str, ...]:
        """The ids of jobs that nobody works on, in the order in which they are begun."""
        return tuple(job.job_id for job in self.queue.waiting)


class LeaseLostError(AssayError):
    """Another planner has the job now: stop at once and write nothing more about it."""

    def __init__(self, job_id: str) -> None:
        super().__init__(
            SERVICE_UNAVAILABLE,
            f"job {job_id[:8]} went on with another planner",
            hint="Ask again.",
        )


def held(lease_until: float, seconds: float, now: float) -> bool:
    """Whether a lease still holds, by the clock of the store it is kept in.

    One that reaches further than its length was written before that clock began anew (SQLite's is
    the machine's monotonic clock, which restarts with the machine): it holds no longer.
    """
    return 0 < lease_until - now <= seconds


def time_left(deadline: float | None, seconds: float, now: float) -> float:
    """What a job of `seconds` has left until its deadline; all of it when it has none yet.

    Never more than `seconds`, also after the store's clock began anew.
    """
    return seconds if deadline is None else max(0.0, min(seconds, deadline - now))
