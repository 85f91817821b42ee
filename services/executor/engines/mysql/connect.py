"""Sessions with a MySQL or MariaDB server: read-only, bounded, cancelled inside the server.

Not bounded here: what views and stored functions of the database itself do when they are read.
"""

from __future__ import annotations

import ipaddress
import socket
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from mesh.errors import ENGINE_UNAVAILABLE, AssayError
from services.executor.databases.address import Address
from services.executor.databases.session import Interrupted, Places
from services.executor.engines.mysql.address import password
from services.executor.engines.mysql.encryption import driver_options, must_be_encrypted
from services.executor.engines.mysql.errors import DRIVER_ERRORS, as_assay_error, is_lost
from services.executor.engines.mysql.limits import SETTINGS, collation_of, limited_to
from services.executor.engines.mysql.received import batches_of

Connection = Any
"""One of pymysql, which has no types of its own."""

_POLL_SECONDS = 0.02
_PATIENCE_SECONDS = 2.0  # for a server that was told to stop, before its connection is cut
_IDLE_CONNECTIONS = 4
_ROWS_AT_ONCE = 8_192


class Warned(Exception):
    """The server gave another value than was asked for, and warned of it; the text says of what."""


_ENDED: tuple[type[Exception], ...] = (*DRIVER_ERRORS, Warned)


@dataclass(frozen=True)
class MysqlSession:
    """A read-only transaction under way. `collation` compares texts by their bytes."""

    address: Address
    connection: Connection
    collation: str
    is_mariadb: bool

    def rows(self, sql: str) -> list[tuple[object, ...]]:
        """All rows of a statement of our own, each value as text. Raises pymysql.MySQLError."""
        with self.connection.cursor() as cursor:
            cursor.execute(sql)
            return list(cursor.fetchall())

    def exactly(self, sql: str) -> list[tuple[object, ...]]:
        """As `rows`, where a value that the server had to change would be a fault.

        Raises Warned, too.
        """
        with self.connection.cursor() as cursor:
            cursor.execute(sql)
            rows = list(cursor.fetchall())
            if cursor.warning_count:
                raise Warned(_warnings(self.connection))
            return rows

    def limit(self, seconds: float) -> None:
        """Let the statements that follow take at most so long. Raises pymysql.MySQLError."""
        self.rows(limited_to(seconds, is_mariadb=self.is_mariadb))

    def stream(self, sql: str, schema: pa.Schema) -> pa.RecordBatchReader:
        """The rows as they arrive, in the types of the schema.

        Raises pymysql.MySQLError, also while they are read, and Warned at their end, where the
        server had to change a value; AssayError and pyarrow.ArrowInvalid for what is no value of
        its type.
        """
        from pymysql.cursors import SSCursor

        cursor = self.connection.cursor(SSCursor)
        cursor.execute(sql)

        def batches() -> Iterator[pa.RecordBatch]:
            while rows := cursor.fetchmany(_ROWS_AT_ONCE):
                yield batches_of(rows, schema)
            warned = cursor.warning_count
            cursor.close()
            if warned:
                raise Warned(_warnings(self.connection))

        return pa.RecordBatchReader.from_batches(schema, batches())


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
                return _begin(address, idle, seconds)
            except DRIVER_ERRORS as error:
                # The server went away while the connection lay idle.
                _dropped(idle)
                if not is_lost(error):
                    raise as_assay_error(error, address) from None
        try:
            return _begin(address, self._connected(address), seconds)
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
        _dropped(connection)

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
                    _cut(session.connection)

    def _kill(self, session: MysqlSession) -> None:
        """Stop what runs in a session, from another connection of the same user."""
        with suppress(*DRIVER_ERRORS, AssayError):
            other = self._connected(session.address)
            try:
                with other.cursor() as cursor:
                    cursor.execute(f"KILL QUERY {session.connection.thread_id()}")
            finally:
                other.close()


