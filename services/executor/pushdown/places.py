"""Addresses of databases that are one host, a database and few parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlsplit

from mesh.credentials import REFERENCE
from mesh.errors import SOURCE_NOT_FOUND, AssayError
from services.executor.databases.address import Address, host_and_port, unknown_parameter
from services.executor.engines.declared import Declared

_ALWAYS = frozenset("host port user connect_timeout".split())
_OWN = frozenset({"schema", REFERENCE})


@dataclass(frozen=True, slots=True)
class Form:
    """What a URL of a kind of database may say: `parameters` by anybody, `local` by those alone who
    may name files of the executor's machine. `example` is one, with what stands in it in capitals.
    """

    engine: Declared
    example: str
    parameters: frozenset[str] = frozenset()
    local: frozenset[str] = frozenset()

    def wrong(self, what: str) -> AssayError:
        """Of an address that is none."""
        return AssayError(
            SOURCE_NOT_FOUND, f"the address of a database {what}.", hint=f"Write {self.example}."
        )


@dataclass(frozen=True, slots=True)
class Read:
    """What a URL says: the database in its path and the schemas that are asked for."""

    database: str
    schemas: tuple[str, ...]

    def address(
        self,
        form: Form,
        parameters: Mapping[str, str],
        secrets: Mapping[str, str],
        *,
        own: bool,
        trusted: bool,
    ) -> Address:
        """The address, with these parameters for the driver."""
        where = f"{parameters['host']}:{parameters.get('port', form.engine.port)}"
        return Address(
            kind=form.engine.name,
            port=form.engine.port,
            shown=f"{self.database} at {where}" if self.database else f"at {where}",
            database=self.database,
            schemas=self.schemas,
            parameters=tuple(sorted(parameters.items())),
            secrets=tuple(sorted(secrets.items())),
            own=own,
            trusted=trusted,
        )


def read(form: Form, url: str, *, own: bool) -> tuple[Read, dict[str, str]]:
    """What a URL says, and its parameters, `host` and `connect_timeout` (10 s) always among them.

    Raises AssayError(SOURCE_NOT_FOUND) for what is not allowed.
    """
    parts = urlsplit(url)
    given = dict(parse_qsl(parts.query, keep_blank_values=True))
    allowed = _ALWAYS | form.parameters
    unknown = sorted(set(given) - allowed - _OWN - (form.local if own else set()))
    if unknown:
        raise unknown_parameter(unknown[0], allowed)
    parameters = {name: value for name, value in given.items() if name not in _OWN}
    user, _, place = parts.netloc.rpartition("@")
    host, port = host_and_port(place)
    named = {"host": host, "port": port, "user": unquote(user.partition(":")[0])}
    parameters |= {name: value for name, value in named.items() if value}
    if not parameters.get("host") or "," in parameters["host"]:
        raise form.wrong("names no host, or several")
    if not parameters.setdefault("connect_timeout", "10").isdigit():
        raise form.wrong("has a connect_timeout that is no number of seconds")
    schemas = tuple(name for name in given.get("schema", "").split(",") if name)
    return Read(unquote(parts.path.strip("/")), schemas), parameters


def host_of(address: Address, places: Mapping[str, str]) -> tuple[str, int]:
    """The first address that passed, so that no other look-up is made, and its port."""
    given = {**dict(address.parameters), **places}
    host = (given.get("hostaddr") or given["host"]).split(",")[0]
    return host, int((given.get("port") or "").split(",")[0] or address.port)
