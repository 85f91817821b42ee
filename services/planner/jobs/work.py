"""What a kind of work brings, as the machine that every job shares sees it."""

from __future__ import annotations

from typing import Protocol

from services.planner.domain.catalogue import Frozen
from services.planner.domain.clarification import Clarification
from services.planner.domain.failure import Failure
from services.planner.domain.jobs.job import Job
from services.planner.domain.plan import Plan


class Preview(Frozen):
    """What would be done: exactly one of plan, clarification and failure is set.

    `doubtful` says that the reading is told so, if it is answered.
    """

    understood: str = ""
    doubtful: bool = False
    plan: Plan | None = None
    clarification: Clarification | None = None
    failure: Failure | None = None


class Work(Protocol):
    """One kind of work, for one job at a time."""

    async def advance(self, job: Job) -> None:
        """Take the job to its end, or to a question back.

        Each stage reads the job as stored and leaves it further on: whoever takes it up after a
        crash calls this again. Raises AssayError for a failure that ends the job.
        """
        ...

    async def preview(self, job: Job) -> Preview:
        """Understand and plan without running or storing anything. Raises AssayError."""
        ...
