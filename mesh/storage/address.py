"""Where a service keeps its state, as its setting says it: known parameters that fit together.

How a server is reached is `mesh.storage.server`'s affair; here nothing is opened or imported.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlsplit, urlunsplit

MODES = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")
SYSTEM = "system"
_OF_TLS = ("sslmode", "sslrootcert", "sslcert", "sslkey", "sslpassword")
WRITABLE = ("any", "read-write", "primary")
"""The kinds of servers that may be asked for, by `target_session_attrs`."""
_OTHERS = (
    *("application_name", "connect_timeout", "host", "port", "target_session_attrs"),
    "unix_sock",
)
_PORT = 5432
_APART = (
    "cannot be taken apart: write postgresql://user:password@host:port/database, with "
    "@ : / ? # % in the password as %40 %3A %2F %3F %23 %25"
)
_SCHEMES = ("postgresql+pg8000", "postgresql", "postgres")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a server listens: a host and its port, or else a socket of this machine."""

    host: str
    port: int = _PORT
    socket: str = ""

    @property
    def shown(self) -> str:
        """What to call it."""
        return self.socket or self.host


def places_of(address: str) -> tuple[str, tuple[Place, ...]]:
    """An address without its hosts, and the places that it names, in their order.

    Hosts stand before the database, each with its port, or in the parameters `host` and `port`,
    separated by commas; one port is for all. Raises ValueError for what is none.
    """
    parts = urlsplit(address)
    given = dict(parse_qsl(parts.query))
    user, at, listed = parts.netloc.rpartition("@")
    without = urlunsplit(parts._replace(netloc=user + at))
    if socket := given.get("unix_sock"):
        return without, (Place("", socket=socket),)
    named = [_host_and_port(one) for one in listed.split(",")]
    hosts, ports = [host for host, _ in named], [port for _, port in named]
    if hosts == [""]:
        hosts = given.get("host", "localhost").split(",")
    if not any(ports):
        ports = given.get("port", "").split(",")
    if len(ports) == 1:
        ports *= len(hosts)
    if len(ports) != len(hosts):
        raise ValueError(f"has {len(hosts)} hosts and {len(ports)} ports: one for all, or for each")
    return without, tuple(map(_place, hosts, ports))


def _host_and_port(named: str) -> tuple[str, str]:
    """Raises ValueError for a port that is none, as behind a password that was not escaped."""
    host, _, port = named.rpartition(":") if named[-1:] != "]" else (named, "", "")
    if not host and ":" not in named:
        host, port = port, ""
    if port and not port.isdecimal():
        raise ValueError(_APART)
    return unquote(host.removeprefix("[").removesuffix("]")), port


def _place(host: str, port: str) -> Place:
    number = port or str(_PORT)
    if not number.isdecimal() or not 0 < int(number) < 1 << 16:
        raise ValueError(f"has the port {port}; it is a number from 1 to 65535")
    if not host:
        raise ValueError("has a host without a name in its list")
    socket = f"{host}/.s.PGSQL.{number}" if host.startswith("/") else ""
    return Place(host, int(number), socket)


def checked_address(address: str) -> str:
    """The address of a setting, if it can be used; files that it names are not looked at yet.

    Raises ValueError, which does not repeat the address: it may hold a password.
    """
    scheme = address.partition(":")[0]
    if scheme.startswith("sqlite"):
        return address
    if scheme not in _SCHEMES:
        raise ValueError(
            "must begin with sqlite:///, or with postgresql:// for a PostgreSQL server"
        )
    try:
        query = urlsplit(address).query
    except ValueError:
        raise ValueError(_APART) from None
    _check(dict(parse_qsl(query, keep_blank_values=True)))
    places_of(address)
    return address


def _check(given: Mapping[str, str]) -> None:
    """Raises ValueError for parameters that are unknown, or contradict one another."""
    known = (*_OF_TLS, *_OTHERS)
    for name in given:
        if name not in known:
            raise ValueError(f"has the parameter {name}; known are {', '.join(known)}")
    mode = given.get("sslmode", "")
    if mode and mode not in MODES:
        raise ValueError(f"has sslmode={mode}; it may be {', '.join(MODES)}")
    kind = given.get("target_session_attrs", "")
    if kind and kind not in WRITABLE:
        raise ValueError(
            f"has target_session_attrs={kind}; a service writes to its database, so that it may be "
            f"{', '.join(WRITABLE)}"
        )
    seconds = given.get("connect_timeout", "")
    if seconds and not seconds.isdecimal():
        raise ValueError(f"has connect_timeout={seconds}; it is a whole number of seconds")
    if given.get("sslrootcert") == SYSTEM and mode not in ("", "verify-full"):
        raise ValueError(
            f"has sslmode={mode} with sslrootcert=system: anybody can have a certificate of a "
            "public authority, so that only verify-full tells servers apart"
        )
    if ("sslkey" in given) > ("sslcert" in given):
        raise ValueError("has sslkey without sslcert: a key belongs to a certificate")
