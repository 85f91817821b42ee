"""Reach a peer: one channel each, with deadline, identity, trace and retry on every call."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from ipaddress import ip_address
from types import TracebackType
from typing import TYPE_CHECKING

import grpc
from grpc import aio

from mesh.errors import INVALID_ARGUMENT, AssayError
from mesh.transport import tls
from mesh.transport.freeing import free_batches
from mesh.transport.interceptors import client_interceptors
from mesh.transport.rotating import RotatingChannel
from mesh.transport.standing import Standing, ThisProcess, standings

if TYPE_CHECKING:
    from mesh.config import MeshSettings
    from mesh.processes.beside import Beside
    from mesh.transport.seal import Seal

MAX_MESSAGE_BYTES = 4 * 1024 * 1024

# Retried by gRPC itself, and only when the server never answered (A6, gRFC): safe because every
# call that changes something carries an idempotency id. CANCELLED is what a server that stops says
# of calls that just come in; what we cancel ourselves is not retried, nor what a service answers.
#
# Of several replicas behind one name each call goes to the next (A24, gRFC): by itself gRPC sends
# all to the first that answers.
_SERVICE = json.dumps(
    {
        "loadBalancingConfig": [{"round_robin": {}}],
        "methodConfig": [
            {
                "name": [{}],
                "retryPolicy": {
                    "maxAttempts": 4,
                    "initialBackoff": "0.05s",
                    "maxBackoff": "1s",
                    "backoffMultiplier": 3,
                    "retryableStatusCodes": ["UNAVAILABLE", "CANCELLED"],
                },
            }
        ],
    }
)

CHANNEL_OPTIONS: list[tuple[str, str | int]] = [
    ("grpc.service_config", _SERVICE),
    ("grpc.enable_retries", 1),
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
    ("grpc.keepalive_time_ms", 30_000),
    # A peer that comes back is found within half a second, however long it was away; gRPC's own
    # pauses begin at a second and grow to two minutes.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 500),
]

# What a peer may send before it is read. gRPC would let it grow with what the way could carry, to
# tens of megabytes for each stream, which a relay whose own reader has stopped then holds.
_WINDOW_BYTES = 1 << 20
_BETWEEN_SERVICES: list[tuple[str, str | int]] = [
    ("grpc.http2.bdp_probe", 0),
    ("grpc.http2.lookahead_bytes", _WINDOW_BYTES),
]


def open_channel(
    target: str,
    tenant: str | None = None,
    *,
    seal: Seal | None = None,
    token: str | None = None,
    credentials: grpc.ChannelCredentials | None = None,
    named: str = "",
    beside: Beside | None = None,
) -> aio.Channel:
    """A channel to `target` with the mesh's interceptors; the caller closes it.

    Services of the mesh have its `seal`; others are heard by the gateway alone, by their `token`.
    A target that is a process `beside` is woken by calls. With `credentials`, the server's
    certificate must be for the target's host, or for `named`.
    Raises AssayError(INVALID_ARGUMENT) for several addresses with neither.
    """
    if credentials is not None and not named and listed(target) and "," in target:
        raise AssayError(
            INVALID_ARGUMENT,
            f"https://{target} has no host that a certificate could be for",
            hint="Give its addresses one name in DNS, and write https://dns:///name:port.",
        )
    free_batches()
    interceptors = client_interceptors(tenant, seal, token, beside)
    options = [*CHANNEL_OPTIONS, *(_BETWEEN_SERVICES if seal else [])]
    if credentials is None:
        return aio.insecure_channel(target, options=options, interceptors=interceptors)
    if named:
        options.append(("grpc.ssl_target_name_override", named))
    return aio.secure_channel(target, credentials, options=options, interceptors=interceptors)


def listed(target: str) -> bool:
    """Whether a target is a list of addresses, which has no host that a certificate could be for:
    `ipv4:10.0.0.1:7401,10.0.0.2:7401`, or the same with ipv6."""
    return target.startswith(("ipv4:", "ipv6:"))


def numbered(target: str) -> bool:
    """Whether a target's host is an IP address: certificates of the mesh are for names alone."""
    host = target.removeprefix("dns:///").rpartition(":")[0].strip("[]")
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


class Dial:
    """Channels to the peers of one process, opened when first asked for.

    Those that are processes `beside` it, by their names, have addresses that no other peer has.
    """

    def __init__(
        self,
        settings: MeshSettings,
        seal: Seal | None = None,
        beside: Mapping[str, Beside] | None = None,
        process: ThisProcess | None = None,
    ) -> None:
        self._process = process
        self._settings = settings
        self._beside = beside or {}
        self._seal = seal
        self._channels: dict[str, aio.Channel] = {}

    @property
    def seal(self) -> Seal | None:
        """The mesh's seal, for calls that go by no channel of gRPC's."""
        return self._seal

    async def standing(self, service: str, seconds: float) -> list[Standing]:
        """How the processes of a peer are.

        Empty where it is at rest, since nobody calls it. Raises AssayError where it does not answer
        within `seconds`.
        """
        beside = self._beside.get(service)
        if beside is not None and beside.at_rest:
            return []
        return await standings(self.to(service), service, seconds)

    @property
    def here(self) -> Standing:
        """How this process is."""
        return (self._process or ThisProcess(list)).standing()

    def address(self, service: str) -> str:
        """Where a peer is dialled."""
        return self._settings.address(service)

    def to(self, service: str) -> aio.Channel:
        """The channel to a peer; peers at one address share it."""
        target = self._settings.address(service)
        if target not in self._channels:
            certificates = tls.between_services(self._settings, target)
            # Whoever is behind an address without a name proves by his own to be the service.
            named = service if listed(target) or numbered(target) else ""
            beside = self._beside.get(service)
            opened = partial(open_channel, target, seal=self._seal, named=named, beside=beside)
            self._channels[target] = (
                opened()
                if certificates is None
                else RotatingChannel(
                    certificates, lambda credentials: opened(credentials=credentials)
                )
            )
        return self._channels[target]

    async def __aenter__(self) -> Dial:
        """Nothing to open yet."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close every channel; calls still running on them are cancelled."""
        for channel in self._channels.values():
            await channel.close()
