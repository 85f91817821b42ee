"""What is needed stays, what is not may go, and never both: on SQLite and on PostgreSQL."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
import pytest_asyncio

from mesh.clock import HeldClock, SystemClock
from mesh.errors import RESOURCE_EXHAUSTED, AssayError
from mesh.storage.database import Database, open_database
from services.executor.adapters.lease_store import SqlLeases
from services.executor.adapters.lease_tables import Table
from services.executor.domain.stored_item import Kept, StoredItem, StoredKind
from services.executor.service import MIGRATIONS
from tests.migrated import migrated, migrated_file

FRAME = StoredItem(StoredKind.FRAME, "ab" * 32)
CHART = StoredItem(StoredKind.ARTIFACT, "charts/job/chart.png")


@pytest_asyncio.fixture(params=["sqlite", "postgresql"])
async def database(request: pytest.FixtureRequest) -> AsyncIterator[Database]:
    url = migrated(request, MIGRATIONS)
    opened = await asyncio.to_thread(open_database, url, MIGRATIONS)
    yield opened
    await opened.close()


@pytest.fixture
def leases(database: Database) -> SqlLeases:
    return SqlLeases(database, SystemClock())


def test_what_is_held_is_never_condemned(leases: SqlLeases) -> None:
    leases.hold("ann", "job:1", FRAME, 10)
    leases.hold("ann", "job:2", FRAME, 10)
    leases.release("ann", "job:1", -1)
    assert leases.condemn(10) == []
    leases.release("ann", "job:2", -1)
    assert [going.item for going in leases.condemn(10)] == [FRAME]


def test_released_things_stay_for_the_grace(leases: SqlLeases) -> None:
    leases.hold("ann", "job:1", FRAME, 10)
    leases.release("ann", "job:1", 60)
    assert leases.condemn(10) == []


def test_to_hold_again_ends_the_grace(leases: SqlLeases) -> None:
    leases.hold("ann", "job:1", FRAME, 10)
    leases.release("ann", "job:1", -1)
    leases.hold("ann", "job:1", FRAME, 10)
    assert leases.condemn(10) == []


def test_what_a_job_is_proved_with_outlives_the_rest_of_it(leases: SqlLeases) -> None:
    loaded, record = StoredItem(StoredKind.FRAME, "cd" * 32), StoredItem(StoredKind.CALL, "ef" * 16)
    things = {FRAME, CHART, loaded, record}
    for thing in things:
        leases.hold("ann", "job:1", thing, 10)
    for _ in range(2):
        leases.release("ann", "job:1", -1, Kept(artifacts=True, frames=frozenset({FRAME.name})))
        assert {going.item for going in leases.condemn(10)} <= {loaded, record}
    assert leases.held("ann", "job:1", StoredKind.FRAME) == [FRAME.name]
    for _ in range(2):
        leases.release("ann", "job:1", -1)
    assert leases.held("ann", "job:1", StoredKind.FRAME) == []
    assert {going.item for going in leases.condemn(10)} == {FRAME, CHART}


def test_a_condemned_thing_is_one_collectors_alone(leases: SqlLeases) -> None:
    for number in range(6):
        leases.hold("ann", "job:1", StoredItem(StoredKind.FRAME, f"{number:064x}"), 1)
    leases.release("ann", "job:1", -1)
    with ThreadPoolExecutor(3) as threads:
        rounds = list(threads.map(lambda _: leases.condemn(2), range(3)))
    taken = [going.item.name for going_now in rounds for going in going_now]
    assert len(taken) == len(set(taken))
    rest = [going.item.name for _ in range(3) for going in leases.condemn(6)]
    assert sorted(taken + rest) == [f"{number:064x}" for number in range(6)]


def test_who_wants_a_thing_that_is_being_deleted_waits_for_that(leases: SqlLeases) -> None:
    leases.hold("ann", "job:1", FRAME, 10)
    leases.release("ann", "job:1", -1)
    [going] = leases.condemn(10)
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(leases.hold, "ann", "job:2", FRAME, 10)
        with pytest.raises(TimeoutError):
            waiting.result(0.3)
        leases.collected(going)
        waiting.result(5)
    assert leases.condemn(10) == []
    assert leases.used_bytes() == 10


def test_the_cap_counts_each_thing_once_and_says_what_to_do(database: Database) -> None:
    leases = SqlLeases(database, SystemClock(), most_bytes=100)
    leases.hold("ann", "job:1", FRAME, 60)
    leases.hold("ann", "job:2", FRAME, 60)
    with pytest.raises(AssayError) as refused:
        leases.hold("ann", "job:2", CHART, 41)
    assert refused.value.reason is RESOURCE_EXHAUSTED
    assert "ASSAY_EXECUTOR_STORE_BYTES" in refused.value.message
    assert "Delete" in refused.value.remedy
    leases.hold("ann", "job:2", CHART, 40)
    assert leases.used_bytes() == 100
    leases.release("ann", "job:1", -1)
    leases.release("ann", "job:2", -1)
    for going in leases.condemn(10):
        leases.collected(going)
    assert leases.used_bytes() == 0
    leases.hold("ann", "job:3", CHART, 100)


async def test_a_collector_that_died_leaves_its_things_to_the_next(tmp_path: Path) -> None:
    clock = HeldClock(datetime(2026, 3, 1, tzinfo=UTC))
    database = open_database(migrated_file(tmp_path / "executor.sqlite", MIGRATIONS), MIGRATIONS)
    leases = SqlLeases(database, clock)
    leases.hold("ann", "job:1", FRAME, 10)
    leases.release("ann", "job:1", 0)
    clock.advance(1)
    assert len(leases.condemn(10)) == 1
    clock.advance(59)
    assert leases.condemn(10) == []
    clock.advance(2)
    [late] = leases.condemn(10)
    clock.advance(61)
    leases.hold("ann", "job:2", FRAME, 10)
    leases.collected(late)
    assert leases.used_bytes() == 10
    await database.close()


def test_the_migration_makes_just_the_tables_of_the_models(database: Database) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    found = database.run(
        lambda s: compare_metadata(MigrationContext.configure(s.connection()), Table.metadata)
    )
    assert found == []
