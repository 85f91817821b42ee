"""Who calls, sealed: how the services of a mesh believe one another and nobody else.

A sealed principal is good for one method and a short time. Whoever knows the mesh's key can make
one (HMAC-SHA256, RFC 2104); the key is a file of the home folder, or ASSAY_MESH_KEY where services
share no folder.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from ipaddress import ip_address

from mesh.config import SERVICES, MeshSettings
from mesh.context import Established, Principal
from mesh.errors import CLOCKS_DIFFER, INVALID_ARGUMENT, PEER_REFUSED, AssayError
from mesh.keys import shared_key
from mesh.roles import Role

LONGEST_SECONDS = 300.0
FLIGHT_METHOD = "/arrow.flight.protocol.FlightService/DoGet"
"""What a seal for a transfer by Arrow Flight is good for."""

LEEWAY_SECONDS = 30.0
"""How much longer than its call a seal is good: clocks of two machines differ."""


class Seal:
    """Seals principals with the first of `keys`; believes what any of them sealed."""

    def __init__(self, keys: Sequence[str], now: Callable[[], float] = time.time) -> None:
        self._keys = [key.encode() for key in keys]
        self._now = now

    def sealed(self, principal: Principal, method: str, seconds: float) -> str:
        """A principal for a call of `method` that begins within `seconds`."""
        now = self._now()
        until = now + min(seconds, LONGEST_SECONDS) + LEEWAY_SECONDS
        # The method and the end stand last: there services of earlier versions look for them.
        text = _encoded(json.dumps([*principal, now, method, until]).encode())
        return f"{text}.{_encoded(_code(self._keys[0], text))}"

    def opened(self, sealed: str, method: str) -> Principal:
        """Who calls `method`. Raises AssayError: PEER_REFUSED, which gives nothing away, and
        CLOCKS_DIFFER, with the difference, where a service of this mesh sealed it too long ago."""
        text, _, code = sealed.partition(".")
        given = _decoded(code)
        if not any(hmac.compare_digest(_code(key, text), given) for key in self._keys):
            raise AssayError(PEER_REFUSED, "the caller's seal is not of this mesh")
        # Services of a version before there were roles say none, and earlier ones no time.
        tenant, user, how, *more, wanted, until = json.loads(_decoded(text))
        if wanted != method:
            raise AssayError(PEER_REFUSED, "the caller's seal is for another method")
        if (now := self._now()) >= until:
            raise _of_another_time(now, made=more[1] if len(more) > 1 else until)
        return Principal(tenant, user, Established(how), Role(more[0]) if more else Role.NONE)


def _of_another_time(now: float, made: float) -> AssayError:
    """Nothing within a mesh is under way for so long: one of two machines has the wrong time."""
    behind = now - made
    size = f"{behind / 3600:.1f} h" if behind >= 3600 else f"{behind / 60:.0f} min"
    here, there = (datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M") for at in (now, made))
    return AssayError(
        CLOCKS_DIFFER,
        f"the clocks of two machines of the mesh differ by about {size}: by the clock of the "
        f"service that was called it is {here} UTC, and the call was made at {there}",
        metadata={"seconds": f"{behind:.0f}"},
    )


def sealed_caller(seal: Seal | None, method: str, given: Sequence[str]) -> Principal:
    """Who calls a service behind the gateway, which heard these seals.

    Raises AssayError: PEER_REFUSED, CLOCKS_DIFFER.
    """
    if seal is None or len(given) != 1:
        raise AssayError(PEER_REFUSED, "only services of this mesh may call here")
    return seal.opened(given[0], method)


def seal_of(settings: MeshSettings) -> Seal:
    """The seal of the mesh that the settings describe. Blocks: reads a file. Raises OSError."""
    given = settings.mesh_key.get_secret_value()
    return Seal(
        [key.strip() for key in given.split(",")]
        if given
        else [shared_key(settings.folder() / "mesh.key")]
    )


def require_key(settings: MeshSettings, listen: str) -> None:
    """Refuse to rely on a file of this machine where services are on several.

    `listen` is where this process serves its peers; empty where it serves none. Raises
    AssayError(INVALID_ARGUMENT).
    """
    if settings.mesh_key.get_secret_value():
        return
    peers = [settings.address(name) for name in SERVICES if name != "gateway"]
    for address in (listen, *peers):
        if address and not is_this_machine(address):
            raise AssayError(
                INVALID_ARGUMENT,
                f"settings are not valid: ASSAY_MESH_KEY: must be set, the same for all services, "
                f"where one is reached at {address}",
                hint="Make one with: openssl rand -base64 32",
                fields={"ASSAY_MESH_KEY": "must be set"},
            )


def is_this_machine(address: str) -> bool:
    """Whether only this machine is reached at an address."""
    if address.startswith("unix:"):
        return True
    host = address.rpartition("/")[2].removeprefix("ipv4:").removeprefix("ipv6:")
    host = host.removeprefix("dns:").rpartition(":")[0].strip("[]")
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _code(key: bytes, text: str) -> bytes:
    return hmac.digest(key, text.encode(), hashlib.sha256)


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode()


def _decoded(text: str) -> bytes:
    try:
        return base64.urlsafe_b64decode(text)
    except (binascii.Error, ValueError):
        return b""
