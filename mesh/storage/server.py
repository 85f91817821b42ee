"""Connections to a PostgreSQL server that keeps the mesh's own state, with libpq's words for TLS.

An address means what it means to libpq (PostgreSQL's documentation, "SSL Support"), so that one
rule holds for these databases and for those that questions are asked of: `sslmode` of six kinds,
`sslrootcert`, `sslcert`, `sslkey`, `sslpassword`, with libpq's defaults in `~/.postgresql`. One
thing is stricter: a file that an address names has to be there, whatever the mode. So do several
hosts, `connect_timeout` and `target_session_attrs` ("Connection Strings"): hosts are tried in their
order, and the next one where one is away or of another kind, not where it refuses the login.

The driver (pg8000) knows none of these words: they become its `sock` and `ssl_context` here.
Sockets of this machine are not encrypted, as with libpq.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from mesh.errors import (
    DATABASE_LOGIN_REFUSED,
    DATABASE_UNREACHABLE,
    SERVICE_UNAVAILABLE,
    AssayError,
    Reason,
)
from mesh.storage.address import Place, checked_address, places_of
from mesh.storage.tls import invalid, ways_of
from mesh.storage.words import (
    NO_ENCRYPTION,
    OTHER_AUTHORITY,
    OTHER_NAME,
    REFUSES_PASSWORD,
    REFUSES_USER,
)

if TYPE_CHECKING:
    from sqlalchemy import URL, Engine


_NOT_THIS_WAY = (
    "28000"  # PostgreSQL's invalid_authorization_specification: pg_hba.conf has no entry
)
_REFUSALS: dict[str, tuple[Reason, str]] = {
    "28P01": (DATABASE_LOGIN_REFUSED, REFUSES_PASSWORD),
    _NOT_THIS_WAY: (DATABASE_LOGIN_REFUSED, REFUSES_USER),
    "3D000": (DATABASE_UNREACHABLE, "does not exist"),
}

_NOT_NOW = ("53", "57P")
"""Beginnings of what a server says that has no room, stops, or is just starting."""
_READ_ONLY = "25006"

Connect = Callable[..., Any]


class _Encrypting:
    """What the driver is given as its `ssl_context`; keeps the socket that it makes."""

    def __init__(self, context: ssl.SSLContext) -> None:
        self._context = context
        self.made: ssl.SSLSocket | None = None

    def wrap_socket(self, plain: socket.socket, server_hostname: str) -> ssl.SSLSocket:
        """Agree on encryption."""
        self.made = self._context.wrap_socket(plain, server_hostname=server_hostname)
        return self.made


@dataclass(frozen=True, slots=True)
class Server:
    """A server, as an address names it: the first of `places` that has one of the `kind`.

    `ways` are the driver's `ssl_context`s in the order in which they are tried: False is without
    encryption. `seconds` bound each step of connecting. `url` has nothing that the driver does not
    understand.
    """

    url: URL
    places: tuple[Place, ...]
    ways: tuple[ssl.SSLContext | bool, ...]
    kind: str
    seconds: float | None
    shown: str

    @classmethod
    def of(cls, address: str) -> Server:
        """Raises AssayError(INVALID_ARGUMENT) for an address that means nothing, or that names a
        file that cannot be used."""
        from sqlalchemy import make_url

        try:
            checked_address(address)
            address, places = places_of(address)
        except ValueError as error:
            raise invalid(str(error)) from None
        url = make_url(address).set(drivername="postgresql+pg8000")
        given = {name: value for name, value in url.query.items() if isinstance(value, str)}
        if len(given) < len(url.query):
            raise invalid("says the same parameter twice")
        if not places[0].socket:
            url = url.set(host=places[0].host, port=places[0].port)
        named = given.get("application_name")
        at = ", ".join(place.shown for place in places)
        return cls(
            url.set(query={"application_name": named} if named else {}),
            places,
            (False,) if all(place.socket for place in places) else ways_of(given),
            given.get("target_session_attrs", "any"),
            float(given.get("connect_timeout", "0")) or None,
            f"{url.database or ''} at {at}".strip(),
        )

    def connection(self, connect: Connect, arguments: Mapping[str, Any]) -> Any:
        """A connection to the first place that has such a server.

        Raises AssayError: DATABASE_UNREACHABLE for a server that is not the one that was meant,
        DATABASE_LOGIN_REFUSED, SERVICE_UNAVAILABLE where none is of the kind; and the driver's own
        errors for whatever else goes wrong.
        """
        failure: Exception | None = None
        for place in self.places:
            try:
                connection = self._connected(place, connect, arguments)
            except Exception as error:
                state = _state(error) or _state(error.__cause__)
                if state and not state.startswith(_NOT_NOW):
                    raise
                if failure is None or isinstance(error, AssayError):  # which says what to mend
                    failure = error
                continue
            if self._is_wanted(connection):
                return connection
            connection.close()
            failure = AssayError(
                SERVICE_UNAVAILABLE,
                f"no server of the database {self.shown} of this service is {self.kind} now",
                hint="target_session_attrs of the service's ASSAY_..._DATABASE asks for one: see "
                "whether a standby has taken over, and is among the hosts.",
            )
        raise failure or AssertionError("a server has at least one place")

    def _is_wanted(self, connection: Any) -> bool:
        if self.kind == "any":
            return True
        cursor = connection.cursor()
        cursor.execute("SELECT pg_is_in_recovery(), current_setting('transaction_read_only')")
        standby, read_only = cursor.fetchone()
        connection.rollback()
        return not standby if self.kind == "primary" else read_only == "off"

    def _connected(self, place: Place, connect: Connect, arguments: Mapping[str, Any]) -> Any:
        """A connection by the first way that the server there takes."""
        ways = (False,) if place.socket else self.ways
        for left, way in zip(reversed(range(len(ways))), ways, strict=True):
            plain = self._opened(place)
            encrypting = _Encrypting(way) if isinstance(way, ssl.SSLContext) else None
            where = {**arguments, "host": place.host, "port": place.port, "sock": plain}
            try:
                connection = connect(**where, ssl_context=encrypting or False)
            except Exception as error:
                plain.close()
                # The password is no better by another way, and need not be told again.
                if left and _state(error) in ("", _NOT_THIS_WAY):
                    continue
                if (refusal := _refusal(error)) is None:
                    raise
                reason, what = refusal
                raise AssayError(
                    reason,
                    f"the database {self.shown} of this service {what}",
                    hint="See the service's ASSAY_..._DATABASE, and the server's certificate, "
                    "roles and pg_hba.conf.",
                ) from error
            used = encrypting.made if encrypting else None
            (used or plain).settimeout(None)  # statements may take what they take
            return connection
        raise AssertionError("a server has at least one way")

    def _opened(self, place: Place) -> socket.socket:
        """Raises OSError."""
        if place.socket:
            local = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            local.settimeout(self.seconds)
            try:
                local.connect(place.socket)
            except OSError:
                local.close()
                raise
            return local
        opened = socket.create_connection((place.host, place.port), self.seconds)
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        return opened


def engine_of(address: str) -> Engine:
    """A pool of connections to the server at an address. Raises like `Server.of`; its connections
    like `Server.connection`."""
    from sqlalchemy import create_engine, event

    server = Server.of(address)
    engine = create_engine(server.url, pool_pre_ping=True)

    @event.listens_for(engine, "do_connect")
    def connected(dialect: Any, _record: Any, args: Any, arguments: dict[str, Any]) -> Any:
        driver = dialect.loaded_dbapi
        try:
            return server.connection(partial(driver.Connection, *args), arguments)
        except OSError as error:  # away, or broken off while TLS was spoken of
            raise driver.InterfaceError(f"{server.shown}: {error}") from error

    @event.listens_for(engine, "handle_error")
    def failed(context: Any) -> None:
        # What took writes does so no more: another of its servers may.
        if _state(context.original_exception) == _READ_ONLY and server.kind != "any":
            context.is_disconnect = True

    return engine


def _refusal(error: Exception) -> tuple[Reason, str] | None:
    """What a server said, or showed; None where it is away, or the driver's own affair."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return DATABASE_UNREACHABLE, _of_certificate(error.verify_message)
    if isinstance(error, ssl.SSLError):
        why = error.reason or "no reason given"
        return DATABASE_UNREACHABLE, f"broke off when encryption was agreed on: {why}"
    if "refuses SSL" in str(error):  # the driver has no other word for it
        return DATABASE_UNREACHABLE, NO_ENCRYPTION
    return _REFUSALS.get(_state(error))


def _of_certificate(why: str) -> str:
    if "mismatch" in why or "not valid for" in why:
        return OTHER_NAME
    if "expired" in why or "not yet valid" in why:
        return f"shows a certificate that is not valid now: {why}"
    return f"{OTHER_AUTHORITY}: {why}"


def _state(error: BaseException | None) -> str:
    """The five characters of SQLSTATE, empty where the server did not answer with any."""
    value = error.args[0] if error is not None and error.args else None
    return str(value.get("C", "")) if isinstance(value, dict) else ""
