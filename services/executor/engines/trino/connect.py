"""Sessions with Trino: bounded by its own setting, and cancelled inside it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from services.executor.databases.address import Address
from services.executor.databases.session import Places
from services.executor.engines.trino.errors import DRIVER_ERRORS
from services.executor.pushdown.dbapi import CursorSession
from services.executor.pushdown.places import host_of
from services.executor.pushdown.session import bounded
from services.executor.pushdown.telling import without_driver

_GRACE_SECONDS = 1


class TrinoSessions:
    """Opens sessions; the protocol has no connections that could be kept."""

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
        """As `SessionsOfKind.open`; how much computes there is Trino's to say."""
        del parallel
        connection = _connected(address, self._places(address), seconds)
        session = CursorSession(connection, _stop)
        try:
            with bounded(session.cancel, seconds, cancelled, DRIVER_ERRORS):
                yield session
        finally:
            with suppress(*DRIVER_ERRORS):
                connection.close()

    def close(self) -> None:
        """Nothing is kept open."""


def _connected(address: Address, places: Any, seconds: float) -> Any:
    try:
        import requests
        import trino
    except ImportError:
        raise without_driver("Trino", "trino") from None

    given, secrets = dict(address.parameters), dict(address.secrets)
    encrypted = given["sslmode"] != "disable"
    host, port = host_of(address, places)
    session = requests.Session()
    session.trust_env = False  # neither proxies nor logins of this machine
    session.max_redirects = 0
    login: Any = None
    if token := secrets.get("token") or secrets.get("access_token"):
        login = trino.auth.JWTAuthentication(token)
    elif secrets.get("password"):
        login = trino.auth.BasicAuthentication(given.get("user", ""), secrets["password"])
    connect: Any = trino.dbapi.connect
    return connect(
        # Encrypted, the name is what the certificate is for, and who answers has to have it.
        host=given["host"] if encrypted else host,
        port=port,
        user=given.get("user") or "assay",
        catalog=address.database,
        auth=login,
        http_scheme="https" if encrypted else "http",
        http_session=session,
        verify=given.get("sslrootcert") or True,
        source="assay",
        timezone="UTC",
        max_attempts=1,
        request_timeout=float(given["connect_timeout"]),
        session_properties={
            "query_max_run_time": f"{int(seconds) + _GRACE_SECONDS}s",
        },
        legacy_primitive_types=False,
    )


def _stop(cursor: Any) -> None:
    with suppress(*DRIVER_ERRORS):
        cursor.cancel()
