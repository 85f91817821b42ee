"""What is known of people's leave to ask, on SQLite and on PostgreSQL."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta

import pytest

from gateway.adapters.api_key_store import SqlApiKeyStore
from gateway.adapters.standing_store import SqlStandingStore
from gateway.domain.api_key import ApiKey
from gateway.domain.standing import Seen
from mesh.roles import Role
from mesh.storage.database import Database
from tests.contract.gateway_stores import NOON, database, url

__all__ = ["database", "url"]

HOUR = timedelta(hours=1)


@pytest.fixture
def people(database: Database) -> SqlStandingStore:
    return SqlStandingStore(database)


def key(key_id: str, role: Role, ends: datetime = NOON + HOUR, user: str = "ann") -> ApiKey:
    return ApiKey(key_id * 16, "h" * 64, "acme", user, role, "", NOON, ends)


async def test_the_last_time_somebody_was_here_is_known(people: SqlStandingStore) -> None:
    assert await people.seen("acme", "ann") is None
    first = Seen(NOON, Role.ANALYST)
    await asyncio.gather(*(people.note("acme", "ann", first) for _ in range(6)))
    assert await people.seen("acme", "ann") == first
    later = Seen(NOON + HOUR, Role.READER)
    await people.note("acme", "ann", later)
    assert await people.seen("acme", "ann") == later
    assert await people.seen("evil", "ann") is None and await people.seen("acme", "bob") is None


async def test_a_key_counts_while_it_is_valid_and_may_ask(
    people: SqlStandingStore, database: Database
) -> None:
    keys = SqlApiKeyStore(database)
    for one in (
        key("a", Role.READER),
        key("b", Role.OPERATOR, ends=NOON),
        key("c", Role.ANALYST, user="bob"),
    ):
        await keys.add(one)
    assert not await people.has_key("acme", "ann", NOON), "a reader's, one that is over, bob's"
    await keys.add(key("d", Role.ANALYST))
    assert await people.has_key("acme", "ann", NOON)
    assert not await people.has_key("evil", "ann", NOON)
    await keys.revoke("acme", "d" * 16, NOON)
    assert not await people.has_key("acme", "ann", NOON)
