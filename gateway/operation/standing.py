"""Whether each service of the mesh answers, as an operator is told."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Protocol

from assay.gateway.v1 import operator_service_pb2 as pb
from mesh.config import SERVICES
from mesh.errors import AssayError
from mesh.transport.standing import Standing

ANSWERED_SECONDS = 2.0
"""How long a process has to answer: whoever looks wants to know now."""


class Peers(Protocol):
    """The other services, as `mesh.transport.dial.Dial` reaches them."""

    @property
    def here(self) -> Standing:
        """How this process is."""
        ...

    async def standing(self, service: str, seconds: float) -> list[Standing]:
        """How the processes of a peer are; empty where it is at rest. Raises AssayError."""
        ...

    def address(self, service: str) -> str:
        """Where a peer is dialled."""
        ...


async def standing_of_all(peers: Peers, *, of_platform: bool) -> list[pb.ServiceStanding]:
    """How each service is; `of_platform` tells of machines and addresses, too."""

    async def of(service: str) -> pb.ServiceStanding:
        if service == "gateway":
            return _answered(service, "", [peers.here], of_platform)
        try:
            found = await peers.standing(service, ANSWERED_SECONDS)
        except AssayError as error:
            return pb.ServiceStanding(
                name=service, state=pb.SERVICE_STATE_AWAY, reason=error.reason.code
            )
        return _answered(service, peers.address(service), found, of_platform)

    return list(await asyncio.gather(*map(of, SERVICES)))


def _answered(
    service: str, address: str, found: Sequence[Standing], of_platform: bool
) -> pb.ServiceStanding:
    state = pb.SERVICE_STATE_SERVING if found else pb.SERVICE_STATE_AT_REST
    replicas = [_replica(one, service, address, of_platform) for one in found]
    return pb.ServiceStanding(name=service, state=state, replicas=replicas)


def _replica(one: Standing, service: str, address: str, of_platform: bool) -> pb.Replica:
    # Whoever is asked has the question itself under way.
    calls = max(0, one.calls.get(service, 0) - (service == "gateway"))
    message = pb.Replica(instance=one.instance, version=one.version, calls=calls)
    message.started_at.FromMilliseconds(round(one.started_at * 1000))
    if of_platform:
        message.address, message.host = address, one.host
        message.process_id, message.memory_bytes = one.process_id, one.memory_bytes
        message.processor_time.FromMilliseconds(round(one.processor_seconds * 1000))
    return message
