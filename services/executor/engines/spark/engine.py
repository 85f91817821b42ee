"""The distributed engine: statements run in a Spark server, through Spark Connect.

The rows are read as Arrow batches as they arrive, from pyspark's own client: ibis, which could
stand between, collects a result as a whole before it hands out the first batch.
"""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pyarrow as pa

from mesh.errors import ENGINE_UNAVAILABLE, AssayError
from mesh.policy import Policy
from mesh.tool import ErrorCategory, ToolError
from services.executor.engines.arrow_types import (
    friendly,
    under_names_of,
)
from services.executor.engines.database_words import in_words
from services.executor.engines.engine import annotated
from services.executor.engines.expressible import NotExpressible
from services.executor.engines.plan import Plan, Twins, planned
from services.executor.engines.presenting import presentable
from services.executor.engines.spark.connect import SparkSessions, SparkWorkspace, unavailable
from services.executor.engines.spark.run import SparkRun
from services.executor.engines.spark.translate import spark_sql
from services.executor.engines.spellings import ELSEWHERE
from services.executor.sources.prepared import PreparedSource

log = logging.getLogger("assay.executor")

_AWAY = re.compile(
    r"UNAVAILABLE|Connection (refused|reset)|Socket closed|RetriesExceeded|SESSION_CLOSED"
    r"|SESSION_NOT_FOUND|NO_ACTIVE_SESSION|SESSION_CHANGED|OPERATION_NOT_FOUND|CURSOR_DISCONNECTED"
)
_VALUES = (
    "CAST_INVALID_INPUT",
    "CAST_OVERFLOW",
    "ARITHMETIC_OVERFLOW",
    "DATETIME",
    "CANNOT_PARSE",
    "NUMERIC_VALUE_OUT_OF_RANGE",
    "INVALID_PARAMETER_VALUE",
    "CONVERSION_INVALID_INPUT",
    "INVALID_FRACTION_OF_SECOND",
    "BINARY_ARITHMETIC_OVERFLOW",
    "USER_RAISED_EXCEPTION",
    "SCALAR_SUBQUERY_TOO_MANY_ROWS",
    "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION",
)


class SparkEngine:
    """Translates statements and runs them in sessions of a Spark server. Serves all threads.

    `address` is sc://HOST:PORT; `folder` is where tables that are not files yet are written for
    Spark to read; `byte_limit` is the most a result may take in memory.

    Not bounded here: when time is over Spark cancels the job at once, but a task that is inside
    the generated code of a join looks for that only when it reads its next row. A join that makes
    billions of rows of few can hold a core of the server until it ends. In a cluster
    `spark.task.reaper.enabled` with `spark.task.reaper.killTimeout` ends such an executor.
    """

    name = "spark"

    def __init__(
        self,
        address: str,
        folder: Path,
        twins: Twins | None = None,
        *,
        byte_limit: int = 1 << 30,
        upload_bytes: int = 64 << 20,
    ) -> None:
        parts = urlsplit(address)
        self._shown = f"{parts.hostname}:{parts.port or 15002}"
        self._sessions = SparkSessions(address, folder, upload_bytes=upload_bytes)
        self._twins = twins or Twins()
        self._byte_limit = byte_limit

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
        """As `Engine.query`.

        Raises NotExpressible, too, where Spark cannot say what the statement means, and
        AssayError(ENGINE_UNAVAILABLE) where it does not answer.
        """
        deadline = time.monotonic() + seconds
        plan = planned(
            sources, sql, parameters, policy=policy, row_limit=row_limit, twins=self._twins
        )
        if policy.blocked_patterns and _reads_text(plan):
            raise NotExpressible("texts that policy may block")
        spark_sql(plan, {table.name.casefold(): "assay_0" for table in plan.used})

        def run() -> pa.Table:
            workspace = self._sessions.get(sources, policy)
            try:
                return SparkRun(workspace, row_limit, self._byte_limit).finish(
                    lambda: spark_sql(plan, workspace.views(plan.used)),
                    seconds,
                    deadline,
                    cancelled,
                )
            except (ToolError, AssayError, NotExpressible):
                raise
            except Exception as error:
                raise self._failure(error, workspace) from None

        try:
            table = run()
        except AssayError as error:
            # The session may be of a server that was started anew since: a new one tells.
            if error.reason is not ENGINE_UNAVAILABLE or time.monotonic() >= deadline:
                raise
            table = run()
        result, notes = presentable(_with_schema(table, plan.schema), policy)
        if any(pa.types.is_floating(kind) for kind in result.schema.types):
            notes.append("computed in parallel: the last digits of sums may differ when run again")
        return annotated(result, self.name, notes)

    def close(self) -> None:
        """End the sessions in the server, as far as it still answers."""
        try:
            self._sessions.close()
        except Exception as error:
            log.info("sessions of Spark were not ended: %s", type(error).__name__)

    def _failure(self, error: Exception, workspace: SparkWorkspace) -> Exception:
        """What a repair, a person, or another engine can act on."""
        text = str(error)
        found = re.match(r"\s*\[([A-Z_]+)", text)
        condition = found[1] if found else ""
        if _AWAY.search(text) or _AWAY.search(type(error).__name__):
            self._sessions.forget(workspace)
            return unavailable(self._shown, error)
        if ELSEWHERE in text:
            return NotExpressible("a text as a value, in the spelling of some row")
        if condition in _VALUES:
            ours = _first_line(text) if "ASSAY: " in text else ""
            what = ours.rstrip(".") or in_words(text.strip().splitlines()[0])
            return ToolError(
                ErrorCategory.TYPE_MISMATCH, f"{what or 'a value does not fit where it stands'}."
            )
        if "OutOfMemory" in text or "exceeds spark.driver.maxResultSize" in text:
            return ToolError(
                ErrorCategory.RESOURCE_EXHAUSTED,
                "the query needs more memory than Spark is given.",
                hint="Filter or aggregate before joining.",
                details={"limit": "memory"},
            )
        if type(error).__name__ in ("AnalysisException", "ParseException"):
            # The statement is right, as the twin has shown: it was not translated well enough.
            log.info("Spark does not take a translated statement: %s", condition)
            return NotExpressible(f"this statement ({condition or 'analysis'})")
        log.warning("Spark failed: %s", condition or type(error).__name__)
        return ToolError(ErrorCategory.INTERNAL, f"Spark failed: {condition or 'see the log'}.")


def _reads_text(plan: Plan) -> bool:
    """Whether the statement reads a column of text. Spark has no recognisers of personal data."""
    texts = {c.name.casefold() for t in plan.used for c in t.columns if c.type == "VARCHAR"}
    return bool(texts & plan.columns_read())


def _with_schema(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """The rows under DuckDB's names, in its types."""
    return under_names_of(schema, friendly(table))


def _first_line(text: str) -> str:
    line = text.strip().splitlines()[0] if text.strip() else "no reason given"
    return line.split("ASSAY: ")[-1][:300]
