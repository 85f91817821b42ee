"""A database of any revision that there ever was, with rows in all its tables, comes to this one's
with all of them, on both databases."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config

from mesh.clock import SystemClock
from mesh.storage.database import open_database
from mesh.testing.postgres import fresh_database
from services.planner.adapters.job_store import SqlJobStore
from services.planner.domain.jobs.job import JobState
from tests.contract.jobs import MIGRATIONS, executing
from tests.contract.test_migrations_down import ALL
from tests.migrated import migrated, migrated_database, migrated_file

ROWS = 2
_FOLDER = tempfile.TemporaryDirectory(prefix="assay-migrations-")
EARLIER = [
    pytest.param(folder, revision.name[:4], id=f"{folder.parents[1].name}-{revision.name[:4]}")
    for folder in ALL
    for revision in sorted((folder / "versions").glob("[0-9]*.py"))[:-1]
]
Rows = dict[str, list[dict[str, Any]]]


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest) -> str:
    """A planner's database of the newest schema."""
    return migrated(request, MIGRATIONS)


@pytest.fixture(params=["sqlite", "postgresql"])
def full(request: pytest.FixtureRequest, migrations: Path, tmp_path: Path) -> str:
    """A database of the newest schema with rows in all tables: a copy of what is filled once."""
    if request.param == "sqlite":
        shutil.copy(_full_file(migrations), tmp_path / "some.sqlite")
        return f"sqlite:///{tmp_path / 'some.sqlite'}"
    server: str = request.getfixturevalue("postgres_url")
    return fresh_database(server, template=_full_database(server, migrations))


@cache
def _full_file(migrations: Path) -> Path:
    place = Path(tempfile.mkdtemp(dir=_FOLDER.name)) / "full.sqlite"
    _filled(migrated_file(place, migrations))
    return place


@cache
def _full_database(server: str, migrations: Path) -> str:
    return _filled(migrated_database(server, migrations))


def _filled(url: str) -> str:
    with connected(url) as connection:
        fill(connection)
    return url


@contextmanager
def connected(url: str) -> Any:
    engine = sa.create_engine(url)
    try:
        with engine.begin() as connection:
            yield connection
    finally:
        engine.dispose()


def go_to(connection: sa.Connection, migrations: Path, revision: str) -> None:
    """Take a database of the newest schema to an earlier one, rows and all."""
    config = Config()
    config.set_main_option("script_location", str(migrations))
    config.attributes["connection"] = connection
    command.downgrade(config, revision)


def value_of(column: sa.Column[Any], number: int) -> Any:
    """Something that the column takes, another in each row."""
    if column.foreign_keys:
        (key,) = column.foreign_keys
        return value_of(key.column, number)
    kind = column.type
    if isinstance(kind, sa.JSON):
        return {"plan_id": f"plan-{number}"}
    if isinstance(kind, sa.DateTime):
        return datetime(2026, 1, 1, 12, number, tzinfo=UTC)
    if isinstance(kind, sa.Boolean):
        return bool(number)
    if isinstance(kind, sa.Integer):
        return number + 1
    if isinstance(kind, sa.Float):
        return number + 0.5
    return f"{column.name[:12]}-{number}"


def fill(connection: sa.Connection) -> None:
    """Rows in every table."""
    tables = reflected(connection)
    for table in tables.sorted_tables:
        if table.name != "alembic_version":
            mine = [column for column in table.columns if column.computed is None]
            rows = [{each.name: value_of(each, number) for each in mine} for number in range(ROWS)]
            connection.execute(sa.insert(table), rows)


def reflected(connection: sa.Connection) -> sa.MetaData:
    tables = sa.MetaData()
    tables.reflect(connection)
    return tables


def rows_of(connection: sa.Connection) -> Rows:
    """All rows of all tables, in the order of what they begin with."""
    return {
        table.name: sorted(
            (dict(row) for row in connection.execute(sa.select(table)).mappings()), key=repr
        )
        for table in reflected(connection).sorted_tables
        if table.name != "alembic_version"
    }


@pytest.mark.parametrize(("migrations", "revision"), EARLIER)
async def test_rows_of_an_earlier_revision_are_all_there_and_the_same(
    migrations: Path, revision: str, full: str
) -> None:
    with connected(full) as connection:
        go_to(connection, migrations, revision)
        before = rows_of(connection)
    assert before
    assert {len(rows) for rows in before.values()} == {ROWS}

    await (await asyncio.to_thread(open_database, full, migrations)).close()

    with connected(full) as connection:
        after = rows_of(connection)
    for table, rows in before.items():
        kept = [name for name in rows[0] if name in after[table][0]]
        assert kept
        was = sorted(({name: row[name] for name in kept} for row in rows), key=repr)
        now = sorted(({name: row[name] for name in kept} for row in after[table]), key=repr)
        assert now == was, table


@pytest.mark.parametrize("revision", ["0001", "0004", "0006", "0008"])
async def test_a_job_of_an_earlier_revision_is_read_by_this_one(url: str, revision: str) -> None:
    """Its plan, steps and state, as its store gives them."""
    database = await asyncio.to_thread(open_database, url, MIGRATIONS)
    store = SqlJobStore(database, SystemClock())
    job, _ = await executing(store, ("load", "shape"))
    whole = await store.get(job.tenant, job.job_id)
    assert whole.state is JobState.EXECUTING
    await database.close()
    with connected(url) as connection:
        go_to(connection, MIGRATIONS, revision)

    database = await asyncio.to_thread(open_database, url, MIGRATIONS)
    try:
        again = await SqlJobStore(database, SystemClock()).get(job.tenant, job.job_id)
    finally:
        await database.close()

    told = {"job_id", "tenant", "state", "request", "plan", "created_at"}
    assert again.model_dump(include=told) == whole.model_dump(include=told)
    assert [step.task_id for step in again.steps] == [step.task_id for step in whole.steps]
