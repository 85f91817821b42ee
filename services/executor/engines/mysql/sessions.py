"""Sessions with a MySQL or MariaDB server: read-only, bounded, cancelled inside the server.

Not bounded here: what views and stored functions of the database itself do when they are read.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from mesh.errors import AssayError
from services.executor.databases.address import Address
from services.executor.databases.session import Interrupted, Places
from services.executor.engines.mysql.connect import Connection, connected, cut, dropped
from services.executor.engines.mysql.errors import DRIVER_ERRORS, as_assay_error, is_lost
from services.executor.engines.mysql.session import MysqlSession, Warned, begun

_POLL_SECONDS = 0.02
_PATIENCE_SECONDS = 2.0  # for a server that was told to stop, before its connection is cut
_IDLE_CONNECTIONS = 4
_ENDED: tuple[type[Exception], ...] = (*DRIVER_ERRORS, Warned)


class MysqlSessions:
    """Opens sessions and keeps a few idle connections to each database."""

    def __init__(self, places: Places = lambda _: {}) -> None:
        self._places = places
        self._lock = threading.Lock()
        self._idle: dict[Address, list[Connection]] = defaultdict(list)

    @contextmanager
    def open(
        self,
        address: Address,
        seconds: float,
        cancelled: threading.Event | None = None,
        *,
        parallel: bool = False,
    ) -> Iterator[MysqlSession]:
        """As `SessionsOfKind.open`; a statement is computed by one thread there in any case."""
        del parallel
        session = self._begun(address, seconds)
        healthy = False
        try:
            with self._stopwatch(session, seconds, cancelled):
                yield session
            healthy = True
        finally:
            self._give_back(session, healthy)

    def close(self) -> None:
        """Close what is idle."""
        with self._lock:
            idle = [connection for some in self._idle.values() for connection in some]
            self._idle.clear()
        for connection in idle:
            with suppress(*DRIVER_ERRORS):
                connection.close()

    def _begun(self, address: Address, seconds: float) -> MysqlSession:
        with self._lock:
            idle = self._idle[address].pop() if self._idle[address] else None
        if idle is not None:
            try:
                return begun(address, idle, seconds)
            except DRIVER_ERRORS as error:
                # The server went away while the connection lay idle.
                dropped(idle)
                if not is_lost(error):
                    raise as_assay_error(error, address) from None
        try:
            return begun(address, self._connected(address), seconds)
        except DRIVER_ERRORS as error:
            raise as_assay_error(error, address) from None

    def _connected(self, address: Address) -> Connection:
        return connected(address, self._places(address))

    def _give_back(self, session: MysqlSession, healthy: bool) -> None:
        connection = session.connection
        with suppress(*DRIVER_ERRORS):
            if healthy:
                connection.rollback()
                with self._lock:
                    if len(self._idle[session.address]) < _IDLE_CONNECTIONS:
                        self._idle[session.address].append(connection)
                        return
                connection.close()
                return
        dropped(connection)

    @contextmanager
    def _stopwatch(
        self, session: MysqlSession, seconds: float, cancelled: threading.Event | None
    ) -> Iterator[None]:
        deadline = time.monotonic() + seconds
        done = threading.Event()

        def over() -> bool:
            return time.monotonic() >= deadline or (cancelled is not None and cancelled.is_set())

        watcher = threading.Thread(
            target=self._watch, args=(session, over, done), name="mysql-stopwatch", daemon=True
        )
        watcher.start()
        try:
            yield
        except _ENDED:
            if cancelled is not None and cancelled.is_set():
                raise Interrupted(late=False) from None
            if time.monotonic() >= deadline:
                raise Interrupted(late=True) from None
            raise
        except Exception:
            # Too many rows, as a rule: the server need not go on making them.
            self._kill(session)
            raise
        finally:
            done.set()
            watcher.join()

    def _watch(
        self, session: MysqlSession, over: Callable[[], bool], done: threading.Event
    ) -> None:
        while not done.wait(_POLL_SECONDS):
            if over():
                self._kill(session)
                if not done.wait(_PATIENCE_SECONDS):
                    cut(session.connection)

    def _kill(self, session: MysqlSession) -> None:
        """Stop what runs in a session, from another connection of the same user."""
        with suppress(*DRIVER_ERRORS, AssayError):
            other = self._connected(session.address)
            try:
                with other.cursor() as cursor:
                    cursor.execute(f"KILL QUERY {session.connection.thread_id()}")
            finally:
                other.close()
