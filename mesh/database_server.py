"""Connections to a PostgreSQL server that keeps the mesh's own state, with libpq's words for TLS.

An address means what it means to libpq (PostgreSQL's documentation, "SSL Support"), so that one
rule holds for these databases and for those that questions are asked of: `sslmode` of six kinds,
`sslrootcert`, `sslcert`, `sslkey`, `sslpassword`, with libpq's defaults in `~/.postgresql`. One
thing is stricter: a file that an address names has to be there, whatever the mode.

The driver (pg8000) knows none of these words: they become its `ssl_context` here. Sockets of this
machine are not encrypted, as with libpq.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mesh.database_address import SYSTEM, checked_address
from mesh.database_words import (
    NO_ENCRYPTION,
    OTHER_AUTHORITY,
    OTHER_NAME,
    REFUSES_PASSWORD,
    REFUSES_USER,
)
from mesh.errors import (
    DATABASE_LOGIN_REFUSED,
    DATABASE_UNREACHABLE,
    INVALID_ARGUMENT,
    AssayError,
    Reason,
)

if TYPE_CHECKING:
    from sqlalchemy import URL, Engine

_ENCRYPTED = frozenset({"require", "verify-ca", "verify-full"})
_VERIFIED = frozenset({"verify-ca", "verify-full"})
_HOME = Path(".postgresql")

_NOT_THIS_WAY = (
    "28000"  # PostgreSQL's invalid_authorization_specification: pg_hba.conf has no entry
)
_REFUSALS: dict[str, tuple[Reason, str]] = {
    "28P01": (DATABASE_LOGIN_REFUSED, REFUSES_PASSWORD),
    _NOT_THIS_WAY: (DATABASE_LOGIN_REFUSED, REFUSES_USER),
    "3D000": (DATABASE_UNREACHABLE, "does not exist"),
}

Connect = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Server:
    """A server, as an address names it.

    `ways` are the driver's `ssl_context`s in the order in which they are tried: False is without
    encryption. `url` has nothing that the driver does not understand.
    """

    url: URL
    ways: tuple[ssl.SSLContext | bool, ...]
    shown: str

    @classmethod
    def of(cls, address: str) -> Server:
        """Raises AssayError(INVALID_ARGUMENT) for an address that means nothing, or that names a
        file that cannot be used."""
        from sqlalchemy import make_url

        try:
            checked_address(address)
        except ValueError as error:
            raise _invalid(str(error)) from None
        url = make_url(address).set(drivername="postgresql+pg8000")
        given = {name: value for name, value in url.query.items() if isinstance(value, str)}
        if len(given) < len(url.query):
            raise _invalid("says the same parameter twice")
        socket = _socket(given, url.host, url.port)
        if not socket:
            url = url.set(
                host=url.host or given.get("host") or "localhost",
                port=url.port or (int(given["port"]) if given.get("port", "").isdigit() else None),
            )
        ways = (False,) if socket else _ways(given)
        kept = {"unix_sock": socket} if socket else {}
        if name := given.get("application_name"):
            kept["application_name"] = name
        shown = f"{url.database or ''} at {socket or url.host}".strip()
        return cls(url.set(query=kept), ways, shown)

    def connection(self, connect: Connect, arguments: Mapping[str, Any]) -> Any:
        """A connection by the first way that the server takes.

        Raises AssayError: DATABASE_UNREACHABLE for a server that is not the one that was meant,
        DATABASE_LOGIN_REFUSED; and the driver's own errors for whatever else goes wrong.
        """
        for left, way in zip(reversed(range(len(self.ways))), self.ways, strict=True):
            try:
                return connect(**arguments, ssl_context=way)
            except Exception as error:
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
        raise AssertionError("a server has at least one way")


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
            return server.connection(partial(driver.connect, *args), arguments)
        except OSError as error:  # broken off while TLS was spoken of, where the driver looks away
            raise driver.InterfaceError("the connection broke off") from error

    return engine


def _socket(given: Mapping[str, str], host: str | None, port: int | None) -> str:
    """The socket of this machine that is meant; empty for a host."""
    if given.get("unix_sock"):
        return given["unix_sock"]
    folder = given.get("host", "")
    if host or not folder.startswith("/"):
        return ""
    return f"{folder}/.s.PGSQL.{port or given.get('port') or 5432}"


def _ways(given: Mapping[str, str]) -> tuple[ssl.SSLContext | bool, ...]:
    system = given.get("sslrootcert") == SYSTEM
    mode = given.get("sslmode") or ("verify-full" if system else "prefer")
    if mode == "disable":
        return (False,)
    context = _context(mode, given)
    if mode in _ENCRYPTED:
        return (context,)
    return (False, context) if mode == "allow" else (context, False)


def _context(mode: str, given: Mapping[str, str]) -> ssl.SSLContext:
    """What the driver encrypts with. As with libpq an authority that is known is asked in every
    mode, and `require` with one is `verify-ca`."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = mode == "verify-full"
    roots = given.get("sslrootcert") or _of_home("root.crt")
    if mode in _VERIFIED and not roots:
        raise _invalid(
            f"has sslmode={mode}, and nothing says which authority is believed: "
            "sslrootcert=FILE names its certificate, sslrootcert=system the machine's own"
        )
    if roots == SYSTEM:
        context.set_default_verify_paths()
    elif roots:
        _used("sslrootcert", roots, lambda: context.load_verify_locations(roots))
    else:
        context.verify_mode = ssl.CERT_NONE
    certificate = given.get("sslcert") or _of_home("postgresql.crt")
    if certificate:
        key = given.get("sslkey") or _of_home("postgresql.key")
        secret = given.get("sslpassword", "")  # never asked for on a terminal
        _used(
            "sslcert or sslkey",
            f"{certificate} with {key or 'the key in it'}",
            lambda: context.load_cert_chain(certificate, key or None, lambda: secret),
        )
    return context


def _of_home(name: str) -> str:
    path = Path.home() / _HOME / name
    return str(path) if path.is_file() else ""


def _used(parameter: str, shown: str, load: Callable[[], None]) -> None:
    try:
        load()
    except ssl.SSLError as error:
        why = error.reason or "no certificate in it"
        raise _invalid(f"has {parameter} = {shown}, which does not fit: {why}") from error
    except OSError as error:
        why = error.strerror or "unreadable"
        raise _invalid(f"has {parameter} = {shown}, which cannot be read: {why}") from error


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


def _state(error: Exception) -> str:
    """The five characters of SQLSTATE, empty where the server did not answer with any."""
    told = error.args[0] if error.args else None
    return str(told.get("C", "")) if isinstance(told, dict) else ""


def _invalid(what: str) -> AssayError:
    return AssayError(
        INVALID_ARGUMENT,
        f"the address of this service's database {what}",
        hint="Mend the service's ASSAY_..._DATABASE: docs/operations.md has what it may hold.",
    )
