"""Where a PostgreSQL database is, in libpq's words."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from mesh.credentials import REFERENCE
from services.executor.databases.address import Address, host_and_port, unknown_parameter
from services.executor.engines.postgres.about import ENGINE

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


def address(url: str, secrets: Mapping[str, str], *, own: bool, trusted: bool) -> Address:
    """The address a URL names. Raises AssayError(SOURCE_NOT_FOUND) for what is not allowed."""
    parts = urlsplit(url)
    given = dict(parse_qsl(parts.query, keep_blank_values=True))
    unknown = sorted(set(given) - _PARAMETERS - _OWN - (_LOCAL_PARAMETERS if own else set()))
    if unknown:
        raise unknown_parameter(unknown[0], _PARAMETERS - {"unix_sock"})
    parameters = {name: value for name, value in given.items() if name in _PARAMETERS}
    if own:
        parameters |= {n: v for n, v in given.items() if n in _LOCAL_PARAMETERS}
    user, _, place = parts.netloc.rpartition("@")
    host, port = host_and_port(place)
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
        kind=ENGINE.name,
        port=ENGINE.port,
        shown=f"{database} at {where}".strip(),
        database=database,
        schemas=schemas,
        parameters=tuple(sorted(parameters.items())),
        secrets=tuple(sorted(secrets.items())),
        own=own,
        trusted=trusted,
    )


def uri(address: Address, places: Mapping[str, str] = MappingProxyType({})) -> str:
    """The connection URI for libpq, with secrets; `places` says where the server is."""
    given = {**dict(address.parameters), **dict(address.secrets), **places}
    if not address.own:
        # The logins and certificates of whoever runs this process are not the caller's.
        given = {"password": "", **given, **_NOTHING_OF_OURS}
    return "postgresql:///?" + urlencode(given, quote_via=quote)
