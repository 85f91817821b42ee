"""Which hosts files may be fetched from, so that nobody uses the executor to reach what they
cannot: what is public, and what the operator lists.

As with databases, a name is looked up here, what it stands for is checked, and the connection is
made to an address that passed. Every redirect is checked like the address it began at.
"""

from __future__ import annotations

import ipaddress

from mesh.errors import (
    DATABASE_HOST_REFUSED,
    DATABASE_UNREACHABLE,
    SOURCE_HOST_REFUSED,
    SOURCE_UNREACHABLE,
    AssayError,
)
from services.executor.databases.hosts import ANYWHERE, HostRules, unwrap_ipv4


class WebHosts:
    """The rules for one executor. `listed` are names, addresses and ranges, as for databases;
    `plain` allows http:// to any of them and to public hosts."""

    def __init__(self, listed: str = "", *, plain: bool = False) -> None:
        self._listed = HostRules.parsed(listed)
        self._anywhere = HostRules.parsed(ANYWHERE)
        self.plain = plain

    def checked(self, host: str, port: int, *, own: bool, trusted: bool = False) -> list[str]:
        """The addresses of a host that may be connected to. Blocks while its name is looked up.

        Raises AssayError: SOURCE_HOST_REFUSED, SOURCE_UNREACHABLE for a name that nobody knows.
        """
        if trusted:
            return [host]
        try:
            return self._listed.checked(host, str(port))
        except AssayError as error:
            if error.reason is DATABASE_UNREACHABLE:
                raise unknown(host) from None
            if error.reason is not DATABASE_HOST_REFUSED or not own:
                raise refused(host) from None
        try:
            found = self._anywhere.checked(host, str(port))
        except AssayError as error:
            raise (unknown if error.reason is DATABASE_UNREACHABLE else refused)(host) from None
        public = [text for text in found if _is_public(text)]
        if not public:
            raise refused(host)
        return public

    def check_scheme(self, scheme: str, host: str, addresses: list[str], *, trusted: bool) -> None:
        """Raise AssayError(SOURCE_HOST_REFUSED) for what would go over the wire in the clear."""
        if scheme == "https" or self.plain or trusted or all(map(_is_loopback, addresses)):
            return
        raise AssayError(
            SOURCE_HOST_REFUSED,
            f"{host} is asked by http://, which others can read and change on the way.",
            hint="Name it by https://, or have the operator set ASSAY_EXECUTOR_WEB_PLAIN=true.",
        )


def _is_public(text: str) -> bool:
    address = unwrap_ipv4(ipaddress.ip_address(text.partition("%")[0]))
    return address.is_global and not address.is_multicast


def _is_loopback(text: str) -> bool:
    return unwrap_ipv4(ipaddress.ip_address(text.partition("%")[0])).is_loopback


def refused(host: str) -> AssayError:
    """That this server fetches nothing from there."""
    return AssayError(
        SOURCE_HOST_REFUSED,
        f"this server fetches no files from {host}.",
        hint="Addresses inside a network are not opened on request: have the operator list the "
        "host in ASSAY_EXECUTOR_WEB_HOSTS, or fetch the file and name that.",
    )


def unknown(host: str) -> AssayError:
    """That the name of a host stands for nothing."""
    return AssayError(SOURCE_UNREACHABLE, f"{host} is a host name that nobody knows.")
