"""Interceptors and their order, outermost first.

Server: Telemetry (the span must see the final status) > PublicFace (only on servers with a public
address: refuses before anything is read) > Context (names tenant and request for all below) >
Errors (innermost: turns exceptions into statuses that all others can see).
Client: PassOn (sets deadline and metadata) > Telemetry (its span then shows the real deadline).
"""

from __future__ import annotations

from collections.abc import Sequence

from grpc import aio


def server_interceptors(*, public: bool = False) -> Sequence[aio.ServerInterceptor]:
    """For every server of the mesh; `public` for one that strangers can reach too."""
    from mesh.interceptors.incoming import Context, Errors, Telemetry
    from mesh.interceptors.public import PublicFace

    return [Telemetry(), *([PublicFace()] if public else []), Context(), Errors()]


def client_interceptors(tenant: str | None = None) -> Sequence[aio.ClientInterceptor]:
    """For every channel of the mesh and of its Python clients."""
    from opentelemetry.instrumentation.grpc import aio_client_interceptors

    from mesh.interceptors.outgoing import pass_on

    return [*pass_on(tenant), *aio_client_interceptors()]
