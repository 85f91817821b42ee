"""Where a Flight SQL server is, and what the driver is told."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from mesh.credentials import REFERENCE
from mesh.errors import SOURCE_NOT_FOUND, AssayError
from services.executor.databases.address import Address, host_and_port, unknown_parameter
from services.executor.engines.flightsql.about import ENGINE

MODES = ("verify-full", "require", "disable")
_PARAMETERS = frozenset("host port user sslmode connect_timeout".split())
_LOCAL_PARAMETERS = frozenset("sslrootcert sslcert sslkey".split())
_OWN = frozenset({"schema", REFERENCE})
_OPTION = "adbc.flight.sql.client_option."
_LARGEST_MESSAGE = 256 << 20


def address(url: str, secrets: Mapping[str, str], *, own: bool, trusted: bool) -> Address:
    """The address a URL names. Raises AssayError(SOURCE_NOT_FOUND) for what is not allowed."""
    parts = urlsplit(url)
    given = dict(parse_qsl(parts.query, keep_blank_values=True))
    unknown = sorted(set(given) - _PARAMETERS - _OWN - (_LOCAL_PARAMETERS if own else set()))
    if unknown:
        raise unknown_parameter(unknown[0], _PARAMETERS)
    parameters = {name: value for name, value in given.items() if name not in _OWN}
    user, _, place = parts.netloc.rpartition("@")
    host, port = host_and_port(place)
    named = {"host": host, "port": port, "user": unquote(user.partition(":")[0])}
    parameters |= {name: value for name, value in named.items() if value}
    if not parameters.get("host") or "," in parameters["host"]:
        raise _wrong("names no host, or several")
    if parts.path.strip("/"):
        raise _wrong("names a database, which a Flight SQL server gives by itself")
    if parameters.setdefault("sslmode", MODES[0]) not in MODES:
        raise _wrong(f"has sslmode={parameters['sslmode']}, which is none of {', '.join(MODES)}")
    if not parameters.setdefault("connect_timeout", "10").isdigit():
        raise _wrong("has a connect_timeout that is no number of seconds")
    where = f"{parameters['host']}:{parameters.get('port', ENGINE.port)}"
    return Address(
        kind=ENGINE.name,
        port=ENGINE.port,
        shown=f"at {where}",
        database="",
        schemas=tuple(name for name in given.get("schema", "").split(",") if name),
        parameters=tuple(sorted(parameters.items())),
        secrets=tuple(sorted(secrets.items())),
        own=own,
        trusted=trusted,
    )


def place_of(address: Address, places: Mapping[str, str]) -> str:
    """The driver's URI: by the first address that passed, so that no other look-up is made."""
    given = {**dict(address.parameters), **places}
    host = (given.get("hostaddr") or given["host"]).split(",")[0]
    port = (given.get("port") or "").split(",")[0] or address.port
    scheme = "grpc+tcp" if given["sslmode"] == "disable" else "grpc+tls"
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"


def options_of(address: Address) -> dict[str, str]:
    """What else the driver is told, with secrets. Raises AssayError for a file that is no use."""
    given, secrets = dict(address.parameters), dict(address.secrets)
    options = {
        f"{_OPTION}with_max_msg_size": str(_LARGEST_MESSAGE),
        "adbc.flight.sql.rpc.with_cookie_middleware": "true",
    }
    if token := secrets.get("token") or secrets.get("access_token"):
        options["adbc.flight.sql.authorization_header"] = f"Bearer {token}"
    elif given.get("user") or secrets.get("password"):
        options |= {"username": given.get("user", ""), "password": secrets.get("password", "")}
    if given["sslmode"] == "disable":
        return options
    options[f"{_OPTION}tls_override_hostname"] = given["host"]
    if given["sslmode"] == "require":
        options[f"{_OPTION}tls_skip_verify"] = "true"
    for parameter, option in (
        ("sslrootcert", "tls_root_certs"),
        ("sslcert", "mtls_cert_chain"),
        ("sslkey", "mtls_private_key"),
    ):
        if file := given.get(parameter):
            try:
                options[_OPTION + option] = Path(file).read_text(encoding="ascii")
            except (OSError, UnicodeDecodeError):
                raise _wrong(f"has a file in {parameter} that cannot be read") from None
    return options


def _wrong(what: str) -> AssayError:
    return AssayError(
        SOURCE_NOT_FOUND,
        f"the address of a database {what}.",
        hint="Write flightsql://USER:PASSWORD@HOST:PORT or flightsql://HOST:PORT?token=TOKEN, "
        "with schema=NAME for some schemas alone.",
    )
