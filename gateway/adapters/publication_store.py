"""Publications in SQL; implements `gateway.store_ports.PublicationStore`.

Pages lie in the database, not with the executor, which keeps data and what jobs make of it: so a
revocation and the end of its page are one transaction, whichever gateway is asked next.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ColumnElement, and_, delete, exists, or_, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session as Transaction

from gateway.adapters.commits import committed
from gateway.adapters.publication_tables import PublicationRow, PublishedPageRow
from gateway.adapters.rows import bytes_of, session_row
from gateway.adapters.tables import SessionRow
from gateway.domain.publication import Publication, PublishedFrame, Revocation
from gateway.domain.session import absent, storage_exceeded
from mesh.paging import keys_of, moment_key, moment_of, token_of
from mesh.storage.database import Database

_PUBLICATIONS = "publications"


class SqlPublicationStore:
    """Publications of all tenants; no method but those that sweep looks beyond one tenant.

    The files and pages of one tenant are together `most_bytes` at most; 0 for no limit.
    """

    def __init__(self, database: Database, most_bytes: int = 0) -> None:
        self._database = database
        self._most_bytes = most_bytes

    async def require_room(self, tenant: str, publication_id: str) -> None:
        """Refuse an id that is another tenant's, and a tenant that has no byte left."""

        def work(transaction: Transaction) -> None:
            row = transaction.get(PublicationRow, publication_id)
            if row is None:
                self._require_room(transaction, tenant)
            elif row.tenant != tenant:
                raise absent("publication", publication_id)

        await self._database.reading(work)

    async def add(self, new: Publication, page: str, text: str) -> Publication:
        """Store a publication, or find the one that has its id."""

        def work(transaction: Transaction) -> Publication:
            row = transaction.get(PublicationRow, new.publication_id)
            if row is None:
                if new.session_id:
                    session_row(transaction, new.tenant, new.session_id, lock=True)
                try:
                    with transaction.begin_nested():
                        transaction.add(_row(new))
                        transaction.flush()
                        transaction.add(
                            PublishedPageRow(
                                publication_id=new.publication_id, page=page, text=text
                            )
                        )
                    self._require_room(transaction, new.tenant)
                    return new
                except IntegrityError:  # another gateway stored it at the same moment
                    row = transaction.get_one(PublicationRow, new.publication_id)
            if row.tenant != new.tenant:
                raise absent("publication", new.publication_id)
            return _publication(row)

        return await committed(self._database, "publication-added", work)

    async def get(self, tenant: str, publication_id: str) -> Publication | None:
        """A publication of the tenant's."""

        def work(transaction: Transaction) -> Publication | None:
            row = _own(transaction, tenant, publication_id)
            return _publication(row) if row is not None else None

        return await self._database.reading(work)

    async def content(self, tenant: str, publication_id: str) -> tuple[str, str]:
        """Page and text of one that stands."""
        wanted = (
            select(PublishedPageRow.page, PublishedPageRow.text)
            .join(PublicationRow, PublicationRow.publication_id == PublishedPageRow.publication_id)
            .where(
                PublicationRow.publication_id == publication_id,
                PublicationRow.tenant == tenant,
                PublicationRow.revoked_at.is_(None),
            )
        )

        def work(transaction: Transaction) -> tuple[str, str]:
            found = transaction.execute(wanted).first()
            return ("", "") if found is None else (found[0], found[1])

        return await self._database.reading(work)

    async def page(self, tenant: str, size: int, token: str) -> tuple[list[Publication], str]:
        """Newest first; a token names the last publication of the page before."""
        after = keys_of(_PUBLICATIONS, token, (str, str))
        published, own_id = PublicationRow.published_at, PublicationRow.publication_id
        wanted = (
            select(PublicationRow)
            .where(PublicationRow.tenant == tenant)
            .order_by(published.desc(), own_id)
            .limit(size + 1)
        )
        if after is not None:
            moment = moment_of(after[0])
            same = and_(published == moment, own_id > after[1])
            wanted = wanted.where(or_(published < moment, same))
        found = await self._database.reading(
            lambda transaction: [_publication(row) for row in transaction.scalars(wanted)]
        )
        page = found[:size]
        if len(found) <= size:
            return page, ""
        last = page[-1]
        return page, token_of(_PUBLICATIONS, (moment_key(last.published_at), last.publication_id))

    async def revoke(
        self, tenant: str, publication_id: str, revocation: Revocation
    ) -> Publication | None:
        """Take one back; the first time counts."""

        def work(transaction: Transaction) -> Publication | None:
            row = _own(transaction, tenant, publication_id, lock=True)
            if row is None:
                return None
            if row.revoked_at is None:
                _end(transaction, row, revocation)
            return _publication(row)

        return await committed(self._database, "publication-revoked", work)

    async def revoke_of_session(self, session_id: str, revocation: Revocation) -> None:
        """Take back those of a session."""
        await self._revoke_all(PublicationRow.session_id == session_id, revocation)

    async def revoke_stray(self, revocation: Revocation) -> None:
        """Take back those of sessions that are deleted."""
        session = exists().where(SessionRow.session_id == PublicationRow.session_id)
        await self._revoke_all(and_(PublicationRow.session_id != "", ~session), revocation)

    async def revoke_before(self, before: datetime, revocation: Revocation) -> None:
        """Take back those that were published before then."""
        await self._revoke_all(PublicationRow.published_at < before, revocation)

    async def _revoke_all(self, which: ColumnElement[bool], revocation: Revocation) -> None:
        wanted = select(PublicationRow).where(which, PublicationRow.revoked_at.is_(None))

        def work(transaction: Transaction) -> None:
            for row in transaction.scalars(wanted.with_for_update()).all():
                _end(transaction, row, revocation)

        await committed(self._database, "publications-revoked", work)

    def _require_room(self, transaction: Transaction, tenant: str) -> None:
        if self._most_bytes and (used := bytes_of(transaction, tenant)) > self._most_bytes:
            raise storage_exceeded(used, self._most_bytes)


