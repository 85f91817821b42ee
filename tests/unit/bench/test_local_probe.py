"""What the sets' own evidence says of a query that was stopped for time."""

from __future__ import annotations

import asyncio
from typing import Any

import duckdb
import pytest

from bench.training import probing
from bench.training.probing import LocalProbe
from services.planner.domain.evidence import ProbedQuery, ProbeState

ENDLESS = "SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b"


class Workspace:
    """A database without tables."""

    def __init__(self) -> None:
        self._connection = duckdb.connect()

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """As the executor's workspace gives one."""
        return self._connection.cursor()


def test_a_query_stopped_for_time_did_not_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probing, "_SECONDS", 0.2)
    workspace: Any = Workspace()
    asked = ["SELECT 1 AS one", "SELECT missing", ENDLESS, "SELECT 2 AS two"]

    told = asyncio.run(LocalProbe(workspace)([ProbedQuery(sql=sql) for sql in asked]))

    states = [one.state for one in told]
    assert states == [
        ProbeState.OK,
        ProbeState.FAILED,
        ProbeState.CUT_OFF,
        ProbeState.NOT_REACHED,
    ]
