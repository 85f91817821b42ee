"""Interceptors and their order, outermost first.

Server: Telemetry (the span must see the final status) > PublicFace (only on servers with a public
address: refuses before anything is read) > Draining (refuses new calls once the server stops) >
Context (turns credentials into who calls, for all below, and refuses who may not) > Errors (turns
exceptions, also those of reading the request, into statuses that all others can see) > Waking
(innermost: has the called service made, where that waits for its first call).
Client: PassOn (sets deadline and metadata) > Calling (innermost: tells of the call itself, and ends
it when nobody waits for it any more).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from grpc import aio

if TYPE_CHECKING:
    from mesh.processes.beside import Beside
    from mesh.transport.interceptors.credentials import Credentials
    from mesh.transport.interceptors.draining import Gate
    from mesh.transport.interceptors.waking import Waking
    from mesh.transport.seal import Seal


def server_interceptors(
    gate: Gate | None = None,
    waking: Waking | None = None,
    *,
    credentials: Credentials | None = None,
    seal: Seal | None = None,
    public: bool = False,
    slow_reader_seconds: float = 60.0,
) -> Sequence[aio.ServerInterceptor]:
    """For every server of the mesh; `public` for one that strangers can reach too.

    `credentials` tell who calls; by default they know the mesh's `seal` alone. Whoever reads
    nothing of a stream for `slow_reader_seconds` is cut off.
    """
    from mesh.transport.interceptors.credentials import Credentials
    from mesh.transport.interceptors.incoming import Context, Errors, Telemetry
    from mesh.transport.interceptors.public import PublicFace

    return [
        Telemetry(),
        *([PublicFace()] if public else []),
        *([gate] if gate else []),
        Context(credentials or Credentials(seal)),
        Errors(slow_reader_seconds),
        *([waking] if waking else []),
    ]


def client_interceptors(
    tenant: str | None = None,
    seal: Seal | None = None,
    token: str | None = None,
    beside: Beside | None = None,
) -> Sequence[aio.ClientInterceptor]:
    """For every channel of the mesh, which has its `seal`, and of its Python clients, who may
    have a `token`. A peer that is a process `beside` is woken by calls."""
    from mesh.transport.interceptors.calling import calling
    from mesh.transport.interceptors.outgoing import pass_on

    return [*pass_on(tenant, seal, token), *calling(beside)]
