"""API keys are kept as hashes, on SQLite and on PostgreSQL."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from gateway.adapters.api_key_store import SqlApiKeyStore
from gateway.domain.api_key import ApiKey
from mesh.errors import AssayError
from mesh.roles import Role
from mesh.storage.database import Database
from tests.contract.gateway_stores import NOON, database, url

__all__ = ["database", "url"]

LATER = NOON + timedelta(hours=1)
KEY = ApiKey(
    "0" * 16, "a" * 64, "acme", "ann", Role.ANALYST, "nightly", NOON, NOON + timedelta(days=90)
)


@pytest.fixture
def store(database: Database) -> SqlApiKeyStore:
    return SqlApiKeyStore(database)


async def test_a_key_is_found_by_its_id_as_it_was_kept(store: SqlApiKeyStore) -> None:
    await store.add(KEY)
    assert await store.find(KEY.key_id) == KEY
    assert await store.find("1" * 16) is None


async def test_the_first_time_that_a_key_was_revoked_counts(store: SqlApiKeyStore) -> None:
    await store.add(KEY)
    assert await store.revoke("evil", KEY.key_id, NOON) is None
    assert await store.revoke("acme", "1" * 16, NOON) is None
    assert await store.find(KEY.key_id) == KEY
    ended = replace(KEY, revoked_at=NOON)
    assert await store.revoke("acme", KEY.key_id, NOON) == ended
    assert await store.revoke("acme", KEY.key_id, LATER) == ended
    assert await store.find(KEY.key_id) == ended


async def test_when_a_key_was_used_is_noted(store: SqlApiKeyStore) -> None:
    await store.add(KEY)
    await store.used(KEY.key_id, LATER)
    assert await store.find(KEY.key_id) == replace(KEY, last_used_at=LATER)


async def test_pages_go_from_the_newest_and_show_one_tenants(store: SqlApiKeyStore) -> None:
    for number in range(5):  # two were made at the same moment
        made = NOON + timedelta(minutes=number // 2)
        await store.add(replace(KEY, key_id=f"{number:016x}", created_at=made))
    await store.add(replace(KEY, key_id="f" * 16, tenant="evil"))
    seen, token = [], ""
    while True:
        page, token = await store.page("acme", 2, token)
        seen.append([int(key.key_id, 16) for key in page])
        if not token:
            break
    assert seen == [[4, 2], [3, 0], [1]]
    with pytest.raises(AssayError):
        await store.page("acme", 2, "nonsense")
