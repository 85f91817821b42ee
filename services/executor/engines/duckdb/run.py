"""One statement in a locked workspace, bounded in time, rows and bytes."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import duckdb
import pyarrow as pa

from mesh.tool import ErrorCategory, ToolError
from services.executor.engines.binding import bound
from services.executor.engines.duckdb.stopwatch import interrupted_when
from services.executor.engines.limits import collected
from services.executor.engines.workspace import Workspace

_BATCH_ROWS = 65_536


def run_locked(
    workspace: Workspace,
    statement: str,
    parameters: Sequence[Any],
    row_limit: int,
    byte_limit: int,
    seconds: float,
    cancelled: threading.Event,
    begun: float | None = None,
) -> pa.Table:
    """Run a statement that passed the guard. The database's own parser must call it one SELECT.

    The time counts from `begun`, a moment of `time.monotonic`, else from now. Raises duckdb.Error
    as it comes, ToolError for refusals and limits.
    """
    with workspace.cursor() as cursor:
        parsed = cursor.extract_statements(bound(statement, parameters))
        if len(parsed) != 1 or parsed[0].type != duckdb.StatementType.SELECT:
            raise ToolError(ErrorCategory.POLICY_DENIED, "the database runs one SELECT, no more.")
        with _stopwatch(cursor, seconds, cancelled, begun), whole_words():
            reader = cursor.execute(parsed[0]).to_arrow_reader(_BATCH_ROWS)
            return collected(reader, row_limit, byte_limit)


@contextmanager
def whole_words() -> Iterator[None]:
    """DuckDB's errors come as such, also those that Python cannot read.

    DuckDB quotes a piece of the text that it stumbled over, cut anywhere: where half a character is
    left, its error arrives as a UnicodeDecodeError, with its words in it.
    """
    try:
        yield
    except UnicodeDecodeError as error:
        message = error.object.decode(errors="replace")
        raise duckdb.InvalidInputException(message) from None


@contextmanager
def _stopwatch(
    cursor: duckdb.DuckDBPyConnection,
    seconds: float,
    cancelled: threading.Event,
    begun: float | None,
) -> Iterator[None]:
    """Interrupts the query inside the database when its time is over or it is cancelled."""
    deadline = (time.monotonic() if begun is None else begun) + seconds
    try:
        with interrupted_when(cursor, lambda: cancelled.is_set() or time.monotonic() >= deadline):
            yield
    except (duckdb.InterruptException, OSError) as error:
        if cancelled.is_set():
            raise ToolError(ErrorCategory.CANCELLED, "the query was cancelled.") from None
        if time.monotonic() >= deadline:
            raise ToolError(
                ErrorCategory.RESOURCE_EXHAUSTED,
                f"the query was stopped after {seconds:.3g} s.",
                hint="Raise the timeout, or ask for less.",
                details={"limit": round(seconds, 3), "unit": "seconds"},
            ) from None
        if "maximum total string size" in str(error):
            raise ToolError(
                ErrorCategory.RESOURCE_EXHAUSTED,
                "the query gives more than 2 GB of text in one column.",
                hint="Aggregate or filter, or ask for fewer columns.",
                details={"limit": 2**31 - 1, "unit": "bytes"},
            ) from None
        if "Out of Memory" in str(error) and not isinstance(error, duckdb.Error):
            # Told by Arrow, which stands between while rows come out.
            raise duckdb.OutOfMemoryException(str(error).splitlines()[0]) from None
        raise error
