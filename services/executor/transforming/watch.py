"""Stops a running statement when its call is cancelled or out of time."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mesh.tool import ErrorCategory, ToolContext, ToolError

if TYPE_CHECKING:
    import duckdb

_LOOK_EVERY_SECONDS = 0.05


class Watch:
    """Knows whether a call may go on, and interrupts its connection when it may not."""

    def __init__(self, context: ToolContext) -> None:
        self._cancelled = context.cancelled
        self._seconds = context.seconds_left
        self._deadline = time.monotonic() + self._seconds

    def check(self) -> None:
        """Raise ToolError CANCELLED, or RESOURCE_EXHAUSTED when time is up."""
        if self._cancelled.is_set():
            raise ToolError(ErrorCategory.CANCELLED, "the call was cancelled")
        if time.monotonic() >= self._deadline:
            raise ToolError(
                ErrorCategory.RESOURCE_EXHAUSTED,
                "the time limit was reached",
                hint="Filter or aggregate first, or allow more time.",
                details={"limit": round(max(0.0, self._seconds), 3), "unit": "seconds"},
            )

    @contextmanager
    def over(self, connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
        """Interrupt whatever runs on the connection once `check` would raise."""
        done = threading.Event()
        thread = threading.Thread(
            target=self._look, args=(connection, done), name="transform-watch", daemon=True
        )
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()

    def _look(self, connection: duckdb.DuckDBPyConnection, done: threading.Event) -> None:
        # Interrupting goes on until the call has ended: between two statements it has no effect.
        while not done.wait(_LOOK_EVERY_SECONDS):
            if self._cancelled.is_set() or time.monotonic() >= self._deadline:
                connection.interrupt()
