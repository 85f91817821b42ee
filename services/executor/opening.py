"""The engines of an executor, put together; imported when something is first asked of them."""

from __future__ import annotations

from services.executor.databases.copying import Copies
from services.executor.databases.session import Sessions
from services.executor.engines.duckdb.engine import DuckDBEngine
from services.executor.engines.duckdb.query_processes import QueryProcesses
from services.executor.engines.engines import Engines
from services.executor.engines.pushed_down import PushedDown
from services.executor.engines.registry import opened_over_files
from services.executor.settings import ExecutorSettings


def open_engines(settings: ExecutorSettings, sessions: Sessions) -> Engines:
    """The engines, with a process warm for the first query."""
    most = settings.executor_result_bytes
    processes = QueryProcesses(settings.executor_memory_limit, settings.executor_query_processes)
    processes.start()
    return Engines(
        DuckDBEngine(processes=processes, byte_limit=most),
        PushedDown(sessions, most),
        Copies(
            sessions,
            row_limit=settings.executor_copy_rows,
            byte_limit=settings.executor_copy_bytes,
        ),
        large=next(iter(opened_over_files(settings)), None),
        large_bytes=settings.executor_spark_bytes,
        forced=settings.executor_engine,
    )
