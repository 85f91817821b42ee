"""What is asked of a Flight SQL server in one transaction, and of that server alone."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from services.executor.databases.address import Address
from services.executor.engines.flightsql.errors import DRIVER_ERRORS


class Line:
    """A connection to a server, and what runs on it. `connection` is one of adbc_driver_manager,
    below its DB-API, whose cursors follow a server anywhere.
    """

    def __init__(self, connection: Any) -> None:
        self.connection = connection
        self._lock = threading.Lock()
        self._statement: Any = None

    def stream(self, sql: str) -> pa.RecordBatchReader:
        """The rows of a statement as they arrive, from the server that was asked.

        A server may say that rows lie at other addresses; the driver would go there with the
        caller's login. Here every part is fetched where the statement was sent, whatever else was
        said. Raises adbc.Error, also while rows are read.
        """
        readers = (_read(self.connection, part) for part in self._parts(sql))
        first = next(readers, None)
        if first is None:
            return pa.RecordBatchReader.from_batches(pa.schema([]), [])

        def batches() -> Iterator[pa.RecordBatch]:
            yield from first
            for reader in readers:
                yield from reader

        return pa.RecordBatchReader.from_batches(first.schema, batches())

    def cancel(self) -> None:
        """Stop what runs there: a server may compute before it says where rows are, or after."""
        with self._lock:
            running = [self._statement] if self._statement is not None else []
            for one in (*running, self.connection):
                with suppress(*DRIVER_ERRORS, RuntimeError):
                    one.cancel()

    def _parts(self, sql: str) -> list[bytes]:
        from adbc_driver_manager import AdbcStatement

        statement = AdbcStatement(self.connection)
        self._statement = statement
        try:
            statement.set_sql_query(sql)
            parts: list[bytes] = statement.execute_partitions()[0]
            return parts
        finally:
            with self._lock:
                self._statement = None
            statement.close()


@dataclass(frozen=True)
class FlightSession:
    """A line to a server, in a transaction that is rolled back where the server knows of any.

    `is_duckdb` says that what answers is DuckDB, whose dialect statements are in. `writes` says
    that nothing there keeps a statement from writing: no transaction to roll back.
    """

    address: Address
    line: Line
    is_duckdb: bool
    writes: bool

    def rows(self, sql: str) -> list[tuple[object, ...]]:
        """All rows of a statement of our own. Raises adbc.Error, pyarrow.ArrowException."""
        columns = [column.to_pylist() for column in self.stream(sql).read_all().columns]
        return list(zip(*columns, strict=True))

    def stream(self, sql: str) -> pa.RecordBatchReader:
        """The rows as they arrive. Raises adbc.Error, also while they are read."""
        return self.line.stream(sql)

    def attempt(self, sql: str, seconds: float) -> pa.Table | None:
        """The rows, or None where they cannot be had in so many seconds."""
        late = threading.Timer(seconds, self.line.cancel)
        late.daemon = True
        late.start()
        try:
            return self.stream(sql).read_all()
        except DRIVER_ERRORS:
            # A transaction in which something failed takes no other statement.
            with suppress(*DRIVER_ERRORS):
                self.line.connection.rollback()
            return None
        finally:
            late.cancel()


def _read(connection: Any, part: bytes) -> pa.RecordBatchReader:
    from pyarrow import flight

    value = flight.FlightInfo.deserialize(part)
    here = [flight.FlightEndpoint(endpoint.ticket, []) for endpoint in value.endpoints]
    asked = flight.FlightInfo(None, value.descriptor, here).serialize()
    handle = connection.read_partition(asked)  # lets go of the rows when it is no longer named
    return pa.RecordBatchReader._import_from_c(handle.address)
