"""Where a MySQL or MariaDB database is, and how it is spoken to."""

from __future__ import annotations

import os
from collections.abc import Mapping
from urllib.parse import parse_qsl, unquote, urlsplit

from mesh.credentials import REFERENCE
from mesh.errors import SOURCE_NOT_FOUND, AssayError
from services.executor.databases.address import Address, host_and_port, unknown_parameter
from services.executor.engines.mysql.about import ENGINE

MODES = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")
# What a caller may say; files of this machine are its owner's alone.
_PARAMETERS = frozenset("host port user sslmode connect_timeout unix_socket".split())
_LOCAL_PARAMETERS = frozenset("sslrootcert sslcert sslkey".split())
_OWN = frozenset({"schema", REFERENCE})
_PASSWORD = "MYSQL_PWD"


def address(url: str, secrets: Mapping[str, str], *, own: bool, trusted: bool) -> Address:
    """The address a URL names. Raises AssayError(SOURCE_NOT_FOUND) for what is not allowed.

    Schemas are what others call databases: the one in the path, or those of `schema`.
    """
    parts = urlsplit(url)
    given = dict(parse_qsl(parts.query, keep_blank_values=True))
    unknown = sorted(set(given) - _PARAMETERS - _OWN - (_LOCAL_PARAMETERS if own else set()))
    if unknown:
        raise unknown_parameter(unknown[0], _PARAMETERS)
    parameters = {name: value for name, value in given.items() if name not in _OWN}
    user, _, place = parts.netloc.rpartition("@")
    host, port = host_and_port(place)
    if "," in host + parameters.get("host", ""):
        raise _wrong("names several hosts: name one")
    if socket := parameters.get("unix_socket", ""):
        host = os.path.dirname(socket)  # noqa: PTH120 - of the server's machine, not of a path here
    named = {"host": host, "port": port, "user": unquote(user.partition(":")[0])}
    parameters |= {name: value for name, value in named.items() if value}
    if parameters.setdefault("sslmode", "prefer") not in MODES:
        raise _wrong(f"has sslmode={parameters['sslmode']}, which is none of {', '.join(MODES)}")
    if not parameters.setdefault("connect_timeout", "10").isdigit():
        raise _wrong("has a connect_timeout that is no number of seconds")
    database = unquote(parts.path.removeprefix("/"))
    schemas = tuple(name for name in given.get("schema", database).split(",") if name)
    return Address(
        kind=ENGINE.name,
        port=ENGINE.port,
        shown=f"{database or given.get('schema', '')} at {parameters.get('host', 'this machine')}",
        database=database,
        schemas=schemas,
        parameters=tuple(sorted(parameters.items())),
        secrets=tuple(sorted(secrets.items())),
        own=own,
        trusted=trusted,
    )


def password(address: Address) -> str:
    """What was given with the address, or MYSQL_PWD of this process where that may help."""
    given = dict(address.secrets).get("password")
    return given if given is not None else os.environ.get(_PASSWORD, "") if address.own else ""


def _wrong(what: str) -> AssayError:
    return AssayError(
        SOURCE_NOT_FOUND,
        f"the address of a database {what}.",
        hint="Write mysql://USER:PASSWORD@HOST:PORT/DATABASE.",
    )
