"""Which hosts a database may be on, so that nobody uses the executor to reach what they cannot.

A name is resolved here, what it resolves to is checked, and the driver is given the addresses that
passed: no second look-up could give others.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mesh.errors import (
    DATABASE_HOST_REFUSED,
    DATABASE_UNREACHABLE,
    SOURCE_NOT_FOUND,
    AssayError,
)
from services.executor.databases.address import Address

IP = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

ANYWHERE = "*"
_NAME = re.compile(r"(\*\.)?[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?")
# Where machines of clouds ask who they are and what they may do, and what is no single host. Only
# an address or range inside these lets them be reached.
_NEVER_BY_CHANCE = tuple(
    ipaddress.ip_network(text)
    for text in (
        "169.254.0.0/16",
        "fe80::/10",
        "fd00:ec2::/32",
        "100.100.100.200/32",
        "168.63.129.16/32",
        "192.0.0.192/32",
        "0.0.0.0/8",
        "::/128",
        "224.0.0.0/4",
        "ff00::/8",
        "240.0.0.0/4",
    )
)
_TRANSLATED = ipaddress.IPv6Network("64:ff9b::/96")


@dataclass(frozen=True, slots=True)
class _Entry:
    """One place: a name (`*.x` for all below x), a range of addresses, or a socket's folder."""

    name: str = ""
    network: Network | None = None
    folder: str = ""
    port: str = ""

    def names(self, host: str) -> bool:
        if self.name == ANYWHERE:
            return True
        if self.name.startswith("*."):
            return host.endswith(self.name[1:])
        return bool(self.name) and host == self.name


@dataclass(frozen=True, slots=True)
class HostRules:
    """Where databases may be. Without entries, nowhere."""

    entries: tuple[_Entry, ...] = ()

    @classmethod
    def parsed(cls, text: str) -> HostRules:
        """Of names, addresses, ranges and folders of sockets, separated by commas.

        Each may have a port. Raises ValueError naming the entry that is none.
        """
        return cls(tuple(_entry(part.strip()) for part in text.split(",") if part.strip()))

    def numeric(self, address: Address) -> dict[str, str]:
        """The driver's parameters host, hostaddr and port, with the addresses that passed.

        Empty where the driver is to find the server by itself. Raises AssayError:
        DATABASE_HOST_REFUSED, DATABASE_UNREACHABLE for a name that nobody knows.
        """
        if address.trusted:
            return {}
        given = dict(address.parameters)
        anywhere = any(entry.name == ANYWHERE for entry in self.entries)
        if not given.get("host"):
            if anywhere and address.own:
                return {}
            raise _refused("an address without a host")
        hosts = given["host"].split(",")
        ports = _ports(given.get("port", ""), len(hosts), address)
        found: list[tuple[str, str, str]] = []
        for host, port in zip(hosts, ports, strict=True):
            if host.startswith(("/", "@")):
                self._check_socket(host, own=address.own)
                found.append((host, "", port))
            else:
                passed = self.checked(host, port or address.port)
                found += [(host, numeric, port) for numeric in passed]
        columns = zip(("host", "hostaddr", "port"), zip(*found, strict=True), strict=True)
        return {name: ",".join(values) for name, values in columns if any(values)}

    def _check_socket(self, folder: str, *, own: bool) -> None:
        """Behind a socket the server takes this process's user for the caller."""
        if not any(e.folder == folder or (own and e.name == ANYWHERE) for e in self.entries):
            raise _refused("that socket")

    def checked(self, host: str, port: str) -> list[str]:
        """The addresses of a host that passed. Blocks while its name is looked up.

        Raises AssayError: DATABASE_HOST_REFUSED, DATABASE_UNREACHABLE.
        """
        entries = [entry for entry in self.entries if entry.port in ("", port)]
        shown = host.rstrip(".").lower()
        by_name = any(entry.names(shown) for entry in entries)
        networks = [entry.network for entry in entries if entry.network is not None]
        if not by_name and not networks:
            raise _refused(shown)  # before it is looked up: that would tell whether it exists
        try:
            resolved = _resolved(host)
        except (OSError, UnicodeError):
            if not by_name:
                raise _refused(shown) from None
            raise AssayError(
                DATABASE_UNREACHABLE,
                f"the database at {shown} has a host name that nobody knows.",
            ) from None
        passed = [text for text, one in resolved if _allowed(one, networks, by_name=by_name)]
        if not passed:
            raise _refused(shown)
        return passed


def _entry(text: str) -> _Entry:
    if text.startswith("/"):
        return _Entry(folder=text.rstrip("/"))
    for whole in (text, text.strip("[]")):  # an address of IPv6 has colons of its own
        if network := _network(whole):
            return _Entry(network=network)
    found = re.fullmatch(r"(\[[^\]]+\]|[^:]+)(?::(\d{1,5}))?", text)
    if found:
        host, port = found[1].strip("[]").lower(), found[2] or ""
        if network := _network(host):
            return _Entry(network=network, port=port)
        if host == ANYWHERE or (_NAME.fullmatch(host) and not re.fullmatch(r"[\d.]+", host)):
            return _Entry(name=host, port=port)
    raise ValueError(f"{text!r} is no host name, address, range (10.0.0.0/8) or folder of a socket")


def _network(text: str) -> Network | None:
    try:
        return ipaddress.ip_network(text)
    except ValueError:
        return None


def _ports(given: str, hosts: int, address: Address) -> Sequence[str]:
    ports = given.split(",") if given else ["" if address.own else address.port]
    if any(port and not port.isdecimal() for port in ports) or len(ports) not in (1, hosts):
        raise AssayError(SOURCE_NOT_FOUND, f"the address of a database has the port {given!r}.")
    return ports * hosts if len(ports) == 1 else ports


def _resolved(host: str) -> list[tuple[str, IP]]:
    """What a name stands for: each address as the driver takes it, and as what it really is."""
    answers = socket.getaddrinfo(host.strip("[]"), None, type=socket.SOCK_STREAM)
    texts = dict.fromkeys(str(answer[4][0]) for answer in answers)
    return [(text, unwrap_ipv4(ipaddress.ip_address(text.partition("%")[0]))) for text in texts]


def unwrap_ipv4(address: IP) -> IP:
    """The IPv4 address inside one of IPv6 that only carries it."""
    if isinstance(address, ipaddress.IPv6Address):
        if address in _TRANSLATED:
            return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        return address.ipv4_mapped or address.sixtofour or address
    return address


def _allowed(address: IP, networks: Iterable[Network], *, by_name: bool) -> bool:
    special = [network for network in _NEVER_BY_CHANCE if address in network]
    if not special:
        return by_name or any(address in network for network in networks)
    return any(
        address in network and network.prefixlen >= one.prefixlen
        for network in networks
        for one in special
        if network.version == one.version
    )


def _refused(what: str) -> AssayError:
    return AssayError(
        DATABASE_HOST_REFUSED,
        f"this server opens no database at {what}.",
        hint="Ask its operator to list the host in ASSAY_EXECUTOR_DATABASE_HOSTS, or to name the "
        "database in ASSAY_EXECUTOR_CONNECTIONS and ask with --db connection://NAME.",
    )
