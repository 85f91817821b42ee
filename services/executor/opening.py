"""The engines of an executor, put together; imported when something is first asked of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from services.executor.databases.copying import Copies
from services.executor.databases.session import Sessions
from services.executor.engines.duckdb_engine import DuckDBEngine
from services.executor.engines.engines import Engines
from services.executor.engines.postgres_engine import PostgresEngine
from services.executor.engines.query_processes import QueryProcesses
from services.executor.settings import ExecutorSettings

if TYPE_CHECKING:
    from services.executor.engines.spark_engine import SparkEngine


def open_engines(settings: ExecutorSettings, sessions: Sessions) -> Engines:
    """The engines, with a process warm for the first query."""
    most = settings.executor_result_bytes
    processes = QueryProcesses(settings.executor_memory_limit, settings.executor_query_processes)
    processes.start()
    return Engines(
        DuckDBEngine(processes=processes, byte_limit=most),
        PostgresEngine(sessions, byte_limit=most),
        Copies(
            sessions,
            row_limit=settings.executor_copy_rows,
            byte_limit=settings.executor_copy_bytes,
        ),
        large=_spark(settings, most),
        large_bytes=settings.executor_spark_bytes,
        forced=settings.executor_engine,
    )


def _spark(settings: ExecutorSettings, most: int) -> SparkEngine | None:
    if not settings.executor_spark:
        return None
    from services.executor.engines.spark_engine import SparkEngine

    copies = settings.root() / "spark"
    return SparkEngine(settings.executor_spark, copies, byte_limit=most)
