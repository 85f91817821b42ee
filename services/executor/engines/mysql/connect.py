"""Connections with a MySQL or MariaDB server: where it is, how encrypted, by which password."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from mesh.errors import ENGINE_UNAVAILABLE, AssayError
from services.executor.databases.address import Address
from services.executor.engines.mysql.address import password
from services.executor.engines.mysql.encryption import driver_options, must_be_encrypted
from services.executor.engines.mysql.errors import DRIVER_ERRORS, as_assay_error

Connection = Any
"""One of pymysql, which has no types of its own."""


def connected(address: Address, places: Mapping[str, str]) -> Connection:
    """A connection to the first of the places that takes one.

    Raises AssayError: ENGINE_UNAVAILABLE without the driver, or as `as_assay_error`.
    """
    pymysql = _driver()
    given = {**dict(address.parameters), **places}
    mode = given["sslmode"]
    options: dict[str, Any] = {
        "host": dict(address.parameters).get("host") or "localhost",
        "user": given.get("user") or None if address.own else given.get("user", ""),
        "password": password(address).encode(),
        "database": address.database or None,
        "connect_timeout": int(given["connect_timeout"]),
        "charset": "utf8mb4",
        "conv": {},
        "autocommit": True,
        "local_infile": False,
        "program_name": "assay",
        "defer_connect": True,
    }
    try:
        if given.get("unix_socket"):
            options["ssl_disabled"] = True
        else:
            options |= driver_options(given)
            options["auth_plugin_map"] = _list_plaintext_logins()
        connection: Connection = pymysql.connect(**options)
        # Not required by itself where encryption is only preferred.
        connection._ssl_required = must_be_encrypted(given)
        if not connection._ssl_required and not options.get("ssl_disabled"):
            from pymysql.constants import CLIENT

            connection.client_flag &= ~CLIENT.SSL
        try:
            connection.connect(_socket(given))
        except DRIVER_ERRORS:
            if mode != "allow":
                raise
            return connected(_with_mode(address, "require"), places)
    except DRIVER_ERRORS as error:
        raise as_assay_error(error, address) from None
    return connection


def _with_mode(address: Address, mode: str) -> Address:
    parameters = tuple(sorted({**dict(address.parameters), "sslmode": mode}.items()))
    return replace(address, parameters=parameters)


def _socket(given: Mapping[str, str]) -> socket.socket:
    """Connected with the server: by the first address that passed and answers. Raises OSError."""
    seconds = float(given["connect_timeout"])
    if place := given.get("unix_socket", ""):
        local = socket.socket(socket.AF_UNIX)
        local.settimeout(seconds)
        local.connect(place)
        return local
    hosts = (given.get("hostaddr") or given.get("host") or "localhost").split(",")
    ports = (given.get("port") or "").split(",")
    failure: OSError = OSError("no address")
    for number, host in enumerate(hosts):
        port = int((ports[number] if len(ports) == len(hosts) else ports[0]) or 3306)
        try:
            remote = _reached(host, port, seconds)
        except OSError as error:
            failure = error
        else:
            remote.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            remote.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            return remote
    raise failure


def _reached(host: str, port: int, seconds: float) -> socket.socket:
    """A numeric address is not looked up again: another look could give another."""
    try:
        version = ipaddress.ip_address(host).version
    except ValueError:
        return socket.create_connection((host, port), seconds)
    remote = socket.socket(socket.AF_INET if version == 4 else socket.AF_INET6)
    remote.settimeout(seconds)
    try:
        remote.connect((host, port))
    except OSError:
        remote.close()
        raise
    return remote


def _list_plaintext_logins() -> dict[bytes, type]:
    """Ways to log in that give the password away: not by a connection that is not encrypted."""
    from pymysql.err import OperationalError

    class Refused:
        def __init__(self, connection: Any) -> None:
            self._connection = connection

        def authenticate(self, packet: Any) -> Any:
            del packet
            if not self._connection._secure:
                raise OperationalError(2061, "the server asks for the password in the open")
            self._connection.write_packet(self._connection.password + b"\0")
            answer = self._connection._read_packet()
            answer.check_error()
            return answer

    return {b"mysql_clear_password": Refused, b"mysql_old_password": Refused}


def dropped(connection: Connection) -> None:
    """Close a connection on which rows may still be on their way: nobody waits for them."""
    if connection._result is not None:
        connection._result.unbuffered_active = False
        connection._result = None
    connection._force_close()


def cut(connection: Connection) -> None:
    """End a connection under whoever waits for it."""
    with suppress(OSError, AttributeError):
        connection._sock.shutdown(socket.SHUT_RDWR)


def _driver() -> Any:
    # Imported when the first database of this kind is opened.
    try:
        import pymysql
    except ImportError:
        raise AssayError(
            ENGINE_UNAVAILABLE,
            "the driver for MySQL and MariaDB is not installed.",
            hint='Install it with: pip install "assay[mysql]"',
        ) from None
    return pymysql