def _own(
    transaction: Transaction, tenant: str, publication_id: str, *, lock: bool = False
) -> PublicationRow | None:
    row = transaction.get(PublicationRow, publication_id, with_for_update=lock)
    return row if row is not None and row.tenant == tenant else None


def _end(transaction: Transaction, row: PublicationRow, revocation: Revocation) -> None:
    row.revoked_at, row.revoked_by = revocation.at, revocation.by
    row.revoked_because = revocation.reason
    transaction.execute(
        delete(PublishedPageRow).where(PublishedPageRow.publication_id == row.publication_id)
    )


def _row(new: Publication) -> PublicationRow:
    return PublicationRow(
        publication_id=new.publication_id,
        tenant=new.tenant,
        session_id=new.session_id,
        title=new.title,
        published_at=new.published_at,
        published_by=new.published_by,
        frames=[
            {"name": one.name, "job_id": one.job_id, "accepted": one.accepted} for one in new.frames
        ],
        page_sha256=new.page_sha256,
        text_sha256=new.text_sha256,
        page_bytes=new.page_bytes,
    )


def _publication(row: PublicationRow) -> Publication:
    revocation = None
    if row.revoked_at is not None:
        revocation = Revocation(row.revoked_at, row.revoked_by or "", row.revoked_because or "")
    return Publication(
        publication_id=row.publication_id,
        tenant=row.tenant,
        title=row.title,
        published_at=row.published_at,
        published_by=row.published_by,
        session_id=row.session_id,
        frames=tuple(PublishedFrame(**one) for one in row.frames),
        page_sha256=row.page_sha256,
        text_sha256=row.text_sha256,
        page_bytes=row.page_bytes,
        revocation=revocation,
    )
