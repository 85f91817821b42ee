"""Where a database is, as a request names it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote

from mesh.errors import SOURCE_NOT_FOUND, AssayError
from services.executor.engines.registry import by_scheme, database_module

NAMED = "connection"


def is_database(url: str | None) -> bool:
    """Whether a place is the URL of a database that is asked where it is."""
    scheme = (url or "").partition(":")[0].strip()
    return scheme.partition("+")[0].lower() in (NAMED, *by_scheme())


@dataclass(frozen=True, slots=True)
class Address:
    """A database. `shown` has neither user nor secrets; `secrets` are parameters of the driver.

    `kind` is the engine that asks it, `port` the one its servers listen on if nothing else is said.

    `schemas` are those the request asks for, empty for all. `own` says that the surroundings of
    this process (PGPASSWORD, .pgpass, service files) may help to log in. `trusted` is one that the
    operator wrote down: it may be anywhere.
    """

    kind: str
    port: str
    shown: str
    database: str
    schemas: tuple[str, ...]
    parameters: tuple[tuple[str, str], ...] = field(repr=False)
    secrets: tuple[tuple[str, str], ...] = field(repr=False)
    own: bool = False
    trusted: bool = False


def address_of(
    url: str, secrets: Mapping[str, str], *, own: bool, trusted: bool = False
) -> Address:
    """The address a URL names. Raises AssayError(SOURCE_NOT_FOUND) for what is not allowed."""
    scheme = url.partition(":")[0].strip().partition("+")[0].lower()
    kind = database_module(by_scheme()[scheme].name)
    found: Address = kind.address(url, secrets, own=own, trusted=trusted)
    return found


def unknown_parameter(name: str, allowed: Iterable[str]) -> AssayError:
    """Of a URL that says what no caller may say."""
    return AssayError(
        SOURCE_NOT_FOUND,
        f"the address of a database has the parameter {name}, which is not allowed.",
        hint="Allowed are schema, " + ", ".join(sorted(allowed)) + ".",
    )


def host_and_port(place: str) -> tuple[str, str]:
    """Of HOST:PORT, [IPV6]:PORT or a list of them."""
    hosts, ports = [], []
    for one in place.split(",") if place else []:
        host, colon, port = one.rpartition(":")
        if not colon or port.endswith("]"):
            host, port = one, ""
        hosts.append(unquote(host.strip("[]")))
        ports.append(port)
    return ",".join(hosts), ",".join(ports) if any(ports) else ""
