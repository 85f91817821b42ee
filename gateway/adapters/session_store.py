"""Sessions in SQL; implements `gateway.ports.SessionStore`."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from sqlalchemy import bindparam, delete, func, literal, select, text, tuple_, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session as Transaction

from gateway.adapters.commits import committed
from gateway.adapters.conversation_tables import RouterRow
from gateway.adapters.rows import as_session, count_files, drop_file, session_row
from gateway.adapters.tables import ContentRow, SessionFileRow, SessionJobRow, SessionRow
from gateway.domain.session import Keeping, Session, SessionJob, SessionState, absent
from mesh.paging import keys_of, moment_key, moment_of, token_of
from mesh.storage.columns import UtcTime
from mesh.storage.database import Database

# A job may have been asked for twice, also in two sessions.
_NOTE = text(
    "INSERT INTO session_jobs (tenant, job_id, session_id, keeping, settled, noted_at) "
    "VALUES (:tenant, :job_id, :session_id, 'everything', true, :now) ON CONFLICT DO NOTHING"
).bindparams(bindparam("now", type_=UtcTime))
_SESSIONS = "sessions"


class SqlSessionStore:
    """Sessions of all tenants; no method shows one tenant another's."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(self, session: Session) -> Session:
        """Store a new session, or find the one that has its id."""

        def work(transaction: Transaction) -> Session:
            row = transaction.get(SessionRow, session.session_id)
            if row is None:
                row = SessionRow(
                    session_id=session.session_id,
                    tenant=session.tenant,
                    status=session.state.value,
                    title=session.title,
                    opened_title=session.opened_title,
                    created_at=session.created_at,
                    updated_at=session.updated_at,
                    expires_at=session.expires_at,
                )
                try:
                    with transaction.begin_nested():
                        transaction.add(row)
                except IntegrityError:  # another gateway opened it at the same moment
                    row = transaction.get_one(SessionRow, session.session_id)
            if row.tenant != session.tenant:
                raise absent("session", session.session_id)
            return as_session(row, count_files(transaction, row.session_id))

        return await committed(self._database, "session-created", work)

    async def get(self, tenant: str, session_id: str) -> Session:
        """A session."""

        def work(transaction: Transaction) -> Session:
            row = session_row(transaction, tenant, session_id)
            return as_session(row, count_files(transaction, session_id))

        return await self._database.reading(work)

    async def page(self, tenant: str, size: int, token: str) -> tuple[list[Session], str]:
        """Sessions, newest first; a token names the last session of the page before."""
        after = keys_of(_SESSIONS, token, (str, str))
        place = tuple_(SessionRow.created_at, SessionRow.session_id)
        counts = (
            select(func.count())
            .where(SessionFileRow.session_id == SessionRow.session_id)
            .scalar_subquery()
        )
        wanted = (
            select(SessionRow, counts)
            .where(SessionRow.tenant == tenant)
            .order_by(SessionRow.created_at.desc(), SessionRow.session_id.desc())
            .limit(size + 1)
        )
        if after is not None:
            last = (literal(moment_of(after[0]), UtcTime), literal(after[1]))
            wanted = wanted.where(place < tuple_(*last))

        def work(transaction: Transaction) -> list[Session]:
            return [as_session(row, count) for row, count in transaction.execute(wanted)]

        found = await self._database.reading(work)
        page, more = found[:size], ""
        if len(found) > size:
            more = token_of(_SESSIONS, (moment_key(page[-1].created_at), page[-1].session_id))
        return page, more

    async def expect_job(self, tenant: str, session_id: str, job_id: str, now: datetime) -> None:
        """Note a job of a session, or of none; one that another of the tenant has stays there."""
        noted = {"tenant": tenant, "job_id": job_id, "session_id": session_id, "now": now}

        def work(transaction: Transaction) -> None:
            if session_id:
                session_row(transaction, tenant, session_id, lock=True)
            transaction.execute(_NOTE, noted)

        await committed(self._database, "job-expected", work)

    async def number_frame(self, tenant: str, session_id: str, job_id: str) -> int:
        """The number of a job's table; the next one of the session where it has none, 0 where the
        job is noted in another."""
        of_session = SessionJobRow.session_id == session_id
        own = (SessionJobRow.tenant == tenant, SessionJobRow.job_id == job_id, of_session)

        def work(transaction: Transaction) -> int:
            session_row(transaction, tenant, session_id, lock=True)
            number = transaction.scalar(select(SessionJobRow.frame).where(*own))
            if number or number is None:
                return number or 0
            last = transaction.scalar(select(func.max(SessionJobRow.frame)).where(of_session))
            number = (last or 0) + 1
            transaction.execute(update(SessionJobRow).where(*own).values(frame=number))
            return number

        return await committed(self._database, "frame-numbered", work)

    async def frames(self, tenant: str, session_id: str) -> dict[int, str]:
        """The jobs of a session whose tables have numbers, by these."""
        wanted = select(SessionJobRow.frame, SessionJobRow.job_id).where(
            SessionJobRow.tenant == tenant,
            SessionJobRow.session_id == session_id,
            SessionJobRow.frame > 0,
        )

        def work(transaction: Transaction) -> dict[int, str]:
            session_row(transaction, tenant, session_id)
            return {number: job_id for number, job_id in transaction.execute(wanted)}

        return await self._database.reading(work)

    async def retitle(self, tenant: str, session_id: str, title: str, now: datetime) -> Session:
        """Change the title of a session whose time is not over."""

        def work(transaction: Transaction) -> Session:
            row = session_row(transaction, tenant, session_id, lock=True)
            session = as_session(row, count_files(transaction, session_id)).require_open(now)
            row.title, row.updated_at = title, now
            return replace(session, title=title, updated_at=now)

        return await committed(self._database, "session-retitled", work)

    async def delete(self, tenant: str, session_id: str) -> list[str]:
        """Delete a session with its files and conversations."""

        def work(transaction: Transaction) -> list[str]:
            row = session_row(transaction, tenant, session_id, lock=True)
            unreferred = _drop_files(transaction, session_id)
            _keep_only(transaction, session_id, Keeping.NOTHING)
            transaction.execute(delete(RouterRow).where(RouterRow.session_id == session_id))
            transaction.delete(row)
            return unreferred

        return await committed(self._database, "session-deleted", work)

    async def expired(self, now: datetime) -> list[tuple[str, str]]:
        """Sessions of all tenants past their time that were not released yet."""
        wanted = select(SessionRow.tenant, SessionRow.session_id).where(
            SessionRow.expires_at <= now, SessionRow.status != SessionState.EXPIRED.value
        )
        return await self._database.reading(
            lambda transaction: [(tenant, found) for tenant, found in transaction.execute(wanted)]
        )

    async def release(self, tenant: str, session_id: str) -> list[str]:
        """Delete an expired session's files and mark it."""

        def work(transaction: Transaction) -> list[str]:
            row = session_row(transaction, tenant, session_id, lock=True)
            row.status = SessionState.EXPIRED.value
            _keep_only(transaction, session_id, Keeping.PROOF)
            return _drop_files(transaction, session_id)

        return await committed(self._database, "session-released", work)

    async def over(self, before: datetime) -> list[tuple[str, str]]:
        """Sessions of all tenants that were released and whose time ended before then."""
        wanted = select(SessionRow.tenant, SessionRow.session_id).where(
            SessionRow.expires_at < before, SessionRow.status == SessionState.EXPIRED.value
        )
        return await self._database.reading(
            lambda transaction: [(tenant, found) for tenant, found in transaction.execute(wanted)]
        )

    async def age_jobs(self, before: datetime, keeping: Keeping) -> None:
        """Of jobs without a session noted before then, want no more than that any more."""
        more = [Keeping.EVERYTHING.value, *([Keeping.PROOF.value] * (keeping is Keeping.NOTHING))]
        aged = update(SessionJobRow).where(
            SessionJobRow.session_id == "",
            SessionJobRow.keeping.in_(more),
            SessionJobRow.noted_at < before,
        )

        def work(transaction: Transaction) -> None:
            transaction.execute(aged.values(keeping=keeping.value, settled=False))

        await committed(self._database, "jobs-aged", work)

    async def unsettled_jobs(self) -> list[SessionJob]:
        """Jobs of all tenants of which the executor may hold more than is wanted."""
        wanted = (
            select(SessionJobRow)
            .where(SessionJobRow.settled.is_(False))
            .order_by(SessionJobRow.noted_at)
        )
        return await self._database.reading(
            lambda transaction: [
                SessionJob(row.tenant, row.job_id, Keeping(row.keeping), row.noted_at)
                for row in transaction.scalars(wanted)
            ]
        )

    async def settle_job(self, job: SessionJob) -> None:
        """Note that no more of a job is held than is wanted."""
        row = (SessionJobRow.tenant == job.tenant, SessionJobRow.job_id == job.job_id)
        still = SessionJobRow.keeping == job.keeping.value

        def work(transaction: Transaction) -> None:
            if job.keeping is Keeping.NOTHING:
                transaction.execute(delete(SessionJobRow).where(*row))
            else:
                transaction.execute(update(SessionJobRow).where(*row, still).values(settled=True))

        await committed(self._database, "job-settled", work)


def _drop_files(transaction: Transaction, session_id: str) -> list[str]:
    wanted = (
        select(SessionFileRow)
        .join(ContentRow, ContentRow.file_id == SessionFileRow.content_id)
        .where(SessionFileRow.session_id == session_id)
        .order_by(ContentRow.content_hash)  # everybody locks contents in this order
    )
    dropped = [drop_file(transaction, file) for file in transaction.scalars(wanted).all()]
    return [digest for digest in dropped if digest]


def _keep_only(transaction: Transaction, session_id: str, keeping: Keeping) -> None:
    mine = update(SessionJobRow).where(SessionJobRow.session_id == session_id)
    transaction.execute(mine.values(keeping=keeping.value, settled=False))
