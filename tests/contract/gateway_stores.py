"""The gateway's database, SQLite and PostgreSQL, for the suites over its stores."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest
import pytest_asyncio

from gateway.adapters.session_store import SqlSessionStore
from gateway.domain.session import Session
from gateway.service import MIGRATIONS
from mesh.ids import new_id
from mesh.storage.database import Database, open_database
from tests.migrated import migrated

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest) -> str:
    return migrated(request, MIGRATIONS)


@pytest_asyncio.fixture
async def database(url: str) -> AsyncIterator[Database]:
    opened = open_database(url, MIGRATIONS)
    yield opened
    await opened.close()


@pytest.fixture
def sessions(database: Database) -> SqlSessionStore:
    return SqlSessionStore(database)


def a_session(tenant: str = "ann", minutes: int = 0) -> Session:
    made = NOON + timedelta(minutes=minutes)
    return Session(
        new_id(),
        tenant,
        created_at=made,
        updated_at=made,
        expires_at=made + timedelta(hours=24),
    )
