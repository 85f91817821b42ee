"""Files on the web, fetched by GET: bounded, checked host by host, told when they changed."""

from __future__ import annotations

import base64
import hashlib
import os
import ssl
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import httpcore

from mesh.errors import SOURCE_NOT_READABLE, SOURCE_UNREACHABLE, AssayError
from services.executor.remote.address import Address
from services.executor.remote.answers import answered
from services.executor.remote.bounds import Bounds
from services.executor.remote.hosts import WebHosts

_REDIRECTS = 5
_MOVED = frozenset({301, 302, 303, 307, 308})
_TRY_AGAIN = frozenset({408, 429, 500, 502, 503, 504})
_UNCHANGED = 304
_PIECE_TIMEOUTS = {"connect": 10.0, "read": 30.0, "write": 10.0, "pool": 10.0}


@dataclass(frozen=True, slots=True)
class Version:
    """What a server says of a file, by which it can tell whether it is the same later."""

    etag: str = ""
    modified: str = ""


@dataclass(frozen=True, slots=True)
class Fetched:
    """A file that was fetched, with the digest of its content."""

    version: Version
    size: int
    digest: str


class _BrokenOff(Exception):
    """The answer ended before its end, or never came; worth another try."""


def fetch(
    address: Address, into: Path, known: Version, hosts: WebHosts, bounds: Bounds
) -> Fetched | None:
    """Fetch a file into `into`; None where it is the version that is `known`.

    Raises AssayError: SOURCE_HOST_REFUSED, SOURCE_UNREACHABLE, SOURCE_LOGIN_REFUSED,
    SOURCE_NOT_FOUND, SOURCE_NOT_READABLE, RESOURCE_EXHAUSTED above the bounds, CANCELLED.
    """
    text = ""
    for pause in (*bounds.pauses, None):
        try:
            return _followed(address, into, known, hosts, bounds)
        except _BrokenOff as broken:
            text = str(broken)
            if pause is not None:
                bounds.wait(pause)
    raise AssayError(SOURCE_UNREACHABLE, f"{address.shown} cannot be fetched: {text}.")


def _followed(
    address: Address, into: Path, known: Version, hosts: WebHosts, bounds: Bounds
) -> Fetched | None:
    """Follow redirects to the file. Login and conditions are for the first host alone."""
    port = f":{address.port}" if address.port else ""
    host = f"[{address.host}]" if ":" in address.host else address.host
    url = first = f"{address.scheme}://{host}{port}{address.path}"
    for _ in range(_REDIRECTS + 1):
        own = _origin(url) == _origin(first)
        headers = {**_conditions(known), **(_login(address) if own else {})}
        network = _Checked(hosts, address, scheme=urlsplit(url).scheme, trusted=own)
        with httpcore.ConnectionPool(
            ssl_context=trust(bounds.authority), network_backend=network, http2=False
        ) as pool:
            try:
                with pool.stream(
                    "GET", url, headers=_headers(headers), extensions=_extensions()
                ) as r:
                    if r.status not in _MOVED:
                        return _kept(r, into, address, bounds)
                    url = _next(url, _header(r.headers, "location"), address)
            except (httpcore.NetworkError, httpcore.TimeoutException, httpcore.ProtocolError) as e:
                raise _failure(e, address, urlsplit(url).hostname or "") from None
            except (httpcore.UnsupportedProtocol, UnicodeError, ValueError):
                raise _no_address(address) from None
    raise AssayError(
        SOURCE_NOT_READABLE, f"{address.shown} is redirected more than {_REDIRECTS} times."
    )


