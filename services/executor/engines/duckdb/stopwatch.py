"""Stops DuckDB from outside while a thread is inside it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import duckdb

_POLL_SECONDS = 0.02


@contextmanager
def interrupted_when(
    connection: duckdb.DuckDBPyConnection, should_stop: Callable[[], bool]
) -> Iterator[None]:
    """While the block runs, interrupt the connection as soon and as long as `should_stop` holds.

    What runs then raises duckdb.InterruptException. Work outside DuckDB is not stopped.
    """
    done = threading.Event()

    def watch() -> None:
        while not done.wait(_POLL_SECONDS):
            if should_stop():
                connection.interrupt()

    watcher = threading.Thread(target=watch, name="duckdb-stopwatch", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
