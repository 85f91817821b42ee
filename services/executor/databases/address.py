"""Where a PostgreSQL database is, as a request names it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from mesh.credentials import REFERENCE
from mesh.errors import SOURCE_NOT_FOUND, AssayError

NAMED = "connection"
SCHEMES = frozenset({"postgresql", "postgres", NAMED})
# What a caller may say to the driver; everything else (files, options, services) is refused.
_PARAMETERS = frozenset(
    "host port dbname user sslmode connect_timeout target_session_attrs application_name "
    "channel_binding gssencmode krbsrvname keepalives keepalives_idle unix_sock".split()
)
_LOCAL_PARAMETERS = frozenset(
    "service passfile sslrootcert sslcert sslkey sslcrl requirepeer".split()
)
_OWN = frozenset({"schema", REFERENCE})
_NOTHING_OF_OURS = {"passfile": "/dev/null", "sslcertmode": "disable", "gssencmode": "disable"}


def is_database(url: str | None) -> bool:
    """Whether a place is the URL of a database that is asked where it is."""
    scheme = (url or "").partition(":")[0].strip()
    return scheme.partition("+")[0].lower() in SCHEMES


@dataclass(frozen=True, slots=True)
class Address:
    """A database. `shown` has neither user nor secrets; `secrets` are parameters of the driver.

    `schemas` are those the request asks for, empty for all. `own` says that the surroundings of
    this process (PGPASSWORD, .pgpass, service files) may help to log in. `trusted` is one that the
    operator wrote down: it may be anywhere.
    """

    shown: str
    database: str
    schemas: tuple[str, ...]
    parameters: tuple[tuple[str, str], ...] = field(repr=False)
    secrets: tuple[tuple[str, str], ...] = field(repr=False)
    own: bool = False
    trusted: bool = False

    def uri(self, places: Mapping[str, str] = MappingProxyType({})) -> str:
        """The connection URI for libpq, with secrets; `places` says where the server is."""
        given = {**dict(self.parameters), **dict(self.secrets), **places}
        if not self.own:
            # The logins and certificates of whoever runs this process are not the caller's.
            given = {"password": "", **given, **_NOTHING_OF_OURS}
        return "postgresql:///?" + urlencode(given, quote_via=quote)


def address_of(
    url: str, secrets: Mapping[str, str], *, own: bool, trusted: bool = False
) -> Address:
    """The address a URL names. Raises AssayError(SOURCE_NOT_FOUND) for what is not allowed."""
    parts = urlsplit(url)
    given = dict(parse_qsl(parts.query, keep_blank_values=True))
    unknown = sorted(set(given) - _PARAMETERS - _OWN - (_LOCAL_PARAMETERS if own else set()))
    if unknown:
        raise AssayError(
            SOURCE_NOT_FOUND,
            f"the address of a database has the parameter {unknown[0]}, which is not allowed.",
            hint="Allowed are schema, " + ", ".join(sorted(_PARAMETERS - {"unix_sock"})) + ".",
        )
    parameters = {name: value for name, value in given.items() if name in _PARAMETERS}
    if own:
        parameters |= {n: v for n, v in given.items() if n in _LOCAL_PARAMETERS}
    user, _, place = parts.netloc.rpartition("@")
    host, port = _host_and_port(place)
    socket = parameters.pop("unix_sock", "")
    if socket:
        host, _, name = socket.rpartition("/")  # as /run/postgresql/.s.PGSQL.5433
        numbered = name.removeprefix(".s.PGSQL.")
        port = port or (numbered if numbered.isdigit() else "")
    database = unquote(parts.path.removeprefix("/")) or parameters.get("dbname", "")
    named = {
        "host": host,
        "port": port,
        "user": unquote(user.partition(":")[0]),
        "dbname": database,
    }
    parameters |= {name: value for name, value in named.items() if value}
    parameters.setdefault("connect_timeout", "10")
    parameters.setdefault("application_name", "assay")
    schemas = tuple(name for name in given.get("schema", "").split(",") if name)
    where = parameters.get("host", "this machine")
    return Address(
        shown=f"{database} at {where}".strip(),
        database=database,
        schemas=schemas,
        parameters=tuple(sorted(parameters.items())),
        secrets=tuple(sorted(secrets.items())),
        own=own,
        trusted=trusted,
    )


def _host_and_port(place: str) -> tuple[str, str]:
    """Of HOST:PORT, [IPV6]:PORT or a list of them."""
    hosts, ports = [], []
    for one in place.split(",") if place else []:
        host, colon, port = one.rpartition(":")
        if not colon or port.endswith("]"):
            host, port = one, ""
        hosts.append(unquote(host.strip("[]")))
        ports.append(port)
    return ",".join(hosts), ",".join(ports) if any(ports) else ""
