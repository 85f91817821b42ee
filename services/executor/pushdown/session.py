"""Sessions with databases that have a driver: bounded, and cancelled inside the server."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import pyarrow as pa

from mesh.errors import AssayError
from mesh.tool import ToolError
from services.executor.databases.session import Interrupted

_POLL_SECONDS = 0.02
_GRACE_SECONDS = 0.5


class PushedSession(Protocol):
    """What an engine's own session has, over what `databases.session.Session` asks."""

    def rows(self, sql: str) -> list[tuple[object, ...]]:
        """All rows of a statement of our own. Raises the driver's errors."""
        ...

    def stream(self, sql: str, schema: pa.Schema) -> pa.RecordBatchReader:
        """The rows as they arrive, in the types of the schema, by their places.

        Raises the driver's errors and pyarrow.ArrowInvalid, also while they are read.
        """
        ...

    def cancel(self) -> None:
        """Stop what runs there; the statement then fails. Raises nothing."""
        ...


@contextmanager
def bounded(
    cancel: Callable[[], None],
    seconds: float,
    cancelled: threading.Event | None,
    errors: tuple[type[Exception], ...],
) -> Iterator[None]:
    """Calls `cancel` when the time is over or the event is set; what then fails with one of the
    errors is Interrupted."""
    deadline = time.monotonic() + seconds
    done = threading.Event()

    def over() -> bool:
        return time.monotonic() >= deadline or (cancelled is not None and cancelled.is_set())

    watcher = threading.Thread(
        target=_watch, args=(cancel, over, done), name="database-stopwatch", daemon=True
    )
    watcher.start()
    try:
        yield
    except errors:
        if over():
            raise Interrupted(late=cancelled is None or not cancelled.is_set()) from None
        raise
    except (AssayError, ToolError):
        # Too many rows, as a rule: the server need not go on making them.
        cancel()
        raise
    finally:
        done.set()
        watcher.join()


def abandonable(ask: Callable[[], Any], stopped: threading.Event) -> Any:
    """What `ask` gives or raises; OSError soon after `stopped` is set, even if it does not return.

    It waits in a thread of its own: nothing ends a request that a server does not answer but the
    driver's own patience.
    """
    made: list[Any] = []
    done = threading.Event()

    def run() -> None:
        try:
            made.append(ask())
        except BaseException as error:
            made.append(error)
        done.set()

    threading.Thread(target=run, name="database-query", daemon=True).start()
    while not done.wait(_POLL_SECONDS):
        if stopped.is_set() and not done.wait(_GRACE_SECONDS):
            raise OSError("the statement was stopped")
    if isinstance(made[0], BaseException):
        raise made[0]
    return made[0]


def _watch(cancel: Callable[[], None], over: Callable[[], bool], done: threading.Event) -> None:
    while not done.wait(_POLL_SECONDS):
        if over():
            cancel()
            done.wait(_GRACE_SECONDS)
