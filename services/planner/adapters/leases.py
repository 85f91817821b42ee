"""Leases in the planner's database: who works on which job, by the database's own clock.

PostgreSQL's clock is its `clock_timestamp()`: one clock for all planners, whatever their machines
say, and unlike `now()` not that of the transaction's start, which may be earlier than a lease that
was given while it waited for the row. SQLite has none of its own, but all who share a SQLite file
share a machine: its monotonic clock, which every process reads alike and nobody can set, stands in.
Neither decides who may write: that is the token, which every transaction of a job checks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from sqlalchemy import and_, func, or_, select, update
from sqlalchemy.orm import Session

from mesh.clock import Clock
from mesh.errors import NOT_FOUND, AssayError
from mesh.processes.failpoint import failpoint
from mesh.storage.database import Database
from services.planner.adapters.tables import LeaseRow, PlannerRow
from services.planner.domain.jobs.job import JobState
from services.planner.domain.jobs.lease import (
    Holder,
    Lease,
    LeaseLostError,
    Lookout,
    held,
    time_left,
)
from services.planner.domain.jobs.queue import Queue, Waiting, in_turn
from services.planner.domain.request import Constraints

SECONDS = PlannerRow.request["constraints"]["timeout_seconds"].as_float()
AT_WORK = [s.value for s in JobState if not s.final and s is not JobState.WAITING]


class SqlLeases:
    """The Leases port over SQLAlchemy, for one planner."""

    def __init__(self, database: Database, clock: Clock, holder: Holder) -> None:
        self._database = database
        self._clock = clock
        self._holder = holder

    async def claim(self, job_id: str) -> Lease | None:
        """The job, if it has not ended and nobody holds it; its token is higher than any before."""

        def work(session: Session) -> Lease | None:
            row = session.get(LeaseRow, job_id, with_for_update=True)
            if row is None:
                raise AssayError(NOT_FOUND, f"there is no job {job_id!r}")
            now = lease_clock(session, self._clock)
            if row.owner is not None and held(row.lease_until, row.lease_seconds, now):
                return None
            job = session.get_one(PlannerRow, job_id)
            return None if JobState(job.state).final else take(row, job, self._holder, now)

        return await self._database.in_transaction(work)

    async def renew(self, job_ids: Collection[str]) -> frozenset[str]:
        """Hold these jobs for another while; returns those of them that were not lost.

        A job that has ended or waits is nobody's, and not lost: what remains is done in peace.
        """

        def work(session: Session) -> frozenset[str]:
            now = lease_clock(session, self._clock)
            settled = session.scalars(
                select(LeaseRow.planner_id)
                .join(PlannerRow, PlannerRow.planner_id == LeaseRow.planner_id)
                .where(LeaseRow.owner.is_(None), LeaseRow.planner_id.in_(job_ids))
                .where(PlannerRow.state.not_in(AT_WORK))
            )
            mine = session.scalars(
                update(LeaseRow)
                .where(LeaseRow.owner == self._holder.owner, LeaseRow.planner_id.in_(job_ids))
                .values(lease_until=now + self._holder.seconds, lease_seconds=self._holder.seconds)
                .returning(LeaseRow.planner_id)
            )
            return frozenset([*settled, *mine])

        return await self._database.in_transaction(work)

    async def look(self) -> Lookout:
        """Jobs that want work and have nobody, and this planner's own that were asked to stop."""

        def work(session: Session) -> Lookout:
            cancelled = select(LeaseRow.planner_id).where(
                LeaseRow.owner == self._holder.owner, LeaseRow.cancel_requested
            )
            queue = queue_of(session, lease_clock(session, self._clock))
            return Lookout(queue, tuple(session.scalars(cancelled)))

        return await self._database.reading(work)

    async def release(self, lease: Lease, rested: bool = False) -> None:
        """Let go of a job at once; nothing happens when another planner has it.

        `rested` gives all its time back: nobody has worked on it since it was claimed.
        """

        def work(session: Session) -> None:
            values = {"owner": None, "deadline": None} if rested else {"owner": None}
            session.execute(
                update(LeaseRow)
                .where(LeaseRow.planner_id == lease.job_id)
                .where(LeaseRow.owner == lease.owner, LeaseRow.token == lease.token)
                .values(values)
            )

        await self._database.in_transaction(work)

    async def request_cancel(self, job_id: str) -> None:
        """Ask whoever works on a job, now or next, to stop."""

        def work(session: Session) -> None:
            session.execute(
                update(LeaseRow).where(LeaseRow.planner_id == job_id).values(cancel_requested=True)
            )
            failpoint("planner: cancel, uncommitted")

        await self._database.in_transaction(work)
        failpoint("planner: cancel, committed")

    async def stopping(self, job_id: str) -> bool:
        """Whether a job was asked to stop."""

        def work(session: Session) -> bool:
            row = session.get(LeaseRow, job_id)
            return row is not None and row.cancel_requested

        return await self._database.reading(work)


