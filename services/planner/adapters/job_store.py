"""Jobs in SQL tables: every method is one transaction, and nothing else holds the truth."""

from __future__ import annotations

from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, defer

from mesh.clock import Clock
from mesh.database import Database
from mesh.errors import INVALID_ARGUMENT, AssayError
from mesh.failpoint import failpoint
from services.planner.adapters.job_rows import (
    job_of,
    new_job,
    not_found,
    offset,
    say,
    summary_of,
    tell,
)
from services.planner.adapters.job_writer import SqlJobWriter
from services.planner.adapters.leases import lease_clock, take
from services.planner.adapters.tables import (
    DecisionRow,
    JobEventRow,
    LeaseRow,
    LessonRow,
    PlannerRow,
    ToolCallRow,
)
from services.planner.domain.calls import Observation, ToolCall
from services.planner.domain.decision import Decision
from services.planner.domain.job import Job, JobEvent
from services.planner.domain.lease import Holder, Lease
from services.planner.domain.lesson import Lesson

_SHORTEST_PREFIX = 4
_LESSONS = 100


class SqlJobStore:
    """The JobStore port over SQLAlchemy."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def under(self, lease: Lease) -> SqlJobWriter:
        """The same jobs, one of which may be written: as long as the lease holds."""
        return SqlJobWriter(self._database, self._clock, lease)

    async def create(self, job: Job, holder: Holder) -> tuple[Job, Lease | None]:
        """Store a new job with its first event, claimed; an existing id returns the stored job."""

        def work(session: Session) -> tuple[Job, Lease | None]:
            row = session.get(PlannerRow, job.job_id)
            if row is not None:
                if row.tenant != job.tenant:
                    raise not_found(job.job_id)
                return job_of(session, row), None
            row, lease_row = new_job(job), LeaseRow(planner_id=job.job_id, token=0)
            session.add(row)
            session.flush()
            session.add(lease_row)
            say(session, row, "user", job.request.intent, self._clock.now())
            tell(session, row, [("state", {"state": job.state.value})], self._clock.now())
            lease = take(lease_row, row, holder, lease_clock(session, self._clock))
            session.flush()
            failpoint("planner: submitted, uncommitted")
            return job_of(session, row), lease

        try:
            created = await self._database.in_transaction(work)
        except IntegrityError:  # another planner was faster with the same request
            created = await self._database.in_transaction(work)
        failpoint("planner: submitted, committed")
        return created

    async def get(self, tenant: str, job_id: str) -> Job:
        """A job by id or unambiguous prefix. Raises AssayError(NOT_FOUND, INVALID_ARGUMENT)."""

        def work(session: Session) -> Job:
            if len(job_id) < _SHORTEST_PREFIX:
                raise AssayError(
                    INVALID_ARGUMENT, f"{job_id!r} is too short to name a job: give 4 characters"
                )
            found = session.scalars(
                select(PlannerRow)
                .where(PlannerRow.tenant == tenant)
                .where(PlannerRow.planner_id.startswith(job_id, autoescape=True))
                .limit(2)
            ).all()
            if not found:
                raise not_found(job_id)
            if len(found) > 1:
                raise AssayError(
                    INVALID_ARGUMENT, f"several jobs begin with {job_id!r}: give more of the id"
                )
            return job_of(session, found[0])

        return await self._database.reading(work)

    async def page(self, tenant: str, size: int, token: str) -> tuple[list[Job], str]:
        """Newest first, without steps and answers, and the token of the next page."""

        def work(session: Session) -> tuple[list[Job], str]:
            query = (
                select(PlannerRow)
                .where(PlannerRow.tenant == tenant)
                .order_by(PlannerRow.created_at.desc(), PlannerRow.planner_id)
                .options(defer(PlannerRow.answer), defer(PlannerRow.plan))
                .offset(offset(token))
                .limit(size + 1)
            )
            rows = session.scalars(query).all()
            more = str(offset(token) + size) if len(rows) > size else ""
            return [summary_of(row) for row in rows[:size]], more

        return await self._database.reading(work)

    async def observations(self, job_id: str) -> list[tuple[ToolCall, Observation | None]]:
        """Every call of a job in order, with what came back."""

        def work(session: Session) -> list[tuple[ToolCall, Observation | None]]:
            query = select(ToolCallRow).where(ToolCallRow.planner_id == job_id)
            return [
                (
                    ToolCall.model_validate(row.call),
                    Observation.model_validate(row.observation) if row.observation else None,
                )
                for row in session.scalars(query.order_by(ToolCallRow.position))
            ]

        return await self._database.reading(work)

    async def decisions(self, job_id: str) -> list[Decision]:
        """Every recorded decision, in order."""

        def work(session: Session) -> list[Decision]:
            query = select(DecisionRow).where(DecisionRow.planner_id == job_id)
            rows = session.scalars(query.order_by(DecisionRow.position))
            return [Decision.model_validate(row.decision) for row in rows]

        return await self._database.reading(work)

    async def events(self, job_id: str, after: int) -> list[JobEvent]:
        """Events after a sequence number, in order."""

        def work(session: Session) -> list[JobEvent]:
            query = (
                select(JobEventRow)
                .where(JobEventRow.planner_id == job_id, JobEventRow.sequence > after)
                .order_by(JobEventRow.sequence)
            )
            return [
                JobEvent.model_validate(
                    {
                        "sequence": row.sequence,
                        "timestamp": row.timestamp,
                        "kind": row.kind,
                        "data": row.data,
                    }
                )
                for row in session.scalars(query)
            ]

        return await self._database.reading(work)

    async def unlogged_ends(self) -> list[tuple[str, str]]:
        """Tenants and ids of jobs that ended while the audit log could not be told."""

        def work(session: Session) -> list[tuple[str, str]]:
            query = select(PlannerRow.tenant, PlannerRow.planner_id)
            rows = session.execute(query.where(PlannerRow.end_logged.is_(False)))
            return [(tenant, job_id) for tenant, job_id in rows]

        return await self._database.reading(work)

    async def end_logged(self, job_id: str) -> None:
        """Store that the audit log knows of a job's end."""

        def work(session: Session) -> None:
            session.get_one(PlannerRow, job_id).end_logged = True

        await self._database.in_transaction(work)

    async def keep_lesson(self, lesson: Lesson) -> None:
        """Keep what memory has to be told of a job; one a job, the last one kept."""

        def work(session: Session) -> None:
            row = LessonRow(planner_id=lesson.job_id, lesson=lesson.model_dump(mode="json"))
            session.merge(row)

        await self._database.in_transaction(work)

    async def kept_lessons(self) -> list[tuple[str, Lesson]]:
        """What memory still has to be told, each with its tenant, at most a hundred."""

        def work(session: Session) -> list[tuple[str, Lesson]]:
            query = select(PlannerRow.tenant, LessonRow.lesson).join(
                PlannerRow, PlannerRow.planner_id == LessonRow.planner_id
            )
            rows = session.execute(query.order_by(PlannerRow.created_at).limit(_LESSONS))
            return [(tenant, Lesson.model_validate(lesson)) for tenant, lesson in rows]

        return await self._database.reading(work)

    async def lesson_told(self, job_id: str) -> None:
        """Let go of what was kept of a job."""

        def work(session: Session) -> None:
            session.execute(delete(LessonRow).where(LessonRow.planner_id == job_id))

        await self._database.in_transaction(work)
