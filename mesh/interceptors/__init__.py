"""Interceptors and their order, outermost first.

Server: Telemetry (the span must see the final status) > PublicFace (only on servers with a public
address: refuses before anything is read) > Draining (refuses new calls once the server stops) >
Context (names tenant and request for all below) > Errors (innermost: turns exceptions into statuses
that all others can see).
Client: PassOn (sets deadline and metadata) > Telemetry (its span then shows the real deadline) >
Ending (innermost: holds the call that telemetry waits for, and ends it when nobody waits any more).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from grpc import aio

if TYPE_CHECKING:
    from mesh.interceptors.draining import Gate


def server_interceptors(
    gate: Gate | None = None, *, public: bool = False, slow_reader_seconds: float = 60.0
) -> Sequence[aio.ServerInterceptor]:
    """For every server of the mesh; `public` for one that strangers can reach too.

    Whoever reads nothing of a stream for `slow_reader_seconds` is cut off.
    """
    from mesh.interceptors.incoming import Context, Errors, Telemetry
    from mesh.interceptors.public import PublicFace

    return [
        Telemetry(),
        *([PublicFace()] if public else []),
        *([gate] if gate else []),
        Context(),
        Errors(slow_reader_seconds),
    ]


def client_interceptors(tenant: str | None = None) -> Sequence[aio.ClientInterceptor]:
    """For every channel of the mesh and of its Python clients."""
    from opentelemetry.instrumentation.grpc import aio_client_interceptors

    from mesh.interceptors.ending import ending
    from mesh.interceptors.outgoing import pass_on

    return [*pass_on(tenant), *aio_client_interceptors(), *ending()]
