"""API keys in SQL; implements `gateway.store_ports.ApiKeyStore`."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import and_, or_, select, update
from sqlalchemy.orm import Session as Transaction

from gateway.adapters.commits import committed
from gateway.adapters.tables import ApiKeyRow
from gateway.domain.api_key import ApiKey
from mesh.paging import keys_of, moment_key, moment_of, token_of
from mesh.roles import Role
from mesh.storage.database import Database

_KEYS = "api keys"


class SqlApiKeyStore:
    """Keys of all tenants; no method but `find` looks beyond one tenant."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, key: ApiKey) -> None:
        """Store a new key."""
        row = ApiKeyRow(
            key_id=key.key_id,
            secret_hash=key.secret_hash,
            tenant=key.tenant,
            user=key.user,
            role=key.role.word,
            label=key.label,
            created_at=key.created_at,
            expires_at=key.expires_at,
        )
        await committed(self._database, "key-added", lambda transaction: transaction.add(row))

    async def find(self, key_id: str) -> ApiKey | None:
        """The key of that id, of any tenant."""

        def work(transaction: Transaction) -> ApiKey | None:
            row = transaction.get(ApiKeyRow, key_id)
            return _key(row) if row is not None else None

        return await self._database.reading(work)

    async def page(self, tenant: str, size: int, token: str) -> tuple[list[ApiKey], str]:
        """Newest first; a token names the last key of the page before."""
        after = keys_of(_KEYS, token, (str, str))
        wanted = (
            select(ApiKeyRow)
            .where(ApiKeyRow.tenant == tenant)
            .order_by(ApiKeyRow.created_at.desc(), ApiKeyRow.key_id)
            .limit(size + 1)
        )
        if after is not None:
            moment, key_id = moment_of(after[0]), after[1]
            same = and_(ApiKeyRow.created_at == moment, ApiKeyRow.key_id > key_id)
            wanted = wanted.where(or_(ApiKeyRow.created_at < moment, same))
        found = await self._database.reading(
            lambda transaction: [_key(row) for row in transaction.scalars(wanted)]
        )
        page = found[:size]
        if len(found) <= size:
            return page, ""
        return page, token_of(_KEYS, (moment_key(page[-1].created_at), page[-1].key_id))

    async def revoke(self, tenant: str, key_id: str, now: datetime) -> ApiKey | None:
        """End a key; the first time counts."""

        def work(transaction: Transaction) -> ApiKey | None:
            row = transaction.get(ApiKeyRow, key_id, with_for_update=True)
            if row is None or row.tenant != tenant:
                return None
            if row.revoked_at is None:
                row.revoked_at = now
            return _key(row)

        return await committed(self._database, "key-revoked", work)

    async def used(self, key_id: str, now: datetime) -> None:
        """Note that a key was used."""
        noted = update(ApiKeyRow).where(ApiKeyRow.key_id == key_id).values(last_used_at=now)
        await committed(self._database, "key-used", lambda transaction: transaction.execute(noted))


def _key(row: ApiKeyRow) -> ApiKey:
    return ApiKey(
        key_id=row.key_id,
        secret_hash=row.secret_hash,
        tenant=row.tenant,
        user=row.user,
        role=Role[row.role.upper()],
        label=row.label,
        created_at=row.created_at,
        expires_at=row.expires_at,
        revoked_at=row.revoked_at,
        last_used_at=row.last_used_at,
    )