def _kept(response: Any, into: Path, address: Address, bounds: Bounds) -> Fetched | None:
    """Keep the body of an answer, whole or not at all."""
    if response.status == _UNCHANGED:
        return None
    if response.status in _TRY_AGAIN:
        raise _BrokenOff(f"its server answers with {response.status}")
    if response.status != 200:
        raise answered(response.status, address.shown)
    length = _header(response.headers, "content-length")
    announced = int(length) if length.isdecimal() else None
    bounds.check_bytes(address.shown, announced or 0)
    digest, size = hashlib.sha256(), 0
    with into.open("wb") as file:
        for piece in response.iter_stream():
            bounds.check(address.shown)
            size += len(piece)
            bounds.check_bytes(address.shown, size)
            digest.update(piece)
            file.write(piece)
        os.fsync(file.fileno())
    if announced is not None and size != announced:
        raise _BrokenOff(f"it broke off after {size:,} of {announced:,} bytes")
    version = Version(_header(response.headers, "etag"), _header(response.headers, "last-modified"))
    return Fetched(version, size, digest.hexdigest())


class _Checked(httpcore.NetworkBackend):
    """Connects to the addresses of a host that passed, and to no others."""

    def __init__(self, hosts: WebHosts, address: Address, *, scheme: str, trusted: bool) -> None:
        self._hosts = hosts
        self._address = address
        self._scheme = scheme
        self._trusted = trusted and address.trusted
        self._sockets = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Raises AssayError: SOURCE_HOST_REFUSED, SOURCE_UNREACHABLE."""
        found = self._hosts.checked(host, port, own=self._address.own, trusted=self._trusted)
        self._hosts.check_scheme(self._scheme, host, found, trusted=self._trusted)
        failure: Exception = httpcore.ConnectError("no address")
        for numeric in found:
            try:
                return self._sockets.connect_tcp(
                    numeric, port, timeout, local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure


@cache
def trust(authority: str) -> ssl.SSLContext:
    """What certificates are believed: those of the machine, those that Python brings along, and
    those of the file `authority`."""
    import certifi

    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    if authority:
        context.load_verify_locations(authority)
    return context


def _next(url: str, location: str, address: Address) -> str:
    following = urljoin(url, location)
    parts = urlsplit(following)
    if not location or parts.scheme not in ("http", "https") or not parts.hostname:
        raise _no_address(address)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], fragment="").geturl()


def _no_address(address: Address) -> AssayError:
    return AssayError(
        SOURCE_NOT_READABLE, f"{address.shown} is, or is redirected to, what is no address."
    )


def _failure(error: Exception, address: Address, host: str) -> Exception:
    """What went wrong on the way, for people; a certificate does not get better by trying again."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return AssayError(
                SOURCE_UNREACHABLE,
                f"{host} shows a certificate that is not believed: {cause.verify_message}.",
                hint="Name its authority in ASSAY_EXECUTOR_WEB_AUTHORITY, if it is one of yours.",
            )
        cause = cause.__cause__ or cause.__context__
    late = isinstance(error, httpcore.TimeoutException)
    return _BrokenOff("its server does not answer in time" if late else "the connection failed")


def _login(address: Address) -> dict[str, str]:
    if not address.password:
        return {}
    if not address.user:
        return {"Authorization": f"Bearer {address.password}"}
    both = base64.b64encode(f"{address.user}:{address.password}".encode()).decode()
    return {"Authorization": f"Basic {both}"}


def _conditions(known: Version) -> dict[str, str]:
    if known.etag:
        return {"If-None-Match": known.etag}
    return {"If-Modified-Since": known.modified} if known.modified else {}


def _headers(more: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    # A file is kept as it is, compressed or not: what reads it knows both.
    given = {"User-Agent": "assay", "Accept": "*/*", "Accept-Encoding": "identity", **more}
    return [(name.encode(), value.encode()) for name, value in given.items()]


def _header(headers: Iterable[tuple[bytes, bytes]], name: str) -> str:
    return next((v.decode("latin-1") for k, v in headers if k.lower() == name.encode()), "")


def _extensions() -> dict[str, Any]:
    return {"timeout": _PIECE_TIMEOUTS}


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port
