"""One statement in a Spark session, bounded in time, rows and bytes."""

from __future__ import annotations

import logging
import threading
import time
import uuid
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from mesh.tool import ErrorCategory, ToolError
from services.executor.engines.spark.connect import SparkWorkspace

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

log = logging.getLogger("assay.executor")

_POLL_SECONDS = 0.02
_GRACE_SECONDS = 0.8


class SparkRun:
    """One statement in a thread of its own, so that waiting for it can end on time."""

    def __init__(self, workspace: SparkWorkspace, row_limit: int, byte_limit: int) -> None:
        self._workspace = workspace
        self._row_limit = row_limit
        self._byte_limit = byte_limit
        self._tag = f"assay-{uuid.uuid4().hex}"
        self._stopped = threading.Event()
        self._done = threading.Event()
        self._table: pa.Table | None = None
        self._error: BaseException | None = None

    def finish(
        self, statement: Any, seconds: float, deadline: float, cancelled: threading.Event
    ) -> pa.Table:
        """The rows. The statement is interrupted in Spark when time is over or at `cancelled`."""
        worker = threading.Thread(target=self._work, args=(statement,), name="spark", daemon=True)
        worker.start()
        while not self._done.wait(_POLL_SECONDS):
            if cancelled.is_set() or time.monotonic() >= deadline:
                self._interrupt()
                raise _over(cancelled, seconds)
        if self._error is not None:
            raise self._error
        if self._table is None:
            raise RuntimeError("Spark ended a statement without a result")
        return self._table

    def _work(self, statement: Any) -> None:
        session = self._workspace.session
        try:
            session.addTag(self._tag)
            self._table = self._collected(session, statement())
        except BaseException as error:
            self._error = error
        finally:
            session.removeTag(self._tag)
            self._done.set()

    def _collected(self, session: SparkSession, statement: str) -> pa.Table:
        frame = session.sql(statement)
        plan = frame._plan.to_proto(session.client)  # type: ignore[operator]
        tables: list[pa.Table] = []
        rows = held = 0
        for part in session.client.to_table_as_iterator(plan, {}):
            if not isinstance(part, pa.Table):
                continue
            rows, held = rows + part.num_rows, held + part.nbytes
            refusal = self._refusal(rows, held)
            if refusal is not None or self._stopped.is_set():
                session.interruptTag(self._tag)
                raise refusal or RuntimeError("stopped")
            tables.append(part)
        return pa.concat_tables(tables)

    def _refusal(self, rows: int, held: int) -> ToolError | None:
        if rows > self._row_limit:
            return ToolError(
                ErrorCategory.RESOURCE_EXHAUSTED,
                f"the query gives more than {self._row_limit:,} rows.",
                hint="Aggregate or filter, or raise the row limit.",
                details={"limit": self._row_limit, "seen": rows, "unit": "rows"},
            )
        if held > self._byte_limit:
            return ToolError(
                ErrorCategory.RESOURCE_EXHAUSTED,
                f"the query gives more than {self._byte_limit / 1e6:,.0f} MB.",
                hint="Aggregate or filter, or ask for fewer columns.",
                details={"limit": self._byte_limit, "seen": held, "unit": "bytes"},
            )
        return None

    def _interrupt(self) -> None:
        """Stop it in the server, asking again until it has ended or the grace is over."""
        self._stopped.set()

        def ask() -> None:
            while not self._done.is_set():
                try:
                    self._workspace.session.interruptTag(self._tag)
                except Exception as error:
                    log.warning("a statement was not interrupted: %s", type(error).__name__)
                    return
                self._done.wait(0.3)

        threading.Thread(target=ask, name="spark-interrupt", daemon=True).start()
        self._done.wait(_GRACE_SECONDS)


def _over(cancelled: threading.Event, seconds: float) -> ToolError:
    if cancelled.is_set():
        return ToolError(ErrorCategory.CANCELLED, "the query was cancelled.")
    return ToolError(
        ErrorCategory.RESOURCE_EXHAUSTED,
        f"the query was stopped after {seconds:g} s.",
        hint="Raise the timeout, or ask for less.",
        details={"limit": seconds, "unit": "seconds"},
    )
