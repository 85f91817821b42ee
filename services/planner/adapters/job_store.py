"""Jobs in SQL tables: every method is one transaction, and nothing else holds the truth."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import bindparam, delete, func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from mesh.canonical import canonical_json
from mesh.clock import Clock
from mesh.digest import sha256_hex
from mesh.paging import keys_of, moment_key, moment_of, token_of
from mesh.processes.failpoint import failpoint
from mesh.storage.database import Database
from services.planner.adapters.job_listing import listed
from services.planner.adapters.job_rows import (
    job_of,
    keep_decision,
    new_job,
    not_found,
    store_message,
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
from services.planner.domain.jobs.job import Job, JobCount, JobEvent, JobFilter, JobState
from services.planner.domain.jobs.lease import Holder, Lease
from services.planner.domain.lesson import Lesson

_LESSONS = 100
# Built once, and of columns: whoever watches a job asks this whenever it moves.
_EVENTS = (
    select(JobEventRow.sequence, JobEventRow.timestamp, JobEventRow.kind, JobEventRow.data)
    .where(JobEventRow.planner_id == bindparam("job_id"))
    .where(JobEventRow.sequence > bindparam("after"))
    .order_by(JobEventRow.sequence)
)


class SqlJobStore:
    """The JobStore port over SQLAlchemy."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def under(self, lease: Lease) -> SqlJobWriter:
        """The same jobs, one of which may be written: as long as the lease holds."""
        return SqlJobWriter(self._database, self._clock, lease)

    async def create(
        self, job: Job, holder: Holder | None, decisions: Sequence[Decision] = ()
    ) -> tuple[Job, Lease | None]:
        """Store a new job with its first event, claimed where there is a holder; an existing id
        returns the stored job."""

        def work(session: Session) -> tuple[Job, Lease | None]:
            row = session.get(PlannerRow, job.job_id)
            if row is not None:
                if row.tenant != job.tenant:
                    raise not_found(job.job_id)
                return job_of(session, row), None
            now = lease_clock(session, self._clock)
            row = new_job(job)
            lease_row = LeaseRow(planner_id=job.job_id, token=0, waiting_since=now)
            session.add(row)
            session.flush()
            session.add(lease_row)
            store_message(session, row, "user", job.request.question, self._clock.now())
            tell(session, row, [("state", {"state": job.state.value})], self._clock.now())
            for decision in decisions:
                keep_decision(session, decision)
            lease = None if holder is None else take(lease_row, row, holder, now)
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
        """A job by its id. Raises AssayError(NOT_FOUND), also for another tenant's."""

        def work(session: Session) -> Job:
            row = session.get(PlannerRow, job_id)
            if row is None or row.tenant != tenant:
                raise not_found(job_id)
            return job_of(session, row)

        return await self._database.reading(work)

    async def page(
        self, tenant: str, wanted: JobFilter, size: int, token: str
    ) -> tuple[list[Job], str]:
        """Newest first, without plan, steps and answers, and the token of the next page."""
        listing = f"jobs:{sha256_hex(canonical_json(wanted.model_dump(mode='json')))[:16]}"
        after = keys_of(listing, token, (str, str))

        def work(session: Session) -> tuple[list[Job], str]:
            last = None if after is None else (moment_of(after[0]), str(after[1]))
            query = listed(tenant, wanted, last, size + 1)
            rows = session.scalars(query).all()
            more = ""
            if len(rows) > size:
                ended = rows[size - 1]
                more = token_of(listing, (moment_key(ended.created_at), ended.planner_id))
            return [summary_of(row) for row in rows[:size]], more

        return await self._database.reading(work)

    async def counts(self, tenant: str, session_ids: Collection[str]) -> list[JobCount]:
        """How many jobs of each session are in each state, and have a report."""
        reports = func.count().filter(PlannerRow.has_report)
        newest = func.max(PlannerRow.created_at)
        query = (
            select(PlannerRow.session_id, PlannerRow.state, func.count(), reports, newest)
            .where(PlannerRow.tenant == tenant, PlannerRow.session_id.in_(session_ids))
            .group_by(PlannerRow.session_id, PlannerRow.state)
        )

        def work(session: Session) -> list[JobCount]:
            return [
                JobCount(
                    session_id=session_id,
                    state=JobState(state),
                    count=count,
                    with_report=with_report,
                    newest_at=newest_at,
                )
                for session_id, state, count, with_report, newest_at in session.execute(query)
            ]

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

    async def note(self, decision: Decision) -> None:
        """Store a decision on a job that nobody works on any more."""

        def work(session: Session) -> None:
            keep_decision(session, decision)

        await self._database.in_transaction(work)

    async def events(self, job_id: str, after: int) -> list[JobEvent]:
        """Events after a sequence number, in order."""

        def work(session: Session) -> list[JobEvent]:
            rows = session.execute(_EVENTS, {"job_id": job_id, "after": after})
            return [JobEvent.model_validate(row) for row in rows.mappings()]

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

    async def forget_lesson(self, job_id: str) -> None:
        """Let go of what was kept of a job."""

        def work(session: Session) -> None:
            session.execute(delete(LessonRow).where(LessonRow.planner_id == job_id))

        await self._database.in_transaction(work)
