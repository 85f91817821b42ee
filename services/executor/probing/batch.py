"""Guarded statements run one after the other in a locked workspace, each within its own time."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from dataclasses import dataclass

import duckdb
import pyarrow as pa

from mesh.policy import Policy
from mesh.tool import ErrorCategory, ToolError
from services.executor.engines.duckdb.errors import as_tool_error
from services.executor.engines.duckdb.run import whole_words
from services.executor.engines.duckdb.stopwatch import interrupted_when
from services.executor.engines.workspace import Workspace
from services.executor.probing.looking import seen
from services.executor.probing.outcome import (
    CUT_OFF,
    NOT_REACHED,
    QueryOutcome,
    failed,
)

_MOST_BYTES = 32 << 20


@dataclass(frozen=True, slots=True)
class Batch:
    """Statements that passed the guard; they end at `deadline`, a moment of `time.monotonic`."""

    statements: tuple[str, ...]
    rows: int
    each: float
    deadline: float
    glimpse: int = 3


def looked(
    workspace: Workspace, batch: Batch, policy: Policy, cancelled: threading.Event
) -> list[QueryOutcome]:
    """What the data says of each statement."""
    run = _Run(workspace, batch, policy, cancelled)
    return run.outcomes()


def reason_of(error: ToolError) -> str:
    """The stable name of a failure."""
    return str(error.details.get("reason") or error.category.value.upper())


class _Run:
    def __init__(
        self, workspace: Workspace, batch: Batch, policy: Policy, cancelled: threading.Event
    ) -> None:
        self._workspace = workspace
        self._batch = batch
        self._policy = policy
        self._cancelled = cancelled
        self._end = math.inf
        self._found: list[QueryOutcome | pa.Table] = []
        self._held = 0

    def outcomes(self) -> list[QueryOutcome]:
        """One for each statement. A failure may end its transaction, so another is begun."""
        waiting = deque(self._batch.statements)
        while waiting and not self._is_over():
            with self._workspace.cursor() as cursor, interrupted_when(cursor, self._is_late):
                while waiting and not self._is_over():
                    given = self._given(cursor, waiting[0])
                    if given is not None:
                        self._keep(given)
                        waiting.popleft()
                    if not isinstance(given, pa.Table):
                        break
        return [*self._list_outcomes(), *([NOT_REACHED] * len(waiting))]

    def _keep(self, given: QueryOutcome | pa.Table) -> None:
        """Rows are looked at later, all together: in between they would cost twice the time."""
        self._found.append(given)
        self._held += given.nbytes if isinstance(given, pa.Table) else 0
        if self._held > _MOST_BYTES:
            self._list_outcomes()

    def _list_outcomes(self) -> list[QueryOutcome]:
        query_outcomes = [
            self._seen(one) if isinstance(one, pa.Table) else one for one in self._found
        ]
        self._found, self._held = [*query_outcomes], 0
        return query_outcomes

    def _seen(self, table: pa.Table) -> QueryOutcome:
        try:
            return seen(table, self._batch.rows, self._policy, self._batch.glimpse)
        except MemoryError:
            return failed(ErrorCategory.RESOURCE_EXHAUSTED.value.upper())

    def _is_over(self) -> bool:
        return self._cancelled.is_set() or time.monotonic() >= self._batch.deadline

    def _is_late(self) -> bool:
        return self._cancelled.is_set() or time.monotonic() >= self._end

    def _given(
        self, cursor: duckdb.DuckDBPyConnection, statement: str
    ) -> QueryOutcome | pa.Table | None:
        """The rows of a statement, or how it ended without any; None for to try again."""
        own_end = time.monotonic() + self._batch.each
        self._end = min(own_end, self._batch.deadline)
        try:
            with whole_words():
                return _rows(cursor, statement, self._batch.rows)
        except (duckdb.InterruptException, OSError) as error:
            return self._stopped(own_end, error)
        except duckdb.Error as error:
            tables = [table.known for table in self._workspace.tables]
            return failed(reason_of(as_tool_error(error, statement, tables)))
        except ToolError as error:
            return failed(reason_of(error))
        except MemoryError:
            return failed(ErrorCategory.RESOURCE_EXHAUSTED.value.upper())
        finally:
            self._end = math.inf

    def _stopped(self, own_end: float, error: Exception) -> QueryOutcome | None:
        """Of a query that was interrupted, or whose rows broke off while Arrow read them."""
        now = time.monotonic()
        if self._cancelled.is_set() or self._batch.deadline <= min(now, own_end):
            return NOT_REACHED
        if own_end <= now:
            return CUT_OFF
        if isinstance(error, duckdb.InterruptException):
            return None  # it was meant for the query before, which ended by itself just then
        return failed(ErrorCategory.RESOURCE_EXHAUSTED.value.upper())


def _rows(cursor: duckdb.DuckDBPyConnection, statement: str, rows: int) -> pa.Table:
    """At most one row more than `rows`."""
    parsed = cursor.extract_statements(statement)
    if len(parsed) != 1 or parsed[0].type != duckdb.StatementType.SELECT:
        raise ToolError(ErrorCategory.POLICY_DENIED, "the database runs one SELECT, no more.")
    reader = cursor.execute(parsed[0]).to_arrow_reader(rows + 1)
    batches: list[pa.RecordBatch] = []
    count = held = 0
    for batch in reader:
        batches.append(batch)
        count, held = count + batch.num_rows, held + batch.nbytes
        if held > _MOST_BYTES:
            raise ToolError(ErrorCategory.RESOURCE_EXHAUSTED, "the rows take too much memory.")
        if count > rows:
            break
    return pa.Table.from_batches(batches, schema=reader.schema)
