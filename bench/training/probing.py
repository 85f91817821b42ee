"""Runs candidates' queries over a database of the sets, bounded, and keeps their rows."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from typing import Any

import duckdb

from bench.reading.canonical import canonical
from services.executor.engines.workspace import Workspace
from services.planner.domain.language.planning.sql import Query
from services.planner.domain.reader.evidence.outcome import FAILED, Outcome

ROWS_AT_MOST = 1500
_SECONDS = 4.0


class LocalProbe:
    """Outcomes of queries over one workspace; `rows` are those of the last batch."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self.rows: list[tuple[list[str], list[tuple[Any, ...]]] | None] = []

    async def __call__(self, queries: Sequence[Query]) -> Sequence[Outcome]:
        """What running each of the queries showed."""
        self.rows = []
        found: list[Outcome] = []
        with self._workspace.cursor() as cursor:
            timer = threading.Timer(_SECONDS, cursor.interrupt)
            timer.start()
            try:
                for query in queries:
                    found.append(self._one(cursor, query))
            finally:
                timer.cancel()
        return found

    def _one(self, cursor: duckdb.DuckDBPyConnection, query: Query) -> Outcome:
        try:
            result = cursor.execute(query.text, list(query.params))
            rows = result.fetchmany(ROWS_AT_MOST + 1)
        except duckdb.Error:
            self.rows.append(None)
            return FAILED
        if len(rows) > ROWS_AT_MOST:
            self.rows.append(None)
            return FAILED
        self.rows.append(([c[0] for c in result.description or ()], rows))
        return outcome_of(rows)


def outcome_of(rows: Sequence[tuple[Any, ...]]) -> Outcome:
    """What rows show."""
    cells = [tuple(_short(canonical(cell)) for cell in row) for row in rows]
    size = max(1, len(cells))
    empty = sum(any(cell == "" for cell in row) for row in cells[:200]) / min(200, size)
    first = Counter(row[0] for row in cells) if cells else Counter[object]()
    return Outcome(
        True, len(cells), str(hash(tuple(sorted(cells, key=repr)))), str(hash(tuple(cells))), empty,
        len(set(cells)) / size, 1 - len(first) / size,
        bool(cells) and all(row[-1] in (0.0, 1.0) for row in cells[:200]),
        tuple(rows[0]) if rows else (),
    )  # fmt: skip


def _short(cell: object) -> object:
    return f"{cell:.6g}" if isinstance(cell, float) else cell
