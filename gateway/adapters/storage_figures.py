"""How much the gateway keeps; implements `gateway.store_ports.StorageFigures`."""

from __future__ import annotations

from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session as Transaction

from gateway.adapters.publication_tables import PublicationRow
from gateway.adapters.tables import ContentRow, SessionFileRow, SessionJobRow, SessionRow
from gateway.domain.session import Keeping, SessionState
from gateway.domain.storage import AgingJob, EndingSession, Kept, KeptOfTenant
from mesh.storage.database import Database

MOST_SHOWN = 10


class SqlStorageFigures:
    """Sums over what is known of files and pages; no file is looked at."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def of(self, tenant: str) -> KeptOfTenant:
        """What a tenant has, and the first of it to go."""

        def work(transaction: Transaction) -> KeptOfTenant:
            return KeptOfTenant(
                _files(transaction, ContentRow.user_id == tenant),
                _pages(transaction, PublicationRow.tenant == tenant),
                _ending(transaction, tenant),
                _aging(transaction, tenant),
            )

        return await self._database.reading(work)

    async def whole(self) -> tuple[Kept, Kept]:
        """Files and pages of all tenants; a content that several have is counted with each."""
        return await self._database.reading(lambda at: (_files(at), _pages(at)))

    async def database_bytes(self) -> int:
        """As the database tells itself."""
        return await self._database.size_bytes()


def _files(transaction: Transaction, *which: Any) -> Kept:
    size, oldest = func.sum(ContentRow.file_size), func.min(ContentRow.upload_timestamp)
    count, total, first = transaction.execute(
        select(func.count(), size, oldest).where(*which)
    ).one()
    return Kept(count, int(total or 0), first)


def _pages(transaction: Transaction, *which: Any) -> Kept:
    size, oldest = func.sum(PublicationRow.page_bytes), func.min(PublicationRow.published_at)
    standing = select(func.count(), size, oldest).where(PublicationRow.revoked_at.is_(None), *which)
    count, total, first = transaction.execute(standing).one()
    return Kept(count, int(total or 0), first)


def _ending(transaction: Transaction, tenant: str) -> tuple[EndingSession, ...]:
    held = (
        select(
            SessionRow.session_id,
            SessionRow.title,
            SessionRow.expires_at,
            func.count(SessionFileRow.file_id),
            func.coalesce(func.sum(ContentRow.file_size), 0),
        )
        .join(SessionFileRow, SessionFileRow.session_id == SessionRow.session_id)
        .join(ContentRow, ContentRow.file_id == SessionFileRow.content_id)
        .where(SessionRow.tenant == tenant, SessionRow.status != SessionState.EXPIRED.value)
        .group_by(SessionRow.session_id, SessionRow.title, SessionRow.expires_at)
        .order_by(SessionRow.expires_at, SessionRow.session_id)
        .limit(MOST_SHOWN)
    )
    return tuple(
        EndingSession(session_id, title, ends, files, int(size))
        for session_id, title, ends, files, size in transaction.execute(held)
    )


def _aging(transaction: Transaction, tenant: str) -> tuple[AgingJob, ...]:
    whole = (
        select(SessionJobRow.job_id, SessionJobRow.noted_at)
        .where(
            SessionJobRow.tenant == tenant,
            SessionJobRow.session_id == "",
            SessionJobRow.keeping == Keeping.EVERYTHING.value,
        )
        .order_by(SessionJobRow.noted_at, SessionJobRow.job_id)
        .limit(MOST_SHOWN)
    )
    return tuple(AgingJob(job_id, noted) for job_id, noted in transaction.execute(whole))
