"""Sessions with Flight SQL servers: bounded, rolled back, cancelled inside the server."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from mesh.errors import DATABASE_UNREACHABLE, ENGINE_UNAVAILABLE, AssayError
from services.executor.databases.address import Address
from services.executor.databases.session import Interrupted, Places
from services.executor.engines.flightsql.address import options_of, place_of
from services.executor.engines.flightsql.errors import DRIVER_ERRORS, as_assay_error
from services.executor.engines.flightsql.session import FlightSession, Line

_POLL_SECONDS = 0.02
_GRACE_SECONDS = 0.5
_TIMEOUT = "adbc.flight.sql.rpc.timeout_seconds"
# Of DuckDB alone: every other database says that it knows no such thing.
_IS_DUCKDB = "SELECT library_version FROM pragma_version()"


class FlightSessions:
    """Opens sessions, each with a connection of its own: one costs a few milliseconds."""

    def __init__(self, places: Places = lambda _: {}) -> None:
        self._places = places

    @contextmanager
    def open(
        self,
        address: Address,
        seconds: float,
        cancelled: threading.Event | None = None,
        *,
        parallel: bool = False,
    ) -> Iterator[FlightSession]:
        """As `SessionsOfKind.open`; how many threads compute there is the server's to say."""
        del parallel
        database, line = _connected(address, self._places(address))
        try:
            with _stopwatch(line, seconds, cancelled):
                try:
                    session = _begun(address, line, seconds)
                except DRIVER_ERRORS as error:
                    raise as_assay_error(error, address) from None
                yield session
        finally:
            _end(database, line.connection)

    def close(self) -> None:
        """Nothing is kept open."""


def _begun(address: Address, line: Line, seconds: float) -> FlightSession:
    # A second fence for the time: it holds when the watcher of this process does not.
    limit = f"{seconds + _GRACE_SECONDS:.3f}"
    line.connection.set_options(**{f"{_TIMEOUT}.query": limit, f"{_TIMEOUT}.fetch": limit})
    is_duckdb = _is_duckdb(line, address)
    return FlightSession(address, line, is_duckdb, writes=not _transaction(line.connection))


def _transaction(connection: Any) -> bool:
    """Begin one, where the server knows of any."""
    from adbc_driver_manager import NotSupportedError

    try:
        connection.set_autocommit(False)
    except NotSupportedError:
        return False
    return True


def _is_duckdb(line: Line, address: Address) -> bool:
    try:
        line.stream(_IS_DUCKDB).read_all()
    except DRIVER_ERRORS as error:
        failure = as_assay_error(error, address)
        if failure.reason.kind is DATABASE_UNREACHABLE.kind or "Unauthenticated" in str(error):
            raise
        return False
    return True


def _connected(address: Address, places: Mapping[str, str]) -> tuple[Any, Line]:
    """Raises AssayError: ENGINE_UNAVAILABLE without the driver, or as `as_assay_error`."""
    try:
        import adbc_driver_flightsql as driver
    except ImportError:
        raise AssayError(
            ENGINE_UNAVAILABLE,
            "the driver for Flight SQL is not installed.",
            hint='Install it with: pip install "assay[flightsql]"',
        ) from None
    from adbc_driver_manager import AdbcConnection

    options = options_of(address)
    made: list[Any] = []

    def connect() -> None:
        try:
            made.append(driver.connect(place_of(address, places), db_kwargs=options))
            made.append(AdbcConnection(made[0]))
        except BaseException as error:
            made.append(error)

    # In a thread of its own: nothing ends a connect that nobody answers but its own patience.
    worker = threading.Thread(target=connect, name="flight-sql-connect", daemon=True)
    worker.start()
    worker.join(float(dict(address.parameters)["connect_timeout"]))
    failed = next((one for one in made if isinstance(one, BaseException)), None)
    if isinstance(failed, DRIVER_ERRORS):
        raise as_assay_error(failed, address) from None
    if failed is not None:
        raise failed
    if worker.is_alive() or len(made) < 2:
        raise AssayError(
            DATABASE_UNREACHABLE, f"the database {address.shown} did not answer in time."
        )
    return made[0], Line(made[1])


def _end(database: Any, connection: Any) -> None:
    # Ending a transaction begins the next one there, which committing ends: it holds nothing.
    for end in (connection.rollback, lambda: connection.set_autocommit(True)):
        with suppress(*DRIVER_ERRORS, RuntimeError):
            end()
    with suppress(*DRIVER_ERRORS, RuntimeError):
        connection.close()
        database.close()


@contextmanager
def _stopwatch(line: Line, seconds: float, cancelled: threading.Event | None) -> Iterator[None]:
    deadline = time.monotonic() + seconds
    done = threading.Event()

    def over() -> bool:
        return time.monotonic() >= deadline or (cancelled is not None and cancelled.is_set())

    watcher = threading.Thread(
        target=_watch, args=(line, over, done), name="flight-sql-stopwatch", daemon=True
    )
    watcher.start()
    try:
        yield
    except DRIVER_ERRORS:
        if cancelled is not None and cancelled.is_set():
            raise Interrupted(late=False) from None
        if time.monotonic() >= deadline:
            raise Interrupted(late=True) from None
        raise
    except BaseException as error:
        # Too many rows, as a rule: the server need not go on making them.
        line.cancel()
        if isinstance(error, AssayError) and over():
            raise Interrupted(late=cancelled is None or not cancelled.is_set()) from None
        raise
    finally:
        done.set()
        watcher.join()


def _watch(line: Line, over: Callable[[], bool], done: threading.Event) -> None:
    while not done.wait(_POLL_SECONDS):
        if over():
            line.cancel()
            done.wait(5 * _POLL_SECONDS)
