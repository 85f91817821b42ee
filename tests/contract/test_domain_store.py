"""Domains are each tenant's own and hold together, on SQLite and on PostgreSQL."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from gateway.adapters.domain_store import SqlDomainStore
from gateway.domain.data_domain import MOST_DOMAINS, ApprovedTool, DataDomain, MadeOf
from mesh.errors import DOMAIN_REFERRED_TO, INVALID_ARGUMENT, RESOURCE_EXHAUSTED, AssayError
from mesh.storage.database import Database
from tests.contract.gateway_stores import NOON, database, url

__all__ = ["database", "url"]

SALES = DataDomain(
    tenant="ann",
    name="sales",
    display_name="Sales",
    description="What was sold",
    capabilities=("Revenue by region", "Best customers"),
    mcp_tools=(),
    related_domains=(),
    enabled=True,
    made_of=MadeOf.SOURCE,
    place="shop",
    created_at=NOON,
    updated_at=NOON,
)
STOCK = replace(
    SALES,
    name="stock",
    made_of=MadeOf.SERVER,
    place="warehouse",
    mcp_tools=("levels",),
    related_domains=("sales",),
)


@pytest.fixture
def store(database: Database) -> SqlDomainStore:
    return SqlDomainStore(database)


async def test_a_domain_is_kept_as_it_is_and_the_first_has_the_name(store: SqlDomainStore) -> None:
    assert await store.add(SALES, ()) == SALES
    assert await store.add(STOCK, ()) == STOCK
    assert await store.add(replace(SALES, display_name="Other"), ()) == SALES
    assert await store.get("ann", "stock") == STOCK
    assert await store.all("ann") == [SALES, STOCK]


async def test_ten_at_once_get_the_same(store: SqlDomainStore) -> None:
    wanted = [replace(SALES, place=f"shop{number}") for number in range(10)]
    added = await asyncio.gather(*(store.add(domain, ()) for domain in wanted))
    assert len({domain.place for domain in added}) == 1


async def test_related_domains_exist_among_the_tenants_or_the_others(store: SqlDomainStore) -> None:
    with pytest.raises(AssayError) as raised:
        await store.add(STOCK, ())
    assert raised.value.reason is INVALID_ARGUMENT
    assert await store.add(STOCK, ("sales",)) == STOCK

    with pytest.raises(AssayError):
        await store.replace(replace(STOCK, related_domains=("nowhere",)), ("sales",))
    assert await store.get("ann", "stock") == STOCK


async def test_a_name_is_one_tenants(store: SqlDomainStore) -> None:
    bobs = replace(SALES, tenant="bob", display_name="Bob's")
    await store.add(SALES, ())
    assert await store.get("bob", "sales") is None
    assert not await store.remove("bob", "sales")
    assert await store.replace(bobs, ()) is None
    assert await store.add(bobs, ()) == bobs
    assert await store.all("ann") == [SALES]
    with pytest.raises(AssayError):
        await store.add(replace(STOCK, tenant="eve"), ())


async def test_another_takes_its_place_and_keeps_when_it_was_made(store: SqlDomainStore) -> None:
    await store.add(SALES, ())
    later = NOON + timedelta(hours=1)
    changed = replace(SALES, enabled=False, created_at=later, updated_at=later)

    assert await store.replace(changed, ()) == replace(changed, created_at=NOON)
    assert await store.get("ann", "sales") == replace(changed, created_at=NOON)


async def test_what_others_are_related_to_stays(store: SqlDomainStore) -> None:
    await store.add(SALES, ())
    await store.add(STOCK, ())
    with pytest.raises(AssayError) as raised:
        await store.remove("ann", "sales")
    assert raised.value.reason is DOMAIN_REFERRED_TO

    assert await store.remove("ann", "stock")
    assert await store.remove("ann", "sales")
    assert not await store.remove("ann", "sales")


async def test_what_was_approved_is_of_a_tenant_a_domain_and_a_server(
    store: SqlDomainStore,
) -> None:
    await store.add(SALES, ())
    await store.add(STOCK, ())
    first, more = ApprovedTool("a" * 64), ApprovedTool("b" * 64, "Says more.", "{}")
    again = ApprovedTool("c" * 64, "Units.", '{"type": "object"}')
    await store.approve("ann", "stock", "warehouse", {"levels": first, "more": more})
    await store.approve("ann", "stock", "warehouse", {"levels": again})

    assert await store.approved("ann", "stock", "warehouse") == {"levels": again, "more": more}
    assert await store.approved("ann", "stock", "elsewhere") == {}
    assert await store.approved("bob", "stock", "warehouse") == {}
    await store.remove("ann", "stock")
    assert await store.approved("ann", "stock", "warehouse") == {}


async def test_there_is_an_end_of_domains(store: SqlDomainStore) -> None:
    for number in range(MOST_DOMAINS):
        await store.add(replace(SALES, name=f"d{number}"), ())
    with pytest.raises(AssayError) as raised:
        await store.add(SALES, ())
    assert raised.value.reason is RESOURCE_EXHAUSTED
