"""Publications are each tenant's own and end with their pages, on SQLite and on PostgreSQL."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import func, select

from gateway.adapters.publication_store import SqlPublicationStore
from gateway.adapters.publication_tables import PublishedPageRow
from gateway.adapters.session_store import SqlSessionStore
from gateway.domain.publication import Publication, PublishedFrame, Revocation
from mesh.errors import NOT_FOUND, STORAGE_EXCEEDED, AssayError
from mesh.ids import new_id
from mesh.storage.database import Database
from tests.contract.gateway_stores import NOON, a_session, database, sessions, url

__all__ = ["database", "sessions", "url"]

LATER = NOON + timedelta(hours=1)
ENDED = Revocation(LATER, "ann", "counted twice")
OTHER = Revocation(LATER + timedelta(hours=1), "eve", "another reason")
ONE = Publication(
    publication_id="a" * 32,
    tenant="acme",
    title="Sales",
    published_at=NOON,
    published_by="ann",
    session_id="",
    frames=(PublishedFrame("f1", "b" * 32), PublishedFrame("f2", "c" * 32, "no region is empty")),
    page_sha256="d" * 64,
    text_sha256="e" * 64,
    page_bytes=100,
)


@pytest.fixture
def store(database: Database) -> SqlPublicationStore:
    return SqlPublicationStore(database)


async def pages_kept(database: Database) -> int:
    wanted = select(func.count()).select_from(PublishedPageRow)
    return await database.reading(lambda transaction: transaction.scalar(wanted) or 0)


async def test_a_publication_is_as_it_was_stored_and_the_first_under_its_id(
    store: SqlPublicationStore,
) -> None:
    assert await store.add(ONE, "<p>Ä</p>", "Ä") == ONE
    assert await store.add(replace(ONE, title="Other"), "<p>B</p>", "B") == ONE
    assert await store.get("acme", ONE.publication_id) == ONE
    assert await store.content("acme", ONE.publication_id) == ("<p>Ä</p>", "Ä")
    many = [replace(ONE, publication_id="f" * 32, title=str(number)) for number in range(8)]
    made = await asyncio.gather(*(store.add(one, "page", "text") for one in many))
    assert len({one.title for one in made}) == 1


async def test_a_publication_is_one_tenants(store: SqlPublicationStore) -> None:
    await store.add(ONE, "page", "text")
    assert await store.get("evil", ONE.publication_id) is None
    assert await store.content("evil", ONE.publication_id) == ("", "")
    assert await store.revoke("evil", ONE.publication_id, OTHER) is None
    assert await store.page("evil", 10, "") == ([], "")
    with pytest.raises(AssayError) as refused:
        await store.add(replace(ONE, tenant="evil"), "page", "text")
    assert refused.value.reason is NOT_FOUND
    with pytest.raises(AssayError) as refused:
        await store.require_room("evil", ONE.publication_id)
    assert refused.value.reason is NOT_FOUND
    await store.require_room("acme", ONE.publication_id)
    assert await store.get("acme", ONE.publication_id) == ONE


async def test_what_is_revoked_keeps_its_record_alone_and_the_first_time_counts(
    store: SqlPublicationStore, database: Database
) -> None:
    await store.add(ONE, "page", "text")
    ended = replace(ONE, revocation=ENDED)
    assert await store.revoke("acme", ONE.publication_id, ENDED) == ended
    assert await store.revoke("acme", ONE.publication_id, OTHER) == ended
    assert await store.get("acme", ONE.publication_id) == ended
    assert await store.content("acme", ONE.publication_id) == ("", "")
    assert await pages_kept(database) == 0
    assert await store.add(ONE, "page", "text") == ended, "publishing it again brings nothing back"
    assert await pages_kept(database) == 0


async def test_pages_go_from_the_newest(store: SqlPublicationStore) -> None:
    for number in range(5):  # two were published at the same moment
        at = NOON + timedelta(minutes=number // 2)
        await store.add(replace(ONE, publication_id=f"{number:032x}", published_at=at), "p", "t")
    seen, token = [], ""
    while True:
        page, token = await store.page("acme", 2, token)
        seen.append([int(one.publication_id, 16) for one in page])
        if not token:
            break
    assert seen == [[4, 2], [3, 0], [1]]
    with pytest.raises(AssayError):
        await store.page("acme", 2, "nonsense")


async def test_pages_go_with_their_session_and_in_time(
    store: SqlPublicationStore, sessions: SqlSessionStore
) -> None:
    session = await sessions.create(a_session("acme"))
    ids = [new_id() for _ in range(3)]
    for number, one in enumerate(ids):
        held = session.session_id if number < 2 else ""
        at = NOON + timedelta(days=number)
        made = replace(ONE, publication_id=one, session_id=held, published_at=at)
        await store.add(made, "page", "text")

    async def standing() -> list[int]:
        found = [await store.get("acme", one) for one in ids]
        return [n for n, one in enumerate(found) if one is not None and one.revocation is None]

    await store.revoke_stray(OTHER)
    assert await standing() == [0, 1, 2], "its session is there"
    await store.revoke_before(NOON + timedelta(hours=1), OTHER)
    assert await standing() == [1, 2]
    await sessions.delete("acme", session.session_id)
    await store.revoke_stray(OTHER)
    assert await standing() == [2]
    await store.revoke_of_session(session.session_id, ENDED)
    ended = await store.get("acme", ids[1])
    assert ended is not None and ended.revocation == OTHER
    with pytest.raises(AssayError) as refused:
        lost = replace(ONE, publication_id=new_id(), session_id=session.session_id)
        await store.add(lost, "page", "text")
    assert refused.value.reason is NOT_FOUND


async def test_pages_count_towards_what_a_tenant_may_keep(database: Database) -> None:
    store = SqlPublicationStore(database, most_bytes=250)
    ids = [new_id() for _ in range(3)]
    for one in ids[:2]:
        await store.add(replace(ONE, publication_id=one), "page", "text")
    with pytest.raises(AssayError) as refused:
        await store.add(replace(ONE, publication_id=ids[2]), "page", "text")
    assert refused.value.reason is STORAGE_EXCEEDED
    assert await store.get("acme", ids[2]) is None and await pages_kept(database) == 2
    await store.revoke("acme", ids[0], ENDED)
    await store.add(replace(ONE, publication_id=ids[2]), "page", "text")
