"""How much is stored, as operators are told: the same on SQLite and on PostgreSQL."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
import pytest_asyncio

from gateway.adapters.content_store import SqlContentStore
from gateway.adapters.session_store import SqlSessionStore
from gateway.adapters.storage_figures import SqlStorageFigures as GatewayFigures
from gateway.domain.storage import Kept
from mesh.clock import HeldClock, SystemClock
from mesh.storage.database import Database, open_database
from services.executor.adapters.lease_store import SqlLeases
from services.executor.adapters.storage_figures import SqlStorageFigures
from services.executor.domain.stored_item import StoredItem, StoredKind
from services.executor.service import MIGRATIONS
from tests.contract.gateway_stores import NOON, a_session, database, sessions, url
from tests.contract.test_gateway_store import CSV, Files, a_file
from tests.contract.test_gateway_store import OTHER as OTHER_FILE
from tests.migrated import migrated

__all__ = ["database", "sessions", "url"]

FRAME = StoredItem(StoredKind.FRAME, "ab" * 32)
OTHER = StoredItem(StoredKind.FRAME, "cd" * 32)
CHART = StoredItem(StoredKind.ARTIFACT, "charts/job/chart.png")


@pytest_asyncio.fixture(params=["sqlite", "postgresql"])
async def stored(request: pytest.FixtureRequest) -> AsyncIterator[Database]:
    """The executor's."""
    opened = await asyncio.to_thread(open_database, migrated(request, MIGRATIONS), MIGRATIONS)
    yield opened
    await opened.close()


def test_a_tenant_is_told_what_it_has_by_kind_and_what_it_needs_no_more(stored: Database) -> None:
    leases, figures = SqlLeases(stored, SystemClock()), SqlStorageFigures(stored)
    assert (figures.of("ann"), figures.whole()) == ([], [])
    leases.hold("ann", "job:1", FRAME, 10)
    leases.hold("ann", "job:2", FRAME, 10)
    leases.hold("ann", "job:1", OTHER, 5)
    leases.hold("ann", "job:1", CHART, 7)
    leases.hold("bob", "job:3", FRAME, 10)
    leases.release("ann", "job:1", 600)
    frames, charts = sorted(figures.of("ann"), reverse=True, key=lambda use: use.kind)
    assert (frames.kind, frames.items, frames.bytes) == (StoredKind.FRAME, 2, 15)
    assert (frames.going_items, frames.going_bytes) == (1, 5), "a job still needs the first"
    assert frames.goes_at is not None
    assert (charts.items, charts.going_items, charts.going_bytes) == (1, 1, 7)
    bobs = figures.of("bob")
    assert [(use.items, use.bytes, use.going_items, use.goes_at) for use in bobs] == [
        (1, 10, 0, None)
    ]
    assert sum(use.bytes for use in figures.whole()) == 22, "what two have is there once"


async def test_files_and_what_ends_next_are_told_of_a_tenant_alone(
    database: Database, sessions: SqlSessionStore
) -> None:
    figures = GatewayFigures(database)
    files = Files(database, SqlContentStore(database, HeldClock(NOON), 60.0))
    nothing = await figures.of("ann")
    assert (nothing.files, nothing.pages) == (Kept(0, 0), Kept(0, 0))
    assert (nothing.ending, nothing.aging) == ((), ())
    late, early = a_session(minutes=5), a_session()
    empty, bobs = a_session(minutes=1), a_session("bob")
    for session in (late, early, empty, bobs):
        await sessions.create(session)
    for session, content in ((late, CSV), (early, OTHER_FILE), (bobs, CSV)):
        await files.add(session.tenant, a_file(session, content=content), 10)
    kept = await figures.of("ann")
    assert kept.files.items == 2
    assert kept.files.bytes == CSV.size_bytes + OTHER_FILE.size_bytes
    assert kept.files.oldest_at is not None
    assert [one.session_id for one in kept.ending] == [early.session_id, late.session_id]
    assert kept.ending[0].expires_at == NOON + timedelta(hours=24)
    assert (kept.ending[0].files, kept.ending[0].bytes) == (1, OTHER_FILE.size_bytes)
    assert (await figures.whole())[0].items == 3
    assert await figures.database_bytes() > 4096
