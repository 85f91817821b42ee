"""Which MCP servers may be asked: those that the operator names, and addresses at allowed hosts.

A command is run only where the operator's settings say so: what a caller sends is a name or a URL,
never a command. Secrets (headers, environment) stay in the settings of this process; a server gets
its own and no other's, and nothing of the caller but the arguments of the call.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, model_validator

from mesh.errors import (
    DATABASE_HOST_REFUSED,
    DATABASE_UNREACHABLE,
    NOT_FOUND,
    TOOL_SERVER_REFUSED,
    TOOL_SERVER_UNREACHABLE,
    AssayError,
)
from services.executor.databases.hosts import HostRules

_SETTING = "ASSAY_EXECUTOR_MCP_HOSTS"


class McpServer(BaseModel):
    """A server as the operator names it: a `url`, or a `command` that speaks over its own streams.

    `headers` go with each request to the URL, `environment` to the command. Without `tenants`,
    everybody may ask it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    url: str = ""
    headers: dict[str, SecretStr] = Field(default_factory=dict)
    command: Annotated[tuple[str, ...], Field(max_length=100)] = ()
    environment: dict[str, SecretStr] = Field(default_factory=dict)
    tenants: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _one_way(self) -> McpServer:
        if bool(self.url) == bool(self.command):
            raise ValueError("an MCP server has a url or a command, and not both")
        if self.url and not _address(self.url):
            raise ValueError("the url of an MCP server is http:// or https:// with a host")
        if (self.headers and self.command) or (self.environment and self.url):
            raise ValueError("headers belong to a url, an environment to a command")
        return self


@dataclass(frozen=True, slots=True)
class Target:
    """Where a server is reached. With `addresses`, its host is no other than these."""

    name: str
    url: str = ""
    headers: tuple[tuple[str, SecretStr], ...] = ()
    command: tuple[str, ...] = ()
    environment: tuple[tuple[str, SecretStr], ...] = ()
    addresses: tuple[str, ...] = ()


class McpServers:
    """Finds servers by what callers call them."""

    def __init__(self, named: Mapping[str, McpServer], hosts: str) -> None:
        """`hosts` as `HostRules.parsed`; empty means that callers name no address."""
        self._named = dict(named)
        self._hosts = HostRules.parsed(hosts)

    def target(self, server: str, tenant: str) -> Target:
        """Where a tenant's server is: the operator's of that name, or a URL. Blocks for its name.

        Raises AssayError: NOT_FOUND, TOOL_SERVER_REFUSED, TOOL_SERVER_UNREACHABLE.
        """
        if (known := self._named.get(server)) is not None:
            if known.tenants and tenant not in known.tenants:
                raise _unknown(server)
            return Target(
                server,
                known.url,
                tuple(known.headers.items()),
                known.command,
                tuple(known.environment.items()),
            )
        parts = _address(server)
        if not parts:
            raise _unknown(server)
        host, port = parts
        return Target(server, server, addresses=tuple(self._addresses(host, port)))

    def _addresses(self, host: str, port: str) -> Sequence[str]:
        try:
            return self._hosts.checked(host, port)
        except AssayError as error:
            if error.reason is DATABASE_HOST_REFUSED:
                raise AssayError(
                    TOOL_SERVER_REFUSED,
                    f"this server asks no tools at {host}.",
                    hint=f"Ask its operator to list the host in {_SETTING}.",
                ) from None
            if error.reason is DATABASE_UNREACHABLE:
                raise AssayError(
                    TOOL_SERVER_UNREACHABLE, f"nobody knows the host {host}."
                ) from None
            raise


def _address(url: str) -> tuple[str, str] | None:
    """Host and port of a URL that can be asked; None for anything else.

    Users and passwords do not belong into it: they would be kept and told with the domain.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return None
    if parts.username or parts.password or not url.isprintable() or len(url) > 2_000:
        return None
    return parts.hostname, str(port or (443 if parts.scheme == "https" else 80))


def bracketed(address: str) -> str:
    """An address as it stands in a URL."""
    try:
        six = ipaddress.ip_address(address).version == 6
    except ValueError:
        six = False
    return f"[{address}]" if six else address


def _unknown(server: str) -> AssayError:
    return AssayError(
        NOT_FOUND,
        f"there is no MCP server {server[:100]!r}",
        hint="Name one that the operator has set up, or an http(s) URL without a password.",
    )
