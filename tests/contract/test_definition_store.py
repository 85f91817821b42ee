"""Definitions are each tenant's own, and decided once, on SQLite and on PostgreSQL."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from gateway.adapters.definition_store import SqlDefinitionStore
from gateway.domain.definition import Decision, Definition, DefinitionState, Effect
from mesh.errors import DEFINITION_DECIDED, NOT_FOUND, AssayError
from mesh.storage.database import Database
from tests.contract.gateway_stores import NOON, database, url

__all__ = ["database", "url"]

APPROVED, REJECTED, RETIRED = (
    DefinitionState.APPROVED,
    DefinitionState.REJECTED,
    DefinitionState.RETIRED,
)
ORDERS, SHOPS = "a" * 64, "b" * 64
NET = Definition(
    tenant="ann",
    definition_id="1" * 32,
    places=(ORDERS,),
    sources=('{"filePath": "/data/orders.csv"}',),
    model="{tables: {orders: {metrics: {net: {formula: price * n}}}}}",
    evidence="the annual report",
    proposed_by="agent",
    proposed_at=NOON,
    facts=("net is computed over the 3 rows of orders",),
    effects=(Effect("c" * 32, "f1", "it would be computed otherwise"),),
)


def another(digit: str, **changes: object) -> Definition:
    return replace(NET, definition_id=digit * 32, **changes)  # type: ignore[arg-type]


def by(who: str, minutes: int = 1) -> Decision:
    return Decision(who, NOON + timedelta(minutes=minutes), "as agreed")


@pytest.fixture
def store(database: Database) -> SqlDefinitionStore:
    return SqlDefinitionStore(database)


async def test_what_is_proposed_is_kept_once_for_its_tenant(store: SqlDefinitionStore) -> None:
    assert await store.add(NET) == NET
    assert await store.add(replace(NET, model="{}")) == NET
    assert await store.get("ann", NET.definition_id) == NET
    for wrong in (store.get("bob", NET.definition_id), store.add(replace(NET, tenant="bob"))):
        with pytest.raises(AssayError) as error:
            await wrong
        assert error.value.reason is NOT_FOUND


async def test_approved_is_what_was_decided_of_all_sources(store: SqlDefinitionStore) -> None:
    both = another("2", places=(ORDERS, SHOPS), model="{tables: {orders: {time: day}}}")
    for one in (NET, both, another("3")):
        await store.add(one)
    assert await store.approved("ann", [ORDERS, SHOPS]) == []

    await store.decide("ann", NET.definition_id, APPROVED, by("eve"))
    decided, _ = await store.decide("ann", both.definition_id, APPROVED, by("eve", 2))

    assert decided.decision == Decision("eve", NOON + timedelta(minutes=2), "as agreed", 1)
    found = [one.definition_id[0] for one in await store.approved("ann", [SHOPS, ORDERS])]
    assert found == ["1", "2"], "in the order of their approval"
    assert [one.definition_id[0] for one in await store.approved("ann", [ORDERS])] == ["1"]
    assert await store.approved("ann", [SHOPS]) == [] == await store.approved("bob", [ORDERS])


async def test_each_decision_that_counts_makes_the_next_version(store: SqlDefinitionStore) -> None:
    for digit in "123":
        await store.add(another(digit))
    await store.decide("ann", "1" * 32, APPROVED, by("eve"))
    second, [first] = await store.decide("ann", "2" * 32, APPROVED, by("eve", 2))
    assert second.decision is not None and second.decision.version == 2
    assert first.state is RETIRED and first.decision is not None
    assert first.decision.reason == "replaced by 22222222"
    rejected, _ = await store.decide("ann", "3" * 32, REJECTED, by("eve", 3))
    assert rejected.decision is not None and rejected.decision.version == 0
    ended, _ = await store.decide("ann", "2" * 32, RETIRED, by("eve", 4))
    assert ended.decision is not None and ended.decision.version == 3


async def test_of_two_decisions_at_once_one_stands(store: SqlDefinitionStore) -> None:
    await store.add(NET)
    states = (APPROVED, REJECTED)
    made = await asyncio.gather(
        *(store.decide("ann", NET.definition_id, one, by(one)) for one in states),
        return_exceptions=True,
    )
    [refused] = [one for one in made if isinstance(one, AssayError)]
    assert refused.reason is DEFINITION_DECIDED
    kept = await store.get("ann", NET.definition_id)
    assert kept.decision is not None and kept.decision.by == kept.state


async def test_pages_begin_with_the_newest(store: SqlDefinitionStore) -> None:
    for number, digit in enumerate("abc"):
        await store.add(another(digit, proposed_at=NOON + timedelta(minutes=number)))
    await store.decide("ann", "a" * 32, APPROVED, by("eve"))

    first, token = await store.page("ann", None, 2, "")
    rest, end = await store.page("ann", None, 2, token)
    assert [one.definition_id[0] for one in (*first, *rest)] == ["c", "b", "a"] and not end
    pending, _ = await store.page("ann", DefinitionState.PENDING, 10, "")
    assert [one.definition_id[0] for one in pending] == ["c", "b"]
    with pytest.raises(AssayError):
        await store.page("ann", DefinitionState.PENDING, 2, token)
