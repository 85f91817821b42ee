"""Lists and figures of jobs read what they show, however many jobs there are: by which index.

SQLite tells which it takes; PostgreSQL's choice goes by how much a table holds.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.orm import Session

from mesh.clock import HeldClock
from mesh.storage.database import Database, open_database
from services.planner.adapters.job_figures import JobFigures
from services.planner.adapters.job_store import SqlJobStore
from services.planner.domain.jobs.job import JobFilter, JobState
from services.planner.domain.request import JobKind
from tests.contract.jobs import MIGRATIONS, NOW
from tests.migrated import migrated_file

_SESSION = {"session_id": "5" * 32}
_OF_PLANNERS = re.compile(r"(SCAN|SEARCH) planners(?: USING (?:COVERING )?INDEX (\w+))?")
_ITS_KEY = "sqlite_autoindex_planners_1"


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    url = migrated_file(tmp_path / "planner.sqlite", MIGRATIONS)
    opened = await asyncio.to_thread(open_database, url, MIGRATIONS)
    yield opened
    await opened.close()


class Asked:
    """The statements that a database was asked, and by which index each finds jobs."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._asked: list[tuple[str, Any]] = []
        engine = database.run(lambda session: session.get_bind(), read_only=True)
        event.listen(engine, "before_cursor_execute", self._note)

    def _note(self, _connection: Any, _cursor: Any, statement: str, given: Any, *_: Any) -> None:
        if statement.startswith("SELECT"):
            self._asked.append((statement, given))

    def indexes(self) -> set[str]:
        """By their names; "" for a look at all jobs."""

        def work(session: Session) -> set[str]:
            found = set()
            for statement, given in list(self._asked):
                raw: Any = session.connection().connection.cursor()
                for row in raw.execute(f"EXPLAIN QUERY PLAN {statement}", given):
                    if told := _OF_PLANNERS.match(row[3]):
                        found.add(told[2] or "")
            return found - {_ITS_KEY}

        return self._database.run(work, read_only=True)


@pytest.mark.parametrize(
    ("wanted", "index"),
    [
        ({}, "ix_planners_tenant_created"),
        ({"kind": JobKind.CAUSAL}, "ix_planners_tenant_kind_state"),
        ({"states": (JobState.CANCELLED, JobState.FAILED)}, "ix_planners_tenant_kind_state"),
        (_SESSION, "ix_planners_tenant_session"),
        ({**_SESSION, "states": (JobState.FAILED,)}, "ix_planners_tenant_session"),
        ({"conversation_id": "5" * 32}, "ix_planners_tenant_conversation"),
    ],
)
async def test_a_list_by_any_filter_has_an_index_of_its_own(
    database: Database, wanted: dict[str, Any], index: str
) -> None:
    store, asked = SqlJobStore(database, HeldClock(NOW)), Asked(database)
    assert await store.page("ann", JobFilter(**wanted), 20, "") == ([], "")
    assert asked.indexes() == {index}


async def test_figures_look_at_jobs_that_have_not_ended(database: Database) -> None:
    figures, asked = JobFigures(database, HeldClock(NOW)), Asked(database)
    for told in (figures.jobs, figures.queue_ages, figures.lease_ages):
        await asyncio.to_thread(told)
    assert asked.indexes() == {"ix_planners_state_kind"}
