"""Runs candidates' queries over a database of the sets, bounded, and keeps their rows."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Any

import duckdb

from mesh.policy import Policy
from services.executor import contract_probing
from services.executor.engines.workspace import Workspace
from services.executor.probing.looking import seen
from services.planner import contract
from services.planner.domain.evidence import (
    USUAL_LIMITS,
    Outcome,
    ProbedQuery,
    ProbeLimits,
    ProbeState,
)

_SECONDS = 10.0
"""Of a batch. The executor stops at the limits that it is given; here other work shares the
processor, and what the data says should not hang on that."""
_NO_RULES = Policy()
Fetched = tuple[list[str], list[tuple[Any, ...]]]


class LocalProbe:
    """Evidence of one workspace without guard and processes, which learning has no need of.

    `rows` are those of the last batch, None of a query that failed or gave too many.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self.rows: list[Fetched | None] = []

    async def __call__(
        self, queries: Sequence[ProbedQuery], limits: ProbeLimits = USUAL_LIMITS
    ) -> Sequence[Outcome]:
        """What running each of the queries showed."""
        self.rows = []
        found: list[Outcome] = []
        deadline = time.monotonic() + _SECONDS
        with self._workspace.cursor() as cursor:
            for query in queries:
                found.append(self._within(cursor, query, limits, deadline - time.monotonic()))
        return found

    def _within(
        self,
        cursor: duckdb.DuckDBPyConnection,
        query: ProbedQuery,
        limits: ProbeLimits,
        seconds: float,
    ) -> Outcome:
        """What one query showed; that it was stopped for time is no fault of the query."""
        if seconds <= 0:
            self.rows.append(None)
            return Outcome(state=ProbeState.NOT_REACHED)
        timer = threading.Timer(seconds, cursor.interrupt)
        timer.start()
        try:
            return self._one(cursor, query, limits)
        finally:
            timer.cancel()

    def _one(
        self, cursor: duckdb.DuckDBPyConnection, query: ProbedQuery, limits: ProbeLimits
    ) -> Outcome:
        rows = limits.rows
        try:
            cursor.execute(f"SELECT * FROM ({query.sql}) LIMIT {rows + 1}", list(query.params))
            table = cursor.to_arrow_table()
        except (duckdb.InterruptException, OSError):  # rows may break off while Arrow reads them
            self.rows.append(None)
            return Outcome(state=ProbeState.CUT_OFF)
        except duckdb.Error:
            self.rows.append(None)
            return Outcome(state=ProbeState.FAILED)
        cells = list(zip(*(column.to_pylist() for column in table.columns), strict=True))
        self.rows.append((table.column_names, cells) if len(cells) <= rows else None)
        query_outcome = seen(table, rows, _NO_RULES, limits.glimpse)
        return contract.outcome_from(contract_probing.outcome_to(query_outcome))
