"""Figures about the jobs of a store that have not ended, for metrics: how many, and how old.

Looked up when an exporter asks, in its thread; every planner on one database tells the same.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session
from sqlalchemy.sql.elements import ColumnElement

from mesh.clock import Clock
from mesh.storage.database import Database
from mesh.telemetry.instruments import JOBS, LEASE_AGE, QUEUE_AGE, UNLOGGED_ENDS
from mesh.telemetry.metrics import observe
from services.planner.adapters.leases import AT_WORK, lease_clock
from services.planner.adapters.tables import LeaseRow, PlannerRow
from services.planner.domain.jobs.job import JobState
from services.planner.domain.request import JobKind

Figures = list[tuple[float, dict[str, str]]]

LIVE = tuple(state.value for state in JobState if not state.final)
KINDS = tuple(kind.value for kind in JobKind)
"""Kinds of jobs of which it is told too that there are none."""


def watch_jobs(database: Database, clock: Clock) -> Callable[[], None]:
    """Have the figures looked up whenever metrics are asked for; call the result to stop."""
    figures = JobFigures(database, clock)
    with ExitStack() as stack:
        stack.callback(observe(JOBS, "planner", figures.jobs))
        stack.callback(observe(QUEUE_AGE, "planner", figures.queue_ages))
        stack.callback(observe(LEASE_AGE, "planner", figures.lease_ages))
        stack.callback(observe(UNLOGGED_ENDS, "planner", figures.unlogged_ends))
        return stack.pop_all().close


class JobFigures:
    """The figures. Every method blocks, and raises AssayError where the database is away."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def jobs(self) -> Figures:
        """How many jobs there are of each kind in each state that is not the end: those that have
        ended are counted by what ended them, and would all be read anew for every look."""

        def work(session: Session) -> dict[tuple[str, str], int]:
            grouped = (
                select(PlannerRow.kind, PlannerRow.state, func.count())
                .where(PlannerRow.state.in_(LIVE))
                .group_by(PlannerRow.kind, PlannerRow.state)
            )
            return {(kind, state): count for kind, state, count in session.execute(grouped)}

        counted = self._database.run(work, read_only=True)
        kinds = sorted({*KINDS, *(kind for kind, _ in counted)})
        return [
            (counted.get((kind, state), 0), {"assay.kind": kind, "assay.state": state})
            for kind in kinds
            for state in LIVE
        ]

    def queue_ages(self) -> Figures:
        """Seconds since the oldest job was asked for that wants work and that nobody works on."""

        def work(session: Session) -> Figures:
            free = or_(LeaseRow.owner.is_(None), _ran_out(lease_clock(session, self._clock)))
            oldest = (
                select(PlannerRow.kind, func.min(PlannerRow.created_at))
                .join(LeaseRow, LeaseRow.planner_id == PlannerRow.planner_id)
                .where(PlannerRow.state.in_(AT_WORK), free)
                .group_by(PlannerRow.kind)
            )
            now = self._clock.now()
            rows = session.execute(oldest).all()
            return _ages({kind: (now - since).total_seconds() for kind, since in rows})

        return self._database.run(work, read_only=True)

    def lease_ages(self) -> Figures:
        """Seconds since the lease was renewed that was not renewed for longest."""

        def work(session: Session) -> Figures:
            now = lease_clock(session, self._clock)
            renewed = func.min(LeaseRow.lease_until - LeaseRow.lease_seconds)
            oldest = (
                select(PlannerRow.kind, renewed)
                .join(LeaseRow, LeaseRow.planner_id == PlannerRow.planner_id)
                .where(PlannerRow.state.in_(AT_WORK), LeaseRow.owner.is_not(None))
                .group_by(PlannerRow.kind)
            )
            return _ages({kind: now - since for kind, since in session.execute(oldest)})

        return self._database.run(work, read_only=True)

    def unlogged_ends(self) -> Figures:
        """How many ended jobs the audit log could not be told of yet."""

        def work(session: Session) -> int:
            waiting = select(func.count()).where(PlannerRow.end_logged.is_(False))
            return session.scalars(waiting).one()

        return [(self._database.run(work, read_only=True), {})]


def _ran_out(now: float) -> ColumnElement[bool]:
    return or_(LeaseRow.lease_until <= now, LeaseRow.lease_until > now + LeaseRow.lease_seconds)


def _ages(seconds: dict[str, float]) -> Figures:
    """One age a kind, never negative: clocks may have been set meanwhile."""
    kinds = sorted({*KINDS, *seconds})
    return [(max(0.0, seconds.get(kind, 0.0)), {"assay.kind": kind}) for kind in kinds]
