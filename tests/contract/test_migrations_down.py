"""Every service's tables are taken down by their migrations and come again, on both databases."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, inspect

from mesh.storage.database import open_database

REPOSITORY = Path(__file__).resolve().parents[2]
ALL = sorted(path.parent for path in REPOSITORY.glob("*/adapters/migrations/env.py")) + sorted(
    path.parent for path in REPOSITORY.glob("services/*/adapters/migrations/env.py")
)


@pytest.mark.parametrize("migrations", ALL, ids=lambda path: path.parents[1].name)
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
async def test_one_revision_after_the_other_goes_down_and_up(
    migrations: Path, kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    url = f"sqlite:///{tmp_path / 'some.sqlite'}"
    if kind == "postgresql":
        server: Callable[[], str] = request.getfixturevalue("postgres")
        url = server()
    database = await asyncio.to_thread(open_database, url, migrations)
    await database.close()
    config = Config()
    config.set_main_option("script_location", str(migrations))
    revisions = [one.revision for one in ScriptDirectory.from_config(config).walk_revisions()]
    engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    try:
        with engine.begin() as connection:
            config.attributes["connection"] = connection
            before = _columns(connection)
            for revision in [*revisions[1:], "base"]:
                command.downgrade(config, revision)
            assert set(_columns(connection)) <= {"alembic_version"}
            command.upgrade(config, "head")
            assert _columns(connection) == before
    finally:
        engine.dispose()


def _columns(connection: object) -> dict[str, set[str]]:
    found = inspect(connection)
    return {
        table: {str(column["name"]) for column in found.get_columns(table)}
        for table in found.get_table_names()
    }
