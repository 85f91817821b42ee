"""The embedded engine: guarded SQL over prepared sources, bounded in time and rows."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import duckdb
import pyarrow as pa

from mesh.policy import MASK, Policy
from mesh.tool import ErrorCategory, ToolError
from services.executor.engines.arrow_types import friendly, replace_pseudonyms
from services.executor.engines.binding import bound
from services.executor.engines.duckdb_errors import as_tool_error
from services.executor.engines.guard import guard
from services.executor.engines.stopwatch import interrupted_when
from services.executor.engines.workspace import PSEUDONYM, Workspace, WorkspacePool
from services.executor.sources.library import PreparedSource

NOTES_KEY = b"assay.notes"
_BATCH_ROWS = 65_536


class DuckDBEngine:
    """Runs read-only statements. One object serves all threads."""

    def __init__(self, pool: WorkspacePool | None = None) -> None:
        self._pool = pool or WorkspacePool()

    def query(
        self,
        sources: Sequence[PreparedSource],
        sql: str,
        parameters: Sequence[Any] = (),
        *,
        row_limit: int,
        seconds: float,
        cancelled: threading.Event,
        policy: Policy,
    ) -> pa.Table:
        """The rows of one guarded SELECT, in the result types of `arrow_types`.

        What a reader should know is in the schema's metadata under `assay.notes`, a JSON list.
        Raises ToolError: SQL_SYNTAX, MISSING_COLUMN, TYPE_MISMATCH, POLICY_DENIED; CANCELLED when
        the event is set, and RESOURCE_EXHAUSTED after `seconds` or above `row_limit` rows, both
        within a tenth of a second.
        """
        workspace = self._pool.get(sources, policy)
        tables = [table.known for table in workspace.tables]
        statement = guard(sql, tables, row_limit)
        try:
            table = run_locked(workspace, statement, parameters, row_limit, seconds, cancelled)
        except duckdb.Error as error:
            used = [known for known in tables if known.name.casefold() in statement.casefold()]
            raise as_tool_error(error, statement, used or tables) from None
        return _annotated(table, workspace)


def run_locked(
    workspace: Workspace,
    statement: str,
    parameters: Sequence[Any],
    row_limit: int,
    seconds: float,
    cancelled: threading.Event,
) -> pa.Table:
    """Run a statement that passed the guard. The database's own parser must call it one SELECT.

    Raises duckdb.Error as it comes, ToolError for refusals and limits.
    """
    with workspace.cursor() as cursor:
        parsed = cursor.extract_statements(bound(statement, parameters))
        if len(parsed) != 1 or parsed[0].type != duckdb.StatementType.SELECT:
            raise ToolError(ErrorCategory.POLICY_DENIED, "the database runs one SELECT, no more.")
        with _stopwatch(cursor, seconds, cancelled):
            reader = cursor.execute(parsed[0]).to_arrow_reader(_BATCH_ROWS)
            return _collected(reader, row_limit)


def _collected(reader: pa.RecordBatchReader, row_limit: int) -> pa.Table:
    batches: list[pa.RecordBatch] = []
    rows = 0
    for batch in reader:
        rows += batch.num_rows
        if rows > row_limit:
            raise ToolError(
                ErrorCategory.RESOURCE_EXHAUSTED,
                f"the query gives more than {row_limit:,} rows.",
                hint="Aggregate or filter, or raise the row limit.",
                details={"limit": row_limit, "seen": rows, "unit": "rows"},
            )
        batches.append(batch)
    return pa.Table.from_batches(batches, schema=reader.schema)


@contextmanager
def _stopwatch(
    cursor: duckdb.DuckDBPyConnection, seconds: float, cancelled: threading.Event
) -> Iterator[None]:
    """Interrupts the query inside the database when its time is over or it is cancelled."""
    deadline = time.monotonic() + seconds
    try:
        with interrupted_when(cursor, lambda: cancelled.is_set() or time.monotonic() >= deadline):
            yield
    except (duckdb.InterruptException, OSError) as error:
        if cancelled.is_set():
            raise ToolError(ErrorCategory.CANCELLED, "the query was cancelled.") from None
        if time.monotonic() >= deadline:
            raise ToolError(
                ErrorCategory.RESOURCE_EXHAUSTED,
                f"the query was stopped after {seconds:g} s.",
                hint="Raise the timeout, or ask for less.",
                details={"limit": seconds, "unit": "seconds"},
            ) from None
        raise error


def _annotated(table: pa.Table, workspace: Workspace) -> pa.Table:
    result = friendly(table)
    notes: list[str] = []
    if workspace.policy.blocked_patterns:
        result, cells = replace_pseudonyms(result, PSEUDONYM, MASK)
        if cells:
            notes.append(f"{cells:,} {'cell' if cells == 1 else 'cells'} blocked by policy")
    if workspace.parallel and any(pa.types.is_floating(f.type) for f in result.schema):
        notes.append("computed in parallel: the last digits of sums may differ when run again")
    return result.replace_schema_metadata({NOTES_KEY: json.dumps(notes)} if notes else None)
