"""Signed-in browsers in SQL; implements `gateway.store_ports.SignInStore`."""

from __future__ import annotations

from datetime import datetime
from typing import Any, cast

from sqlalchemy import CursorResult, Index, String, delete
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.orm import Session as Transaction

from gateway.adapters.commits import committed
from gateway.adapters.tables import Table
from gateway.domain.sign_in import How, SignIn
from mesh.storage.columns import UtcTime
from mesh.storage.database import Database


class SignInRow(Table):
    """A signed-in browser, by the hash of its cookie's secret."""

    __tablename__ = "sign_ins"
    __table_args__ = (
        Index("ix_sign_ins_tenant_user", "tenant", "user_name"),
        Index("ix_sign_ins_expires_at", "expires_at"),
    )

    sign_in_id: Mapped[str] = mapped_column(String(64), primary_key=True)
    tenant: Mapped[str] = mapped_column(String(100))
    user_name: Mapped[str] = mapped_column(String(100))
    how: Mapped[str] = mapped_column(String(16))
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    expires_at: Mapped[datetime] = mapped_column(UtcTime)


class SqlSignInStore:
    """Signed-in browsers of all tenants."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, sign_in: SignIn) -> None:
        """Store a new one."""
        row = SignInRow(
            sign_in_id=sign_in.sign_in_id,
            tenant=sign_in.tenant,
            user_name=sign_in.user,
            how=sign_in.how.value,
            created_at=sign_in.created_at,
            expires_at=sign_in.expires_at,
        )
        await committed(self._database, "signed-in", lambda transaction: transaction.add(row))

    async def find(self, sign_in_id: str) -> SignIn | None:
        """The one of that id."""

        def work(transaction: Transaction) -> SignIn | None:
            row = transaction.get(SignInRow, sign_in_id)
            return None if row is None else _sign_in(row)

        return await self._database.reading(work)

    async def end(self, sign_in_id: str) -> None:
        """Forget one."""
        gone = delete(SignInRow).where(SignInRow.sign_in_id == sign_in_id)
        await committed(self._database, "signed-out", lambda transaction: transaction.execute(gone))

    async def end_all(self, tenant: str, user: str) -> int:
        """Forget all of a user; returns how many."""
        gone = delete(SignInRow).where(SignInRow.tenant == tenant, SignInRow.user_name == user)

        def work(transaction: Transaction) -> int:
            return int(cast(CursorResult[Any], transaction.execute(gone)).rowcount)

        return await committed(self._database, "signed-out-everywhere", work)

    async def forget(self, before: datetime) -> None:
        """Forget those whose time ended by then."""
        gone = delete(SignInRow).where(SignInRow.expires_at <= before)
        await self._database.in_transaction(lambda transaction: transaction.execute(gone))


def _sign_in(row: SignInRow) -> SignIn:
    return SignIn(
        sign_in_id=row.sign_in_id,
        tenant=row.tenant,
        user=row.user_name,
        how=How(row.how),
        created_at=row.created_at,
        expires_at=row.expires_at,
    )