def lease_clock(session: Session, clock: Clock) -> float:
    """The time of the database's lease clock, in seconds since a moment of its own."""
    if session.get_bind().dialect.name == "postgresql":
        return float(session.scalars(select(func.extract("epoch", func.clock_timestamp()))).one())
    return clock.monotonic()


def take(row: LeaseRow, job: PlannerRow, holder: Holder, now: float) -> Lease:
    """Give the lease to a planner; the job's time begins with the first to have it."""
    seconds = Constraints.model_validate(job.request["constraints"]).timeout_seconds
    left = time_left(row.deadline, seconds, now)
    waited = 0.0 if _begun(row, job.state) else _waited(row, now)
    if row.deadline is None:
        row.begun_at = now
    row.owner, row.token = holder.owner, row.token + 1
    row.lease_until, row.lease_seconds = now + holder.seconds, holder.seconds
    row.deadline = now + left
    return Lease(
        job_id=job.planner_id,
        tenant=job.tenant,
        owner=holder.owner,
        token=row.token,
        seconds_left=left,
        cancel_requested=row.cancel_requested,
        waited_seconds=waited,
    )


def queue_of(session: Session, now: float) -> Queue:
    """What wants work and has nobody, in the order in which it is begun."""
    unwanted = and_(PlannerRow.state == JobState.WAITING.value, LeaseRow.cancel_requested)
    wanting = (
        select(LeaseRow, PlannerRow.tenant, PlannerRow.state, SECONDS)
        .join(PlannerRow, PlannerRow.planner_id == LeaseRow.planner_id)
        .where(or_(PlannerRow.state.in_(AT_WORK), unwanted))
    )
    at_work: Counter[str] = Counter()
    waiting = []
    for row, tenant, state, seconds in session.execute(wanting):
        if row.owner is not None and held(row.lease_until, row.lease_seconds, now):
            at_work[tenant] += 1
            continue
        begun, waited = _begun(row, state), _waited(row, now)
        left = time_left(row.deadline, seconds, now) if begun else seconds - waited
        waiting.append(Waiting(row.planner_id, tenant, waited, begun, row.cancel_requested, left))
    idle = _idle(session, now, max((job.waited for job in waiting), default=0.0))
    return Queue(in_turn(waiting, at_work, idle), at_work.total())


def _idle(session: Session, now: float, since: float) -> dict[str, float]:
    """How many seconds ago a job of each tenant was begun last, as far back as somebody waits."""
    if since <= 0.0:
        return {}
    last = (
        select(PlannerRow.tenant, func.max(LeaseRow.begun_at))
        .join(LeaseRow, LeaseRow.planner_id == PlannerRow.planner_id)
        .where(LeaseRow.begun_at.between(now - since, now))
        .group_by(PlannerRow.tenant)
    )
    return {tenant: now - begun for tenant, begun in session.execute(last) if begun is not None}


def _begun(row: LeaseRow, state: str) -> bool:
    return row.deadline is not None or state != JobState.SUBMITTED.value


def _waited(row: LeaseRow, now: float) -> float:
    """Seconds since a job came; none where that is not known, or the clock began anew since."""
    return 0.0 if row.waiting_since is None else max(0.0, now - row.waiting_since)


def require(session: Session, lease: Lease) -> LeaseRow:
    """The lease's row, locked until the transaction ends. Raises LeaseLostError."""
    row = session.get(LeaseRow, lease.job_id, with_for_update=True)
    if row is None or (row.owner, row.token) != (lease.owner, lease.token):
        raise LeaseLostError(lease.job_id)
    return row
