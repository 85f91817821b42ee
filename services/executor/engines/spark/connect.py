"""Sessions with a Spark Connect server: one for each set of sources under one policy.

A session holds temporary views and nothing else. The views are where policy is enforced, as in
`workspace`: a column that is not allowed is not in them, nor is any text where policy blocks some.
Reading files by name in SQL is switched off for the session, and no statement can switch it on,
because what is sent is a query in parentheses (`spark_sql`).

Spark cannot refuse some functions by itself: `reflect`, `java_method` and SELECT TRANSFORM run
code with the rights of its server. Against them stand the guard and the list in `spark_sql.check`;
run the server under a user of its own that may read the executor's folder and nothing else.
"""

from __future__ import annotations

import logging
import socket
import threading
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from mesh.errors import ENGINE_UNAVAILABLE, AssayError
from mesh.policy import Policy
from services.executor.engines.expressible import NotExpressible
from services.executor.engines.spark.tables import SparkFiles
from services.executor.engines.spark.translate import ROW
from services.executor.engines.workspace import FlatTable, flat_tables
from services.executor.sources.prepared import PreparedSource

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

log = logging.getLogger("assay.executor")

_CONNECT_SECONDS = 5.0
_KEPT = 8
_SETTINGS = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.runSQLOnFiles": "false",
    # Else ${env:NAME} in a text is the environment of the server.
    "spark.sql.variable.substitute": "false",
    "spark.sql.parquet.inferTimestampNTZ.enabled": "false",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.legacy.timeParserPolicy": "CORRECTED",
    "spark.sql.caseSensitive": "false",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "65536",
}


class SparkWorkspace:
    """A session with the views of one set of sources; safe to share by threads."""

    def __init__(
        self,
        session: SparkSession,
        sources: Sequence[PreparedSource],
        policy: Policy,
        files: SparkFiles,
    ) -> None:
        self.session = session
        self._files = files
        self._policy = policy
        self._lock = threading.Lock()
        self._tables = flat_tables(sources, policy)
        self._views: dict[str, str] = {}

    def views(self, used: Sequence[FlatTable]) -> dict[str, str]:
        """The view of each table by its name in lower case, made if need be."""
        with self._lock:
            for table in used:
                if table.name.casefold() not in self._views:
                    self._create(table, f"assay_{len(self._views)}")
            return {table.name.casefold(): self._views[table.name.casefold()] for table in used}

    def close(self) -> None:
        """End the session in the server."""
        self.session.client.release_session()

    def _create(self, table: FlatTable, view: str) -> None:
        frame = self._files.read(self.session, table)
        names = [c.name for c in table.columns]
        if ROW in names:
            raise NotExpressible(f"a column named {ROW}")
        cells = [self._cell(column.name, column.type) for column in table.columns]
        frame.selectExpr(*cells, f"`{ROW}`").createOrReplaceTempView(view)
        self._views[table.name.casefold()] = view

    def _cell(self, name: str, kind: str) -> str:
        """Where policy may block texts none is read: `SparkEngine` leaves them to another."""
        column = _backticked(name)
        if kind == "VARCHAR" and self._policy.blocked_patterns:
            return f"CAST(NULL AS STRING) AS {column}"
        return column


class SparkSessions:
    """Keeps the sessions used last. One object serves all threads.

    `address` is sc://HOST:PORT, `copies` the folder for tables that are not files yet,
    `upload_bytes` the largest file that is sent to a server that cannot see it.
    """

    def __init__(self, address: str, copies: Path, *, upload_bytes: int = 64 << 20) -> None:
        self._address = address
        self._files = SparkFiles(copies, upload_bytes)
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, ...], SparkWorkspace] = OrderedDict()

    def get(self, sources: Sequence[PreparedSource], policy: Policy) -> SparkWorkspace:
        """The session of these sources under this policy. Raises AssayError(ENGINE_UNAVAILABLE)."""
        key = (policy.key, *(source.digest for source in sources))
        with self._lock:
            if key not in self._kept:
                self._kept[key] = SparkWorkspace(
                    connected(self._address), sources, policy, self._files
                )
            self._kept.move_to_end(key)
            dropped = self._kept.popitem(last=False)[1] if len(self._kept) > _KEPT else None
            found = self._kept[key]
        if dropped is not None:
            dropped.close()
        return found

    def forget(self, workspace: SparkWorkspace) -> None:
        """Use a new session the next time; this one's server went away."""
        with self._lock:
            for key in [key for key, kept in self._kept.items() if kept is workspace]:
                del self._kept[key]

    def close(self) -> None:
        """End all sessions. Raises what the server says."""
        with self._lock:
            kept = list(self._kept.values())
            self._kept.clear()
        for workspace in kept:
            workspace.close()


def connected(address: str) -> SparkSession:
    """A new session with the settings of ours.

    Raises AssayError(ENGINE_UNAVAILABLE) where pyspark is missing or the server does not answer.
    """
    parts = urlsplit(address)
    shown = f"{parts.hostname}:{parts.port or 15002}"
    try:
        from pyspark.errors import PySparkException
        from pyspark.sql.connect.client.core import DefaultChannelBuilder
        from pyspark.sql.connect.client.retries import DefaultPolicy
        from pyspark.sql.connect.logging import logger
        from pyspark.sql.connect.session import SparkSession
    except ImportError:
        raise AssayError(
            ENGINE_UNAVAILABLE,
            "the engine spark needs the package pyspark, which is not installed.",
            hint='Install the extra: pip install "assay[spark]".',
        ) from None
    # They write every error of a statement to stderr, with the statement.
    logger.disabled = True
    logging.getLogger("SQLQueryContextLogger").disabled = True
    try:
        # A channel of its own: shared ones remember for minutes that a server was away.
        channel = DefaultChannelBuilder(address, [("grpc.use_local_subchannel_pool", 1)])
        place = (parts.hostname or "", parts.port or 15002)
        socket.create_connection(place, _CONNECT_SECONDS).close()
        session = SparkSession.builder.channelBuilder(channel).create()
        session.client.set_retry_policies([DefaultPolicy(max_retries=2, max_backoff=400)])
        for name, value in _SETTINGS.items():
            session.conf.set(name, value)
    except (OSError, PySparkException) as error:
        raise unavailable(shown, error) from None
    return session


def unavailable(shown: str, error: Exception) -> AssayError:
    """The server of Spark does not answer, or went away."""
    return AssayError(
        ENGINE_UNAVAILABLE,
        f"the Spark server {shown} cannot be used: it does not answer ({type(error).__name__}).",
        hint="Check that it runs, and ASSAY_EXECUTOR_SPARK.",
    )


def _backticked(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
