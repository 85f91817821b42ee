"""What is known of people's leave to ask, in SQL; implements
`gateway.store_ports.StandingStore`."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import String, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.orm import Session as Transaction

from gateway.adapters.commits import committed
from gateway.adapters.tables import ApiKeyRow, Table
from gateway.domain.standing import Seen
from mesh.roles import Role
from mesh.storage.columns import UtcTime
from mesh.storage.database import Database


class SeenRow(Table):
    """When somebody called last with a token that is signed elsewhere."""

    __tablename__ = "people_seen"

    tenant: Mapped[str] = mapped_column(String(100), primary_key=True)
    user_name: Mapped[str] = mapped_column(String(100), primary_key=True)
    role: Mapped[str] = mapped_column(String(16))
    seen_at: Mapped[datetime] = mapped_column(UtcTime)


class SqlStandingStore:
    """People of all tenants."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def seen(self, tenant: str, user: str) -> Seen | None:
        """When somebody was last here with a signed token."""

        def work(transaction: Transaction) -> Seen | None:
            row = transaction.get(SeenRow, (tenant, user))
            return None if row is None else Seen(row.seen_at, Role[row.role.upper()])

        return await self._database.reading(work)

    async def note(self, tenant: str, user: str, seen: Seen) -> None:
        """Note that somebody is here."""

        def work(transaction: Transaction) -> None:
            row = transaction.get(SeenRow, (tenant, user), with_for_update=True)
            if row is None:
                row = SeenRow(tenant=tenant, user_name=user, role="", seen_at=seen.at)
                try:
                    with transaction.begin_nested():
                        transaction.add(row)
                except IntegrityError:  # another gateway noted it at the same moment
                    row = transaction.get_one(SeenRow, (tenant, user))
            row.role, row.seen_at = seen.role.word, max(row.seen_at, seen.at)

        await committed(self._database, "person-seen", work)

    async def has_key(self, tenant: str, user: str, now: datetime) -> bool:
        """Whether somebody has a key that is valid and may ask."""
        roles = [role.word for role in Role if role >= Role.ANALYST]
        wanted = (
            select(ApiKeyRow.key_id)
            .where(
                ApiKeyRow.tenant == tenant,
                ApiKeyRow.user == user,
                ApiKeyRow.role.in_(roles),
                ApiKeyRow.revoked_at.is_(None),
                ApiKeyRow.expires_at > now,
            )
            .limit(1)
        )
        return await self._database.reading(
            lambda transaction: transaction.scalar(wanted) is not None
        )
