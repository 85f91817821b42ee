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
from services.executor.engines.duckdb_errors import as_tool_error
from services.executor.engines.stopwatch import interrupted_when
from services.executor.engines.workspace import Workspace
from services.executor.probing.looking import seen
from services.executor.probing.outcome import (
    CUT_OFF,
    NOT_REACHED,
    QueryOutcome,
    failed,
)

_MOST_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class Batch:
    """Statements that passed the guard; they end at `deadline`, a moment of `time.monotonic`."""

    statements: tuple[str, ...]
    rows: int
    each: float
    deadline: float


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

    def outcomes(self) -> list[QueryOutcome]:
        """One for each statement. A failure may end its transaction, so another is begun."""
        found: list[QueryOutcome] = []
        waiting = deque(self._batch.statements)
        while waiting:
            if self._is_over():
                return [*found, *([NOT_REACHED] * len(waiting))]
            with self._workspace.cursor() as cursor, interrupted_when(cursor, self._is_late):
                while waiting and not self._is_over():
                    outcome, healthy = self._outcome(cursor, waiting[0])
                    if outcome is not None:
                        found.append(outcome)
                        waiting.popleft()
                    if not healthy:
                        break
        return found

    def _is_over(self) -> bool:
        return self._cancelled.is_set() or time.monotonic() >= self._batch.deadline

    def _is_late(self) -> bool:
        return self._cancelled.is_set() or time.monotonic() >= self._end

    def _outcome(
        self, cursor: duckdb.DuckDBPyConnection, statement: str
    ) -> tuple[QueryOutcome | None, bool]:
        """What came of a statement, and whether the cursor may go on; None for to try again."""
        own_end = time.monotonic() + self._batch.each
        self._end = min(own_end, self._batch.deadline)
        try:
            table = _rows(cursor, statement, self._batch.rows)
            self._end = math.inf
            return seen(table, self._batch.rows, self._policy), True
        except (duckdb.InterruptException, OSError) as error:
            return self._stopped(own_end, error), False
        except duckdb.Error as error:
            tables = [table.known for table in self._workspace.tables]
            return failed(reason_of(as_tool_error(error, statement, tables))), False
        except ToolError as error:
            return failed(reason_of(error)), False
        except MemoryError:
            return failed(ErrorCategory.RESOURCE_EXHAUSTED.value.upper()), False
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
