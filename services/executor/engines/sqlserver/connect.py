"""Sessions with SQL Server: for reading by their intent, rolled back, cancelled inside it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from services.executor.databases.address import Address
from services.executor.databases.session import Places
from services.executor.engines.sqlserver.errors import DRIVER_ERRORS, as_assay_error
from services.executor.pushdown.dbapi import CursorSession
from services.executor.pushdown.places import host_of
from services.executor.pushdown.session import bounded
from services.executor.pushdown.telling import without_driver

_GRACE_SECONDS = 1


class SqlServerSessions:
    """Opens sessions, each with a connection of its own."""

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
    ) -> Iterator[CursorSession]:
        """As `SessionsOfKind.open`."""
        del parallel
        try:
            connection = _connected(address, self._places(address), seconds)
        except DRIVER_ERRORS as error:
            raise as_assay_error(error, address) from None
        session = CursorSession(connection, lambda _: _stop(connection))
        try:
            with bounded(session.cancel, seconds, cancelled, DRIVER_ERRORS):
                yield session
        finally:
            with suppress(*DRIVER_ERRORS):
                connection.rollback()
            with suppress(*DRIVER_ERRORS):
                connection.close()

    def close(self) -> None:
        """Nothing is kept open."""


def _connected(address: Address, places: Any, seconds: float) -> Any:
    try:
        import pymssql
    except ImportError:
        raise without_driver("SQL Server", "sqlserver") from None
    given, secrets = dict(address.parameters), dict(address.secrets)
    host, port = host_of(address, places)
    return pymssql.connect(
        server=host,
        port=str(port),
        user=given.get("user", ""),
        password=secrets.get("password", ""),
        database=address.database,
        login_timeout=int(given["connect_timeout"]),
        timeout=int(seconds) + _GRACE_SECONDS,
        charset="UTF-8",
        appname="assay",
        tds_version="7.4",
        encryption="require" if given["sslmode"] == "require" else "off",
        read_only=True,
        autocommit=False,
    )


def _stop(connection: Any) -> None:
    with suppress(*DRIVER_ERRORS, AttributeError):
        connection._conn.cancel()
