"""Known sources in SQL; implements `gateway.store_ports.KnownSourceStore`."""

from __future__ import annotations

from sqlalchemy import delete, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session as Transaction

from gateway.adapters.commits import committed
from gateway.adapters.tables import KnownSourceRow
from gateway.domain.known_source import KnownSource
from mesh.paging import keys_of, token_of
from mesh.storage.database import Database

_SOURCES = "known sources"


class SqlKnownSourceStore:
    """Known sources of all tenants; no method shows one tenant another's."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, known: KnownSource) -> KnownSource:
        """Store a source, or find the one of that name."""

        def work(transaction: Transaction) -> KnownSource:
            key = (known.tenant, known.name)
            row = transaction.get(KnownSourceRow, key)
            if row is None:
                row = KnownSourceRow(
                    tenant=known.tenant,
                    name=known.name,
                    source=known.source,
                    created_at=known.created_at,
                )
                try:
                    with transaction.begin_nested():
                        transaction.add(row)
                except IntegrityError:  # another gateway added it at the same moment
                    row = transaction.get_one(KnownSourceRow, key)
            return _known(row)

        return await committed(self._database, "source-added", work)

    async def replace(self, known: KnownSource) -> KnownSource:
        """Put another description in place of the one that is there."""
        wanted = (
            update(KnownSourceRow)
            .where(KnownSourceRow.tenant == known.tenant, KnownSourceRow.name == known.name)
            .values(source=known.source)
        )

        def work(transaction: Transaction) -> KnownSource:
            transaction.execute(wanted)
            return known

        return await committed(self._database, "source-replaced", work)

    async def get(self, tenant: str, name: str) -> KnownSource | None:
        """The tenant's source of that name."""

        def work(transaction: Transaction) -> KnownSource | None:
            row = transaction.get(KnownSourceRow, (tenant, name))
            return _known(row) if row is not None else None

        return await self._database.reading(work)

    async def page(self, tenant: str, size: int, token: str) -> tuple[list[KnownSource], str]:
        """By name; a token names the last source of the page before."""
        after = keys_of(_SOURCES, token, (str,))
        wanted = (
            select(KnownSourceRow)
            .where(KnownSourceRow.tenant == tenant)
            .order_by(KnownSourceRow.name)
            .limit(size + 1)
        )
        if after is not None:
            wanted = wanted.where(KnownSourceRow.name > after[0])
        found = await self._database.reading(
            lambda transaction: [_known(row) for row in transaction.scalars(wanted)]
        )
        page = found[:size]
        return page, token_of(_SOURCES, (page[-1].name,)) if len(found) > size else ""

    async def remove(self, tenant: str, name: str) -> bool:
        """Forget a source."""
        wanted = delete(KnownSourceRow).where(
            KnownSourceRow.tenant == tenant, KnownSourceRow.name == name
        )

        def work(transaction: Transaction) -> bool:
            return bool(transaction.execute(wanted.returning(KnownSourceRow.name)).all())

        return await committed(self._database, "source-removed", work)


def _known(row: KnownSourceRow) -> KnownSource:
    return KnownSource(row.tenant, row.name, row.source, row.created_at)
