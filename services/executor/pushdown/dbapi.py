"""Sessions through a driver of Python's DB-API, whose rows are Python's values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa

from services.executor.pushdown.received import of_rows

_ROWS = 10_000


class CursorSession:
    """A connection, and what runs on it. `stop` ends that inside the server; it raises nothing."""

    def __init__(self, connection: Any, stop: Callable[[Any], None]) -> None:
        self.connection = connection
        self._stop = stop
        self._running: Any = None

    def rows(self, sql: str) -> list[tuple[object, ...]]:
        """All rows of a statement of our own. Raises the driver's errors."""
        return [tuple(row) for chunk in self._asked(sql) for row in chunk]

    def stream(self, sql: str, schema: pa.Schema) -> pa.RecordBatchReader:
        """As `PushedSession.stream`."""
        return of_rows(self._asked(sql), schema)

    def cancel(self) -> None:
        """Stop what runs there."""
        if self._running is not None:
            self._stop(self._running)

    def _asked(self, sql: str) -> Iterator[list[Any]]:
        cursor = self.connection.cursor()
        self._running = cursor
        try:
            cursor.execute(sql)
            while rows := cursor.fetchmany(_ROWS):
                yield rows
        finally:
            self._running = None
            cursor.close()
