"""How much is stored, counted by leases; implements `services.executor.ports.StorageFigures`."""

from __future__ import annotations

from typing import Any

from sqlalchemy import and_, case, func, select
from sqlalchemy.orm import Session as Transaction

from mesh.storage.database import Database
from services.executor.adapters.lease_tables import LeaseRow, StoredItemRow
from services.executor.domain.stored_item import StoredKind, StoredUse


class SqlStorageFigures:
    """Sums over what is known of stored things; no file is looked at."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, tenant: str) -> list[StoredUse]:
        """By the leases of a tenant."""
        return self._read(LeaseRow.tenant == tenant)

    def whole(self) -> list[StoredUse]:
        """By all leases."""
        return self._read()

    def _read(self, *which: Any) -> list[StoredUse]:
        # A thing is needed while one of its leases has no end, else until the last of them ends.
        needed = func.max(case((LeaseRow.until.is_(None), 1), else_=0))
        leased = (
            select(
                LeaseRow.kind,
                LeaseRow.name,
                case((needed == 1, None), else_=func.max(LeaseRow.until)).label("ends"),
            )
            .where(*which)
            .group_by(LeaseRow.kind, LeaseRow.name)
            .subquery()
        )
        size = StoredItemRow.bytes
        going = leased.c.ends.is_not(None)
        summed = (
            select(
                leased.c.kind,
                func.count(),
                func.coalesce(func.sum(size), 0),
                func.coalesce(func.sum(case((going, 1), else_=0)), 0),
                func.coalesce(func.sum(case((going, size), else_=0)), 0),
                func.min(leased.c.ends),
            )
            .join(
                StoredItemRow,
                and_(StoredItemRow.kind == leased.c.kind, StoredItemRow.name == leased.c.name),
            )
            .group_by(leased.c.kind)
            .order_by(leased.c.kind)
        )

        def work(session: Transaction) -> list[StoredUse]:
            return [
                StoredUse(StoredKind(kind), items, int(size), int(gone), int(freed), ends)
                for kind, items, size, gone, freed, ends in session.execute(summed)
            ]

        return self._database.run(work, read_only=True)
