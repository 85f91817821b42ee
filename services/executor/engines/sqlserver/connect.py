"""Sessions with SQL Server: for reading by their intent, rolled back, cancelled inside it."""

from __future__ import annotations

import ssl
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
        session = CursorSession(connection, _stop)
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
        import pytds
    except ImportError:
        raise without_driver("SQL Server", "sqlserver") from None
    given, secrets = dict(address.parameters), dict(address.secrets)
    host, port = host_of(address, places)
    encrypted = given["sslmode"] != "disable"
    return pytds.connect(
        # Encrypted, the name is what the certificate is for, and who answers has to have it.
        dsn=given["host"] if encrypted else host,
        port=int(port),
        user=given.get("user", ""),
        password=secrets.get("password", ""),
        database=address.database,
        login_timeout=int(given["connect_timeout"]),
        timeout=int(seconds) + _GRACE_SECONDS,
        appname="assay",
        cafile=ssl.get_default_verify_paths().cafile if encrypted else None,
        validate_host=encrypted,
        readonly=True,
        autocommit=False,
    )


def _stop(cursor: Any) -> None:
    with suppress(*DRIVER_ERRORS, AttributeError):
        cursor.cancel()
