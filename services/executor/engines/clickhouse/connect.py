"""Sessions with ClickHouse: read-only by its own setting, bounded, cancelled inside the server."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import pyarrow as pa

from services.executor.databases.address import Address
from services.executor.databases.session import Places
from services.executor.engines.clickhouse.errors import DRIVER_ERRORS, as_assay_error
from services.executor.pushdown.places import host_of
from services.executor.pushdown.received import in_types
from services.executor.pushdown.session import abandonable, bounded
from services.executor.pushdown.telling import without_driver

_GRACE_SECONDS = 1
SETTINGS: Mapping[str, Any] = {
    # Reads, and nothing else but settings of its own.
    "readonly": 2,
    # Nothing is nothing, not zero or the empty text.
    "join_use_nulls": 1,
    "aggregate_functions_null_for_empty": 1,
    "transform_null_in": 0,
    "cast_keep_nullable": 1,
    "union_default_mode": "DISTINCT",
    "prefer_column_name_to_alias": 1,
    "enable_extended_results_for_datetime_functions": 1,
    "session_timezone": "UTC",
    "decimal_check_overflow": 1,
    # An error comes before the first row, never in the place of the last.
    "wait_end_of_query": 1,
    "cancel_http_readonly_queries_on_client_close": 1,
    "output_format_arrow_low_cardinality_as_dictionary": 0,
    "output_format_arrow_compression_method": "none",
}


class ClickHouseSession:
    """A client of a server, and what runs through it."""

    def __init__(self, client: Any, seconds: float) -> None:
        self._client = client
        self._settings = {**SETTINGS, "max_execution_time": int(seconds) + _GRACE_SECONDS}
        self._running = ""
        self._stopped = threading.Event()

    def rows(self, sql: str) -> list[tuple[object, ...]]:
        """All rows of a statement of our own. Raises clickhouse_connect's errors."""
        columns = [column.to_pylist() for column in self._asked(sql).columns]
        return list(zip(*columns, strict=True))

    def stream(self, sql: str, schema: pa.Schema) -> pa.RecordBatchReader:
        """As `PushedSession.stream`."""
        reader = self._opened(sql)
        if len(reader.schema) != len(schema):
            raise pa.ArrowInvalid("other columns than were asked for")
        return in_types(reader, schema)

    def cancel(self) -> None:
        """Stop what runs there."""
        self._stopped.set()
        if self._running:
            kill = f"KILL QUERY WHERE query_id = '{self._running}' ASYNC"
            with suppress(*DRIVER_ERRORS):
                self._client.command(kill, settings={"readonly": 0})

    def _asked(self, sql: str) -> pa.Table:
        return self._opened(sql).read_all()

    def _opened(self, sql: str) -> Any:
        self._running = f"assay-{uuid.uuid4()}"
        self._stopped.clear()
        settings = {**self._settings, "query_id": self._running}

        def ask() -> Any:
            stream = self._client.raw_stream(sql, settings=settings, fmt="ArrowStream")
            return pa.ipc.open_stream(stream)

        reader = abandonable(ask, self._stopped)
        self._running = ""
        return reader


class ClickHouseSessions:
    """Opens sessions, each with a client of its own: one costs a few milliseconds."""

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
    ) -> Iterator[ClickHouseSession]:
        """As `SessionsOfKind.open`; how many threads compute there is the server's to say."""
        del parallel
        try:
            client = _connected(address, self._places(address), seconds)
        except DRIVER_ERRORS as error:
            raise as_assay_error(error, address) from None
        session = ClickHouseSession(client, seconds)
        try:
            with bounded(session.cancel, seconds, cancelled, DRIVER_ERRORS):
                yield session
        finally:
            with suppress(*DRIVER_ERRORS):
                client.close()

    def close(self) -> None:
        """Nothing is kept open."""


def _connected(address: Address, places: Mapping[str, str], seconds: float) -> Any:
    try:
        import clickhouse_connect
        from clickhouse_connect.driver.httputil import get_pool_manager_options
        from urllib3 import PoolManager
    except ImportError:
        raise without_driver("ClickHouse", "clickhouse") from None

    class Direct(PoolManager):
        """Goes where it was told to, and not where a server sends it."""

        def urlopen(  # type: ignore[override]
            self, method: str, url: str, redirect: bool = True, **how: Any
        ) -> Any:
            del redirect
            return super().urlopen(method, url, redirect=False, **how)

    given, secrets = dict(address.parameters), dict(address.secrets)
    host, port = host_of(address, places)
    encrypted = given["sslmode"] != "disable"
    options = get_pool_manager_options(
        ca_cert=given.get("sslrootcert"),
        verify=given["sslmode"] == "verify-full",
        client_cert=given.get("sslcert"),
        client_cert_key=given.get("sslkey"),
    )
    if encrypted:
        options["server_hostname"] = given["host"]
        if given["sslmode"] == "verify-full":
            options["assert_hostname"] = given["host"]
    token = secrets.get("token") or secrets.get("access_token")
    login: dict[str, Any] = (
        {"access_token": token}
        if token
        else {"username": given.get("user", "default"), "password": secrets.get("password", "")}
    )
    return clickhouse_connect.get_client(
        host=host,
        port=port,
        interface="https" if encrypted else "http",
        database=address.database or None,
        pool_mgr=Direct(**options),
        connect_timeout=int(given["connect_timeout"]),
        send_receive_timeout=int(seconds) + 2 * _GRACE_SECONDS,
        autogenerate_session_id=False,
        query_retries=0,
        compress=False,
        client_name="assay",
        **login,
    )
