"""The embedded engine: guarded SQL over prepared sources, bounded in time, rows and memory."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import duckdb
import pyarrow as pa

from mesh.policy import Policy
from services.executor.engines.arrow_types import friendly
from services.executor.engines.duckdb.determinism import free_of_order
from services.executor.engines.duckdb.errors import as_tool_error
from services.executor.engines.duckdb.query_processes import QueryProcesses
from services.executor.engines.duckdb.run import run_locked
from services.executor.engines.engine import annotated
from services.executor.engines.guard import guard
from services.executor.engines.masked_statement import statement_within
from services.executor.engines.presenting import presentable
from services.executor.engines.workspace import (
    FlatTable,
    WorkspacePool,
    flat_tables,
    is_large,
)
from services.executor.probing.batch import Batch, looked
from services.executor.probing.outcome import QueryOutcome
from services.executor.sources.prepared import PreparedSource

BYTE_LIMIT = 1 << 30
_FEW_ROWS = 1_000_000  # more threads are not worth their start below this


class DuckDBEngine:
    """Implements `Engine`. One object serves all threads.

    With `processes` queries run in processes of their own, which a query that takes all memory
    ends alone; without, in this one, with workspaces of `pool`. `byte_limit` is the most a result
    may take in memory.
    """

    name = "duckdb"

    def __init__(
        self,
        pool: WorkspacePool | None = None,
        processes: QueryProcesses | None = None,
        *,
        byte_limit: int = BYTE_LIMIT,
    ) -> None:
        self._pool = pool or WorkspacePool()
        self._processes = processes
        self._byte_limit = byte_limit

    @property
    def apart(self) -> bool:
        """Whether queries run in processes of their own."""
        return self._processes is not None

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
        """As `Engine.query`."""
        sql, parameters = statement_within(sql, parameters, policy)
        flat = flat_tables(sources, policy)
        tables = [table.known for table in flat]
        statement = guard(sql, tables, row_limit)
        parallel, exact = _threads(sources, statement, flat)
        if self._processes is not None:
            table = self._processes.run(
                sources,
                policy,
                parallel,
                statement,
                parameters,
                row_limit=row_limit,
                byte_limit=self._byte_limit,
                seconds=seconds,
                cancelled=cancelled,
            )
            return _annotated(table, policy, exact)
        workspace = self._pool.get(sources, policy, parallel)
        try:
            table = run_locked(
                workspace, statement, parameters, row_limit, self._byte_limit, seconds, cancelled
            )
        except duckdb.Error as error:
            used = [known for known in tables if known.name.casefold() in statement.casefold()]
            raise as_tool_error(error, statement, used or tables) from None
        return _annotated(table, policy, workspace.parallel)

    def look(
        self,
        sources: Sequence[PreparedSource],
        batch: Batch,
        cancelled: threading.Event,
        policy: Policy,
        *,
        may_start: bool = True,
    ) -> list[QueryOutcome]:
        """What the data says of statements that passed the guard, as `QueryProcesses.look`."""
        parallel = sum(source.rows for source in sources) > _FEW_ROWS
        if self._processes is not None:
            return self._processes.look(
                sources, policy, parallel, batch, cancelled, may_start=may_start
            )
        return looked(self._pool.get(sources, policy, parallel), batch, policy, cancelled)

    def close(self) -> None:
        """End the processes."""
        if self._processes is not None:
            self._processes.close()


def _threads(
    sources: Sequence[PreparedSource], statement: str, tables: Sequence[FlatTable]
) -> tuple[bool, bool]:
    """Whether several threads compute, and whether the result has equal bits every time."""
    if sum(source.rows for source in sources) <= _FEW_ROWS:
        return False, True
    exact = free_of_order(statement, tables)
    return exact or is_large(sources), exact or not is_large(sources)


def _annotated(table: pa.Table, policy: Policy, exact: bool) -> pa.Table:
    result, notes = presentable(friendly(table), policy)
    if not exact and any(pa.types.is_floating(field.type) for field in result.schema):
        notes.append("computed in parallel: the last digits of sums may differ when run again")
    return annotated(result, "duckdb", notes)
