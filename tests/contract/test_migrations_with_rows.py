"""A database of any revision that there ever was, with rows in all its tables, comes to this one's
with all of them, on both databases."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config

from mesh.clock import SystemClock
from mesh.database import open_database
from services.planner.adapters.job_store import SqlJobStore
from services.planner.domain.job import JobState
from tests.contract.jobs import MIGRATIONS, executing
from tests.contract.test_migrations_down import ALL

ROWS = 2
EARLIER = [
    pytest.param(folder, revision.name[:4], id=f"{folder.parents[1].name}-{revision.name[:4]}")
    for folder in ALL
    for revision in sorted((folder / "versions").glob("[0-9]*.py"))[:-1]
]
both = pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
Rows = dict[str, list[dict[str, Any]]]


@pytest.fixture
def url(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    if kind == "sqlite":
        return f"sqlite:///{tmp_path / 'some.sqlite'}"
    server: Callable[[], str] = request.getfixturevalue("postgres")
    return server()


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


@both
@pytest.mark.parametrize(("migrations", "revision"), EARLIER)
async def test_rows_of_an_earlier_revision_are_all_there_and_the_same(
    migrations: Path, revision: str, url: str
) -> None:
    await (await asyncio.to_thread(open_database, url, migrations)).close()
    with connected(url) as connection:
        fill(connection)
        go_to(connection, migrations, revision)
    with connected(url) as connection:
        before = rows_of(connection)
    assert before
    assert {len(rows) for rows in before.values()} == {ROWS}

    await (await asyncio.to_thread(open_database, url, migrations)).close()

    with connected(url) as connection:
        after = rows_of(connection)
    for table, rows in before.items():
        kept = [name for name in rows[0] if name in after[table][0]]
        assert kept
        was = sorted(({name: row[name] for name in kept} for row in rows), key=repr)
        now = sorted(({name: row[name] for name in kept} for row in after[table]), key=repr)
        assert now == was, table


@both
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
