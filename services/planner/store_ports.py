"""Where jobs are kept, as protocols: in tables, written under leases."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, Protocol

from services.planner.domain.calls import Observation, ToolCall
from services.planner.domain.decision import Decision
from services.planner.domain.jobs.gaps import Gaps
from services.planner.domain.jobs.job import Job, JobCount, JobEvent, JobFilter
from services.planner.domain.jobs.lease import Holder, Lease, Lookout
from services.planner.domain.jobs.overview import Asker, Overview
from services.planner.domain.lesson import Lesson
from services.planner.domain.step import Step


class JobStore(Protocol):
    """Jobs in tables. Every method is one transaction; nothing else holds the truth."""

    def under(self, lease: Lease) -> JobWriter:
        """What writes the job of that lease."""
        ...

    async def create(
        self, job: Job, holder: Holder | None, decisions: Sequence[Decision] = ()
    ) -> tuple[Job, Lease | None]:
        """Store a new job with its first event and what was decided on it before, claimed where
        there is a holder; an existing id returns the stored job."""
        ...

    async def get(self, tenant: str, job_id: str) -> Job:
        """A job by its id. Raises AssayError(NOT_FOUND), also for another tenant's."""
        ...

    async def page(
        self, tenant: str, wanted: JobFilter, size: int, token: str
    ) -> tuple[list[Job], str]:
        """Newest first, without answers, and the token of the next page.

        Raises AssayError(INVALID_ARGUMENT) for a token that was never given for this filter.
        """
        ...

    async def counts(self, tenant: str, session_ids: Collection[str]) -> list[JobCount]:
        """How many jobs of each session are in each state, and have a report."""
        ...

    async def observations(self, job_id: str) -> list[tuple[ToolCall, Observation | None]]:
        """Every call of a job in order, with what came back."""
        ...

    async def decisions(self, job_id: str) -> list[Decision]:
        """Every recorded decision, in order."""
        ...

    async def note(self, decision: Decision) -> None:
        """Store a decision that leaves the job as it is, once; nobody need work on the job."""
        ...

    async def events(self, job_id: str, after: int) -> list[JobEvent]:
        """Events after a sequence number, in order."""
        ...

    async def unlogged_ends(self) -> list[tuple[str, str]]:
        """Tenants and ids of jobs that ended while the audit log could not be told."""
        ...

    async def end_logged(self, job_id: str) -> None:
        """Store that the audit log knows of a job's end."""
        ...

    async def keep_lesson(self, lesson: Lesson) -> None:
        """Keep what memory has to be told of a job; one a job, the last one kept."""
        ...

    async def kept_lessons(self) -> list[tuple[str, Lesson]]:
        """What memory still has to be told, each with its tenant, at most a hundred."""
        ...

    async def forget_lesson(self, job_id: str) -> None:
        """Let go of what was kept of a job."""
        ...


class Overviews(Protocol):
    """What operators see of the jobs in a store. Nothing is written."""

    async def overview(self, tenant: str) -> Overview:
        """What waits, and what is worked on of a tenant, at one moment."""
        ...

    async def askers(self, tenant: str) -> list[Asker]:
        """Who of a tenant has asked for jobs, the newest first; at most a thousand."""
        ...

    async def database_bytes(self) -> int:
        """How large the database is."""
        ...

    async def gaps(self, tenant: str, since: datetime) -> Gaps:
        """What was asked for since then and not answered, or not for sure."""
        ...


class JobWriter(Protocol):
    """Writes one job under a lease. Every method is one transaction that checks the lease first.

    Raises LeaseLostError, having written nothing, once another planner has the job.
    """

    async def held(self) -> bool:
        """Whether the job can still be written."""
        ...

    async def save(
        self,
        job: Job,
        events: Sequence[tuple[str, dict[str, Any]]] = (),
        decisions: Sequence[Decision] = (),
    ) -> Job:
        """Store a job's new state, its steps, what watchers are told and what was decided.

        The lease ends with a job that has ended or waits for a person.
        """
        ...

    async def save_step(
        self,
        job: Job,
        step: Step,
        call: ToolCall | None = None,
        observation: Observation | None = None,
        decision: Decision | None = None,
    ) -> Job:
        """Store a step's new state with the call or observation that moved it."""
        ...

    async def keep_observation(self, job: Job, call: ToolCall, observation: Observation) -> None:
        """Store what came back from a call, before anybody is told of it."""
        ...


class Leases(Protocol):
    """One planner's claims on jobs, by the clock of the database they are kept in."""

    async def claim(self, job_id: str) -> Lease | None:
        """The job, if it has not ended and nobody holds it. Raises AssayError(NOT_FOUND)."""
        ...

    async def renew(self, job_ids: Collection[str]) -> frozenset[str]:
        """Hold these jobs for another while; returns those of them that were not lost.

        A job that has ended or waits is nobody's, and not lost: what remains is done in peace.
        """
        ...

    async def look(self) -> Lookout:
        """Jobs that want work and have nobody, and this planner's own that were asked to stop."""
        ...

    async def release(self, lease: Lease, rested: bool = False) -> None:
        """Let go of a job at once; nothing happens when another planner has it.

        `rested` gives all its time back: nobody has worked on it since it was claimed.
        """
        ...

    async def request_cancel(self, job_id: str) -> None:
        """Ask whoever works on a job, now or next, to stop."""
        ...

    async def stopping(self, job_id: str) -> bool:
        """Whether a job was asked to stop."""
        ...
