"""A budget for language models holds whoever spends it: on SQLite and on PostgreSQL."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest
import pytest_asyncio

from mesh.ids import new_id
from mesh.storage.database import Database, open_database
from services.planner.adapters.llm.spending import (
    Budget,
    BudgetSpentError,
    Reservation,
    SqlSpending,
)
from services.planner.domain.model_use import ModelUse
from services.planner.service import MIGRATIONS
from tests.migrated import migrated

PLANNERS, EACH, AFFORDED, TOKENS = 2, 8, 5, 100


@pytest_asyncio.fixture(params=["sqlite", "postgresql"])
async def planners(request: pytest.FixtureRequest) -> AsyncIterator[list[SqlSpending]]:
    """Planners that share a database, each over connections of its own."""
    url = migrated(request, MIGRATIONS)
    opened: list[Database] = [
        await asyncio.to_thread(open_database, url, MIGRATIONS) for _ in range(PLANNERS)
    ]
    yield [SqlSpending(database) for database in opened]
    for database in opened:
        await database.close()


@pytest.mark.parametrize("limit", ["day_tokens", "job_tokens"])
async def test_planners_that_ask_at_once_never_spend_more_than_there_is(
    planners: list[SqlSpending], limit: str
) -> None:
    job, now = new_id(), datetime(2026, 1, 2, tzinfo=UTC)
    budget = Budget(**{limit: AFFORDED * TOKENS + TOKENS // 2})
    most = ModelUse(model="m", requests=1, input_tokens=TOKENS - 10, output_tokens=10)

    async def reserve(planner: SqlSpending) -> bool:
        try:
            await planner.reserve(Reservation(job, "plan", now, most), budget)
        except BudgetSpentError:
            return False
        return True

    tries = [reserve(planner) for _ in range(EACH) for planner in planners]
    assert sum(await asyncio.gather(*tries)) == AFFORDED
