"""What operators see of the jobs of a store: by queries of their own, which hold nothing up."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from mesh.clock import Clock
from mesh.storage.database import Database
from services.planner.adapters.gaps import gaps_of
from services.planner.adapters.leases import AT_WORK, SECONDS, lease_clock, queue_of
from services.planner.adapters.tables import LeaseRow, PlannerRow
from services.planner.domain.jobs.gaps import Gaps
from services.planner.domain.jobs.lease import held, time_left
from services.planner.domain.jobs.overview import Asker, HeldJob, Overview
from services.planner.domain.request import JobKind

MOST_ASKERS = 1_000


class SqlOverviews:
    """The Overviews port over SQLAlchemy."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def overview(self, tenant: str) -> Overview:
        """What waits, and what is worked on of a tenant, at one moment."""

        def work(session: Session) -> Overview:
            now = lease_clock(session, self._clock)
            return Overview(queue_of(session, now), _held(session, tenant, now))

        return await self._database.reading(work)

    async def askers(self, tenant: str) -> list[Asker]:
        """Who of a tenant has asked for jobs, the newest first; at most MOST_ASKERS."""
        newest = func.max(PlannerRow.created_at)
        query = (
            select(PlannerRow.asked_by, func.count(), newest)
            .where(PlannerRow.tenant == tenant)
            .group_by(PlannerRow.asked_by)
            .order_by(newest.desc(), PlannerRow.asked_by)
            .limit(MOST_ASKERS)
        )

        def work(session: Session) -> list[Asker]:
            return [Asker(user, jobs, last) for user, jobs, last in session.execute(query)]

        return await self._database.reading(work)

    async def database_bytes(self) -> int:
        """As the database tells itself."""
        return await self._database.size_bytes()

    async def gaps(self, tenant: str, since: datetime) -> Gaps:
        """What was asked for since then and not answered, or not for sure."""
        return await self._database.reading(lambda session: gaps_of(session, tenant, since))


def _held(session: Session, tenant: str, now: float) -> tuple[HeldJob, ...]:
    """The longest held first."""
    query = (
        select(LeaseRow, PlannerRow.kind, PlannerRow.asked_by, SECONDS)
        .join(PlannerRow, PlannerRow.planner_id == LeaseRow.planner_id)
        .where(PlannerRow.tenant == tenant, PlannerRow.state.in_(AT_WORK))
        .where(LeaseRow.owner.is_not(None))
        .order_by(LeaseRow.begun_at, LeaseRow.planner_id)
    )
    return tuple(
        HeldJob(
            job_id=row.planner_id,
            tenant=tenant,
            kind=JobKind(kind),
            asked_by=asked_by,
            holder=row.owner or "",
            lease_left=row.lease_until - now,
            time_left=time_left(row.deadline, seconds, now),
            stopping=row.cancel_requested,
        )
        for row, kind, asked_by, seconds in session.execute(query)
        if held(row.lease_until, row.lease_seconds, now)
    )
