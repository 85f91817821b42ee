"""Sessions with a PostgreSQL server: read-only, bounded, cancelled inside the server.

Not bounded here: what views and functions of the database itself do when they are read.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
from adbc_driver_manager import Error as DriverError

from services.executor.databases.address import Address
from services.executor.databases.session import Interrupted, Places
from services.executor.engines.postgres.address import uri
from services.executor.engines.postgres.errors import as_assay_error, is_lost

if TYPE_CHECKING:
    from adbc_driver_manager import dbapi as adbc

_USE_COPY = "adbc.postgresql.use_copy"
_POLL_SECONDS = 0.02
_GRACE_SECONDS = 0.5
_IDLE_CONNECTIONS = 4
# Of the session, before anything is read. With one worker sums of floats have one order of rows,
# and rows of a scan come in the order they lie in.
_SETTINGS = {
    "default_transaction_read_only": "on",
    "lock_timeout": "5s",
    "idle_in_transaction_session_timeout": "120s",
    "search_path": "pg_catalog",
    "TimeZone": "UTC",
    "DateStyle": "ISO, YMD",
    "IntervalStyle": "postgres",
    "extra_float_digits": "1",
    "standard_conforming_strings": "on",
    "synchronize_seqscans": "off",
    "max_parallel_workers_per_gather": "0",
    "jit": "off",
}


@dataclass(frozen=True)
class PostgresSession:
    """A read-only transaction under way."""

    address: Address
    cursor: adbc.Cursor

    def rows(self, sql: str) -> list[tuple[object, ...]]:
        """All rows of a statement of our own. Raises adbc.Error."""
        self.cursor.execute(sql)
        return list(self.cursor.fetchall())

    def plan(self, query: str) -> object:
        """What the server means to do for a query of our own, as JSON. Raises adbc.Error."""
        statement = self.cursor.adbc_statement
        statement.set_options(**{_USE_COPY: "false"})  # rows come by COPY, which knows no EXPLAIN
        try:
            return self.rows(f"EXPLAIN (FORMAT JSON) {query}")[0][0]
        finally:
            statement.set_options(**{_USE_COPY: "true"})

    def stream(self, sql: str) -> pa.RecordBatchReader:
        """The rows as they arrive. Raises adbc.Error, also while they are read."""
        self.cursor.execute(sql)
        return self.cursor.fetch_record_batch()


class PostgresSessions:
    """Opens sessions and keeps a few idle connections to each database."""

    def __init__(self, places: Places = lambda _: {}) -> None:
        """`places` gives what `Address.uri` takes, or raises AssayError, before every connect."""
        self._places = places
        self._lock = threading.Lock()
        self._idle: dict[Address, list[adbc.Connection]] = defaultdict(list)

    @contextmanager
    def open(
        self,
        address: Address,
        seconds: float,
        cancelled: threading.Event | None = None,
        *,
        parallel: bool = False,
    ) -> Iterator[PostgresSession]:
        """A read-only transaction of at most `seconds`, rolled back at the end.

        What runs in the server is cancelled there when the time is over or the event is set;
        then Interrupted is raised. Raises AssayError when the server cannot be reached.
        """
        connection = self._connection(address)
        healthy = False
        try:
            with connection.cursor() as cursor:
                try:
                    _begin(cursor, seconds, parallel)
                except DriverError as error:
                    if not is_lost(error):
                        raise as_assay_error(error, address) from None
                    # The server went away while the connection lay idle.
                    with suppress(DriverError, RuntimeError):
                        cursor.close()
                        connection.close()
                    connection = self._connected(address)
                    cursor = connection.cursor()
                    _begin(cursor, seconds, parallel)
                with _stopwatch(cursor, seconds, cancelled):
                    yield PostgresSession(address, cursor)
            healthy = True
        except DriverError as error:
            healthy = not is_lost(error)
            raise
        except Interrupted:
            healthy = True
            raise
        finally:
            self._give_back(address, connection, healthy)

    def close(self) -> None:
        """Close what is idle."""
        with self._lock:
            idle = [connection for some in self._idle.values() for connection in some]
            self._idle.clear()
        for connection in idle:
            with suppress(DriverError, RuntimeError):
                connection.close()

    def _connection(self, address: Address) -> adbc.Connection:
        with self._lock:
            if self._idle[address]:
                return self._idle[address].pop()
        return self._connected(address)

    def _connected(self, address: Address) -> adbc.Connection:
        return _connected(address, self._places(address))

    def _give_back(self, address: Address, connection: adbc.Connection, healthy: bool) -> None:
        with suppress(DriverError, RuntimeError):
            if healthy:
                with connection.cursor() as cursor:
                    cursor.execute("ROLLBACK")
                with self._lock:
                    if len(self._idle[address]) < _IDLE_CONNECTIONS:
                        self._idle[address].append(connection)
                        return
            connection.close()


def _connected(address: Address, places: Mapping[str, str]) -> adbc.Connection:
    # Imported when the first database is opened: it takes a fifth of a second.
    from adbc_driver_postgresql import dbapi

    try:
        connection: adbc.Connection = dbapi.connect(uri(address, places), autocommit=True)
        settings = ", ".join(
            f"pg_catalog.set_config('{name}', '{value}', false)"
            for name, value in _SETTINGS.items()
        )
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {settings}")
            cursor.fetchall()
    except DriverError as error:
        raise as_assay_error(error, address) from None
    return connection


def _begin(cursor: adbc.Cursor, seconds: float, parallel: bool) -> None:
    cursor.execute("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
    # A second fence for the time: it holds when this process is stopped. Reading it also takes
    # the snapshot, after which the transaction can no longer be made to write.
    limit = int((seconds + _GRACE_SECONDS) * 1000)
    workers = 2 if parallel else 0
    cursor.execute(
        f"SELECT pg_catalog.set_config('statement_timeout', '{limit}', true), "
        f"pg_catalog.set_config('max_parallel_workers_per_gather', '{workers}', true)"
    )
    cursor.fetchall()


@contextmanager
def _stopwatch(
    cursor: adbc.Cursor, seconds: float, cancelled: threading.Event | None
) -> Iterator[None]:
    deadline = time.monotonic() + seconds
    done = threading.Event()

    def over() -> bool:
        return time.monotonic() >= deadline or (cancelled is not None and cancelled.is_set())

    watcher = threading.Thread(
        target=_watch, args=(cursor, over, done), name="postgres-stopwatch", daemon=True
    )
    watcher.start()
    try:
        yield
    except (DriverError, pa.ArrowException, OSError):
        if cancelled is not None and cancelled.is_set():
            raise Interrupted(late=False) from None
        if time.monotonic() >= deadline:
            raise Interrupted(late=True) from None
        raise
    finally:
        done.set()
        watcher.join()


def _watch(cursor: adbc.Cursor, over: Callable[[], bool], done: threading.Event) -> None:
    while not done.wait(_POLL_SECONDS):
        if over():
            with suppress(DriverError, RuntimeError):
                cursor.adbc_cancel()
            done.wait(5 * _POLL_SECONDS)
