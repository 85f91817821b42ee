"""A Flight SQL server over DuckDB, as small as the tests need: queries, tables, transactions,
cancelling, logins. Others of its kind (GizmoSQL) do the same and more.
"""

from __future__ import annotations

import base64
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.flight as flight

from services.executor.engines.duckdb.stopwatch import interrupted_when
from tests.engines import flight_words as words

USER, PASSWORD, TOKEN = "ann", "s3cret/word", "token-of-ann"


class _Login(flight.ServerMiddlewareFactory):  # type: ignore[misc]
    """Takes the user's password once, and then the token that it gave for it."""

    def start_call(self, info: Any, headers: dict[str, list[str]]) -> Any:
        given = next((v[0] for k, v in headers.items() if k.lower() == "authorization"), "")
        kind, _, value = given.partition(" ")
        basic = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
        if (kind, value) not in (("Basic", basic), ("Bearer", TOKEN)):
            raise flight.FlightUnauthenticatedError("who are you?")
        return _Known()


class _Known(flight.ServerMiddleware):  # type: ignore[misc]
    def sending_headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {TOKEN}"}


class _Anybody(flight.ServerAuthHandler):  # type: ignore[misc]
    """Whoever the middleware let through."""

    def authenticate(self, outgoing: Any, incoming: Any) -> None:
        del outgoing, incoming

    def is_valid(self, token: bytes) -> str:
        del token
        return ""


class DuckDBFlightServer(flight.FlightServerBase):  # type: ignore[misc]
    """Serves one DuckDB file.

    With `dialect` other than DuckDB's it has no word for what only DuckDB says of itself, as any
    other database; `elsewhere` is where it claims its rows lie, and an `early` one computes before
    it says where rows are. `statements` are those it was sent,
    `ended` how transactions ended, `running` how many statements it works on.
    """

    def __init__(
        self,
        database: Path | str,
        *,
        login: bool = False,
        dialect: str = "duckdb",
        transactions: bool = True,
        elsewhere: str = "",
        early: bool = False,
        **options: Any,
    ) -> None:
        if login:
            options |= {"middleware": {"login": _Login()}, "auth_handler": _Anybody()}
        scheme = "grpc+tls" if options.get("tls_certificates") else "grpc"
        super().__init__(f"{scheme}://127.0.0.1:0", **options)
        self.database = duckdb.connect(str(database))
        self.database.execute("SET TimeZone = 'UTC'")
        self.statements: list[str] = []
        self.ended: list[str] = []
        self.running = 0
        self._dialect, self._transactions, self._elsewhere = dialect, transactions, elsewhere
        self._early = early
        self._changed = threading.Condition()
        self._asked: dict[bytes, Any] = {}
        self._open: dict[bytes, duckdb.DuckDBPyConnection] = {}

    def get_flight_info(self, context: Any, descriptor: Any) -> flight.FlightInfo:
        """Notes what is wanted; it is computed when it is fetched."""
        name, message = words.read(descriptor.command)
        handle = uuid.uuid4().bytes
        self._asked[handle] = (name, message)
        ticket = words.written("TicketStatementQuery", statement_handle=handle)
        schema, places = None, []
        if name == "CommandStatementQuery":
            places = [self._elsewhere] if self._elsewhere else []
            if self._dialect != "duckdb" and "pragma_version" in message.query:
                raise flight.FlightServerError("no such function: pragma_version")
            schema = _schema(self._cursor(message), message.query)
            if self._early:
                self._compute(context, message)
        else:
            schema = self._about().schema
        return flight.FlightInfo(schema, descriptor, [flight.FlightEndpoint(ticket, places)])

    def _compute(self, context: Any, message: Any) -> None:
        cursor = self._cursor(message)
        self._counted(1)
        try:
            with interrupted_when(cursor, context.is_cancelled):
                cursor.execute(message.query).fetchall()
        except duckdb.Error as error:
            raise flight.FlightServerError(str(error)) from None
        finally:
            self._counted(-1)

    def do_get(self, context: Any, ticket: Any) -> flight.FlightDataStream:
        """The rows of what was noted."""
        _, wanted = words.read(ticket.ticket)
        name, message = self._asked.pop(wanted.statement_handle)
        if name != "CommandStatementQuery":
            return flight.RecordBatchStream(self._about())
        self.statements.append(message.query)
        cursor = self._cursor(message)
        try:
            self._counted(1)
            with interrupted_when(cursor, context.is_cancelled):
                reader = cursor.execute(message.query).to_arrow_reader(2_048)
        except duckdb.Error as error:
            self._counted(-1)
            raise flight.FlightServerError(str(error)) from None
        except BaseException:
            self._counted(-1)
            raise
        return flight.GeneratorStream(reader.schema, self._batches(cursor, reader, context))

    def _batches(
        self, cursor: Any, reader: pa.RecordBatchReader, context: Any
    ) -> Iterator[pa.RecordBatch]:
        try:
            with interrupted_when(cursor, context.is_cancelled):
                yield from reader
        except (duckdb.Error, OSError) as error:
            raise flight.FlightServerError(str(error)) from None
        finally:
            self._counted(-1)

    def do_action(self, context: Any, action: Any) -> Iterator[bytes]:
        """Begins and ends transactions."""
        _, message = words.read(action.body.to_pybytes())
        if action.type == "BeginTransaction":
            handle = uuid.uuid4().bytes
            self._open[handle] = self.database.cursor()
            self._open[handle].execute("BEGIN TRANSACTION")
            yield words.written("ActionBeginTransactionResult", transaction_id=handle)
        else:
            end = "COMMIT" if message.action == 1 else "ROLLBACK"
            with suppress(duckdb.Error):
                self._open.pop(message.transaction_id).execute(end)
            self.ended.append(end)

    def _cursor(self, message: Any) -> duckdb.DuckDBPyConnection:
        return self._open.get(message.transaction_id) or self.database.cursor()

    def idle(self, seconds: float) -> None:
        """Wait until it works on nothing. Raises TimeoutError."""
        with self._changed:
            if not self._changed.wait_for(lambda: self.running == 0, seconds):
                raise TimeoutError(f"{self.running} statements are still worked on")

    def _counted(self, by: int) -> None:
        with self._changed:
            self.running += by
            self._changed.notify_all()

    def _about(self) -> pa.Table:
        texts = {0: self._dialect, 1: "1", 2: pa.__version__}
        return words.told(texts, {8: 1 if self._transactions else 0})


def _schema(cursor: duckdb.DuckDBPyConnection, query: str) -> pa.Schema | None:
    """Of a query that can be one part of another; of what cannot it is known when it has run."""
    with suppress(duckdb.Error):
        names = [row[0] for row in cursor.execute(f"DESCRIBE {query}").fetchall()]
        if not query.lstrip().upper().startswith(("SELECT", "WITH", "FROM", "VALUES")):
            return None
        empty = cursor.execute(f"SELECT * FROM ({query}) AS q LIMIT 0").to_arrow_table()
        return pa.schema(
            [field.with_name(name) for field, name in zip(empty.schema, names, strict=True)]
        )
    return None


@contextmanager
def flight_server(database: Path | str, **options: Any) -> Iterator[DuckDBFlightServer]:
    """A server on a port of its own, in threads of this process."""
    server = DuckDBFlightServer(database, **options)
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.database.close()


def url_of(server: DuckDBFlightServer) -> str:
    """As a caller writes it, without encryption."""
    return f"flightsql://127.0.0.1:{server.port}?sslmode=disable"
