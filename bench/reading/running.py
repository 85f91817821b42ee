"""Runs the SQL of answers, bounded in rows and in time."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import duckdb

from services.executor.engines.workspace import Workspace

ROWS_AT_MOST = 20_000
SECONDS_AT_MOST = 5.0

Fetched = tuple[list[str], list[tuple[Any, ...]]]


class OverTimeError(Exception):
    """A query was stopped because its time was over."""


class BoundedRun:
    """Runs one query after the other over a workspace."""

    def __init__(self, workspace: Workspace, seconds: float = SECONDS_AT_MOST) -> None:
        self.workspace = workspace
        self._seconds = seconds

    def __call__(self, query: str, params: Sequence[Any] = (), rows: int = ROWS_AT_MOST) -> Fetched:
        """Columns and rows, one more than `rows` where there are more.

        Raises OverTimeError where it takes too long, and duckdb.Error where it cannot be run.
        """
        with self.workspace.cursor() as cursor:
            over = threading.Event()

            def stop() -> None:
                over.set()
                cursor.interrupt()

            timer = threading.Timer(self._seconds, stop)
            timer.start()
            try:
                result = cursor.execute(query, list(params))
                columns = [column[0] for column in result.description or ()]
                return columns, result.fetchmany(rows + 1)
            except duckdb.InterruptException as error:
                if over.is_set():
                    raise OverTimeError(f"stopped after {self._seconds:g} s: {query}") from error
                raise
            finally:
                timer.cancel()
