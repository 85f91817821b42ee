"""Names of sources are each tenant's own, on SQLite and on PostgreSQL."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from gateway.adapters.known_source_store import SqlKnownSourceStore
from gateway.domain.known_source import KnownSource
from mesh.errors import AssayError
from mesh.storage.database import Database
from tests.contract.gateway_stores import NOON, database, url

__all__ = ["database", "url"]

SHOP = KnownSource("ann", "shop", '{"filePath": "/data/shop.csv"}', NOON)


@pytest.fixture
def store(database: Database) -> SqlKnownSourceStore:
    return SqlKnownSourceStore(database)


async def test_the_first_to_take_a_name_has_it(store: SqlKnownSourceStore) -> None:
    assert await store.add(SHOP) == SHOP
    assert await store.add(replace(SHOP, source="{}")) == SHOP
    assert await store.get("ann", "shop") == SHOP


async def test_what_is_said_of_a_source_can_be_replaced_for_its_owner(
    store: SqlKnownSourceStore,
) -> None:
    await store.add(SHOP)
    renewed = replace(SHOP, source='{"filePath": "/data/shop.csv", "name": "new"}')
    assert await store.replace(renewed) == renewed
    assert await store.get("ann", "shop") == renewed
    await store.replace(replace(renewed, tenant="bob", source="{}"))
    assert await store.get("ann", "shop") == renewed
    assert await store.get("bob", "shop") is None, "nothing is made by replacing"


async def test_ten_at_once_get_the_same(store: SqlKnownSourceStore) -> None:
    wanted = [replace(SHOP, source=f'{{"filePath": "/{number}"}}') for number in range(10)]
    assert len({known.source for known in await asyncio.gather(*map(store.add, wanted))}) == 1


async def test_a_name_is_one_tenants(store: SqlKnownSourceStore) -> None:
    bobs = replace(SHOP, tenant="bob", source="{}")
    await store.add(SHOP)
    assert await store.get("bob", "shop") is None
    assert not await store.remove("bob", "shop")
    assert await store.add(bobs) == bobs
    assert (await store.page("ann", 10, ""))[0] == [SHOP]


async def test_pages_go_by_name(store: SqlKnownSourceStore) -> None:
    for name in ("c", "a", "d", "b", "e"):
        await store.add(replace(SHOP, name=name))
    seen, token = [], ""
    while True:
        page, token = await store.page("ann", 2, token)
        seen.append([known.name for known in page])
        if not token:
            break
    assert seen == [["a", "b"], ["c", "d"], ["e"]]
    with pytest.raises(AssayError):
        await store.page("ann", 2, "nonsense")


async def test_what_is_removed_is_gone_and_its_name_is_free(store: SqlKnownSourceStore) -> None:
    await store.add(SHOP)
    assert await store.remove("ann", "shop")
    assert not await store.remove("ann", "shop")
    other = replace(SHOP, source="{}")
    assert await store.add(other) == other
