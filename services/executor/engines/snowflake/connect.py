"""Sessions with Snowflake: bounded, and cancelled inside it.

It knows of no transaction that only reads: what keeps a statement from writing is the guard, and a
role that may only read.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from services.executor.databases.address import Address
from services.executor.databases.session import Places
from services.executor.engines.snowflake.errors import DRIVER_ERRORS, as_assay_error
from services.executor.pushdown.adbc import AdbcSession, connected
from services.executor.pushdown.places import host_of
from services.executor.pushdown.session import bounded
from services.executor.pushdown.telling import without_driver

_GRACE_SECONDS = 1
SETTINGS = (
    "TIMEZONE = 'UTC'",
    "QUERY_TAG = 'assay'",
    "STRICT_JSON_OUTPUT = TRUE",
    "TIMESTAMP_TYPE_MAPPING = 'TIMESTAMP_NTZ'",
    "QUOTED_IDENTIFIERS_IGNORE_CASE = FALSE",
)
_OPTION = "adbc.snowflake.sql"


class SnowflakeSessions:
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
    ) -> Iterator[AdbcSession]:
        """As `SessionsOfKind.open`; how much computes there is the warehouse's to say."""
        del parallel
        try:
            import adbc_driver_snowflake as driver
        except ImportError:
            raise without_driver("Snowflake", "snowflake") from None
        # A host is looked at, and then named to the driver: results lie with others, and who
        # answers under the name has to have its certificate.
        places = self._places(address)
        try:
            database, connection = connected(driver, options_of(address, places), address)
        except DRIVER_ERRORS as error:
            raise as_assay_error(error, address) from None
        session = AdbcSession(connection)
        try:
            with bounded(session.cancel, seconds, cancelled, DRIVER_ERRORS):
                limit = f"STATEMENT_TIMEOUT_IN_SECONDS = {int(seconds) + _GRACE_SECONDS}"
                for setting in (*SETTINGS, limit):
                    session.rows(f"ALTER SESSION SET {setting}")
                yield session
        finally:
            with suppress(*DRIVER_ERRORS, RuntimeError):
                connection.close()
                database.close()

    def close(self) -> None:
        """Nothing is kept open."""


def options_of(address: Address, places: Any) -> dict[str, str]:
    """What the driver is told, with secrets."""
    given, secrets = dict(address.parameters), dict(address.secrets)
    _, port = host_of(address, places)
    options = {
        f"{_OPTION}.account": given["account"],
        f"{_OPTION}.uri.host": given["host"],
        f"{_OPTION}.uri.port": str(port),
        f"{_OPTION}.uri.protocol": "http" if given["sslmode"] == "disable" else "https",
        f"{_OPTION}.db": address.database,
        f"{_OPTION}.client_option.app_name": "assay",
        f"{_OPTION}.client_option.disable_telemetry": "true",
        f"{_OPTION}.client_option.login_timeout": f"{given['connect_timeout']}s",
        f"{_OPTION}.client_option.max_timestamp_precision": "microseconds",
    }
    for name in ("warehouse", "role"):
        if given.get(name):
            options[f"{_OPTION}.{name}"] = given[name]
    token = secrets.get("token") or secrets.get("access_token")
    if token:
        options |= {
            f"{_OPTION}.auth_type": "auth_oauth",
            f"{_OPTION}.client_option.auth_token": token,
        }
    if given.get("user"):
        options["username"] = given["user"]
    if secrets.get("password"):
        options["password"] = secrets["password"]
    return options
