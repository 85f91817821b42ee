"""Sessions through a driver of ADBC, whose rows are Arrow."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import pyarrow as pa

from mesh.errors import DATABASE_UNREACHABLE, AssayError
from services.executor.databases.address import Address
from services.executor.pushdown.received import in_types


class AdbcSession:
    """A connection to a database, and what runs on it. `connection` is adbc_driver_manager's."""

    def __init__(self, connection: Any) -> None:
        self.connection = connection
        self._running: Any = None
        self._lock = threading.Lock()

    def rows(self, sql: str) -> list[tuple[object, ...]]:
        """All rows of a statement of our own. Raises adbc.Error."""
        with self._asked(sql) as reader:
            columns = [column.to_pylist() for column in reader.read_all().columns]
        return list(zip(*columns, strict=True))

    def stream(self, sql: str, schema: pa.Schema) -> pa.RecordBatchReader:
        """As `PushedSession.stream`."""

        def batches() -> Iterator[pa.RecordBatch]:
            with self._asked(sql) as reader:
                if len(reader.schema) != len(schema):
                    raise pa.ArrowInvalid("other columns than were asked for")
                yield from reader

        return in_types(batches(), schema)

    def cancel(self) -> None:
        """Stop what runs there."""
        from adbc_driver_manager import Error

        with self._lock:
            for one in (self._running, self.connection):
                if one is not None:
                    with suppress(Error, RuntimeError):
                        one.cancel()

    @contextmanager
    def _asked(self, sql: str) -> Iterator[pa.RecordBatchReader]:
        from adbc_driver_manager import AdbcStatement

        statement = AdbcStatement(self.connection)
        self._running = statement
        try:
            statement.set_sql_query(sql)
            handle, _ = statement.execute_query()
            with pa.RecordBatchReader._import_from_c(handle.address) as reader:
                yield reader
        finally:
            with self._lock:
                self._running = None
            statement.close()


def connected(driver: Any, options: Mapping[str, str], address: Address) -> tuple[Any, Any]:
    """The database and the connection. Raises adbc.Error, or AssayError where nobody answers within
    the address's `connect_timeout`: no driver ends a connect by anything but its own patience."""
    from adbc_driver_manager import AdbcConnection

    made: list[Any] = []

    def connect() -> None:
        try:
            made.append(driver.connect(db_kwargs=dict(options)))
            made.append(AdbcConnection(made[0]))
        except BaseException as error:
            made.append(error)

    worker = threading.Thread(target=connect, name="adbc-connect", daemon=True)
    worker.start()
    worker.join(float(dict(address.parameters)["connect_timeout"]))
    failed = next((one for one in made if isinstance(one, BaseException)), None)
    if failed is not None:
        raise failed
    if worker.is_alive() or len(made) < 2:
        raise AssayError(
            DATABASE_UNREACHABLE, f"the database {address.shown} did not answer in time."
        )
    return made[0], made[1]