def connected(address: Address, places: Mapping[str, str]) -> Connection:
    """A connection to the first of the places that takes one.

    Raises AssayError: ENGINE_UNAVAILABLE without the driver, or as `as_assay_error`.
    """
    pymysql = _driver()
    given = {**dict(address.parameters), **places}
    mode = given["sslmode"]
    options: dict[str, Any] = {
        "host": dict(address.parameters).get("host") or "localhost",
        "user": given.get("user") or None if address.own else given.get("user", ""),
        "password": password(address).encode(),
        "database": address.database or None,
        "connect_timeout": int(given["connect_timeout"]),
        "charset": "utf8mb4", "conv": {}, "autocommit": True, "local_infile": False,
        "program_name": "assay", "defer_connect": True,
    }  # fmt: skip
    try:
        if given.get("unix_socket"):
            options["ssl_disabled"] = True
        else:
            options |= driver_options(given)
            options["auth_plugin_map"] = _told_in_the_open()
        connection: Connection = pymysql.connect(**options)
        # Not required by itself where encryption is only preferred.
        connection._ssl_required = must_be_encrypted(given)
        if not connection._ssl_required and not options.get("ssl_disabled"):
            from pymysql.constants import CLIENT

            connection.client_flag &= ~CLIENT.SSL
        try:
            connection.connect(_socket(given))
        except DRIVER_ERRORS:
            if mode != "allow":
                raise
            return connected(_with_mode(address, "require"), places)
    except DRIVER_ERRORS as error:
        raise as_assay_error(error, address) from None
    return connection


def _with_mode(address: Address, mode: str) -> Address:
    from dataclasses import replace

    parameters = tuple(sorted({**dict(address.parameters), "sslmode": mode}.items()))
    return replace(address, parameters=parameters)


def _socket(given: Mapping[str, str]) -> socket.socket:
    """Connected with the server: by the first address that passed and answers. Raises OSError."""
    seconds = float(given["connect_timeout"])
    if place := given.get("unix_socket", ""):
        local = socket.socket(socket.AF_UNIX)
        local.settimeout(seconds)
        local.connect(place)
        return local
    hosts = (given.get("hostaddr") or given.get("host") or "localhost").split(",")
    ports = (given.get("port") or "").split(",")
    failure: OSError = OSError("no address")
    for number, host in enumerate(hosts):
        port = int((ports[number] if len(ports) == len(hosts) else ports[0]) or 3306)
        try:
            remote = _reached(host, port, seconds)
        except OSError as error:
            failure = error
        else:
            remote.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            remote.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            return remote
    raise failure


def _reached(host: str, port: int, seconds: float) -> socket.socket:
    """A numeric address is not looked up again: another look could give another."""
    try:
        version = ipaddress.ip_address(host).version
    except ValueError:
        return socket.create_connection((host, port), seconds)
    remote = socket.socket(socket.AF_INET if version == 4 else socket.AF_INET6)
    remote.settimeout(seconds)
    try:
        remote.connect((host, port))
    except OSError:
        remote.close()
        raise
    return remote


def _told_in_the_open() -> dict[bytes, type]:
    """Ways to log in that give the password away: not by a connection that is not encrypted."""
    from pymysql.err import OperationalError

    class Refused:
        def __init__(self, connection: Any) -> None:
            self._connection = connection

        def authenticate(self, packet: Any) -> Any:
            del packet
            if not self._connection._secure:
                raise OperationalError(2061, "the server asks for the password in the open")
            self._connection.write_packet(self._connection.password + b"\0")
            answer = self._connection._read_packet()
            answer.check_error()
            return answer

    return {b"mysql_clear_password": Refused, b"mysql_old_password": Refused}


def _begin(address: Address, connection: Connection, seconds: float) -> MysqlSession:
    is_mariadb = "mariadb" in str(connection.get_server_info()).lower()
    collation = collation_of(is_mariadb=is_mariadb)
    session = MysqlSession(address, connection, collation, is_mariadb)
    settings = {**SETTINGS, "collation_connection": f"'{collation}'"}
    session.rows(
        "SET " + ", ".join(f"SESSION {name} = {value}" for name, value in settings.items())
    )
    # A second fence for the time: it holds when this process is stopped.
    session.limit(seconds + 0.5)
    session.rows("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
    session.rows("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY")
    return session


def _warnings(connection: Connection) -> str:
    codes = sorted({str(row[1]) for row in connection.show_warnings()})
    return f"a value that the database changes (warning {', '.join(codes)})"


def _dropped(connection: Connection) -> None:
    """Close a connection on which rows may still be on their way: nobody waits for them."""
    if connection._result is not None:
        connection._result.unbuffered_active = False
        connection._result = None
    connection._force_close()


def _cut(connection: Connection) -> None:
    with suppress(OSError, AttributeError):
        connection._sock.shutdown(socket.SHUT_RDWR)


def _driver() -> Any:
    # Imported when the first database of this kind is opened.
    try:
        import pymysql
    except ImportError:
        raise AssayError(
            ENGINE_UNAVAILABLE,
            "the driver for MySQL and MariaDB is not installed.",
            hint='Install it with: pip install "assay[mysql]"',
        ) from None
    return pymysql
