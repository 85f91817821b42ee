"""Jobs of which nothing can be stored, as under a full disk: tried again ever more rarely.

Such a job cannot end where jobs are kept. Whoever watches it is told instead, once its time is
over.
"""

from __future__ import annotations

from dataclasses import dataclass

from mesh.clock import Clock
from mesh.errors import AssayError

_SECOND_WAIT_SECONDS = 0.5  # the first try comes at once: most trouble is over by then
_LONGEST_WAIT_SECONDS = 30.0
_KEPT_SECONDS = 3600.0  # another planner may have ended the job, of which this one hears nothing
GRACE_SECONDS = 5.0
"""How long after a job's time is over its end may take to be stored before watchers are told."""


@dataclass(frozen=True)
class _Setback:
    error: AssayError
    wait: float
    again_at: float
    over_at: float


class Setbacks:
    """What happened to jobs that this planner could not carry on; each job's count starts anew
    once something of it was stored."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._of: dict[str, _Setback] = {}

    def met(self, job_id: str, error: AssayError, seconds_left: float) -> None:
        """Nothing of a job could be stored; it had so much of its own time left."""
        now, before = self._clock.monotonic(), self._of.get(job_id)
        wait = 0.0 if before is None else max(_SECOND_WAIT_SECONDS, 2 * before.wait)
        wait = min(wait, _LONGEST_WAIT_SECONDS)
        over_at = before.over_at if before else now + seconds_left + GRACE_SECONDS
        self._of = {one: of for one, of in self._of.items() if now < of.over_at + _KEPT_SECONDS}
        self._of[job_id] = _Setback(error, wait, now + wait, over_at)

    def overcome(self, job_id: str) -> None:
        """A job was carried on."""
        self._of.pop(job_id, None)

    def due(self, job_id: str) -> bool:
        """Whether it is time to try a job (again)."""
        found = self._of.get(job_id)
        return found is None or self._clock.monotonic() >= found.again_at

    def given_up(self, job_id: str) -> AssayError | None:
        """What to tell watchers of a job whose time is over and whose end cannot be stored."""
        found = self._of.get(job_id)
        if found is None or self._clock.monotonic() < found.over_at:
            return None
        return AssayError(
            found.error.reason,
            f"the end of job {job_id[:8]} cannot be stored: {found.error.message}",
            hint=f"{found.error.remedy} The job ends by itself once its end can be stored.",
            metadata=dict(found.error.metadata),
        )
