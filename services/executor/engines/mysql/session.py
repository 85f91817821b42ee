"""A read-only transaction with a MySQL or MariaDB server."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

from services.executor.databases.address import Address
from services.executor.engines.mysql.connect import Connection
from services.executor.engines.mysql.limits import SETTINGS, collation_of, limited_to
from services.executor.engines.mysql.received import batches_of

_ROWS_AT_ONCE = 8_192


class Warned(Exception):
    """The server gave another value than was asked for, and warned of it; the text says of what."""


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


def begun(address: Address, connection: Connection, seconds: float) -> MysqlSession:
    """A transaction by a connection that nobody else uses. Raises pymysql.MySQLError."""
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
