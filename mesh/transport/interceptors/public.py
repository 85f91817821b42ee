"""Server interceptor: what strangers may call on a server that has a public address."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
from grpc import aio

from mesh.transport.callers import is_socket
from mesh.transport.interceptors.around import Around

STRANGER = ("x-assay-stranger", "1")
"""Metadata of a call that the gateway's web face forwards for somebody who is not this machine's
user. It takes rights away, and so may be sent by anybody."""

_FOR_EVERYBODY = ("/assay.gateway.", "/grpc.health.", "/grpc.reflection.")


def is_local(context: aio.ServicerContext[Any, Any]) -> bool:
    """Whether the caller came over a unix socket, which only this user can reach, for himself."""
    return is_socket(context.peer()) and STRANGER not in (context.invocation_metadata() or ())


class PublicFace(Around):
    """Callers over the network reach the gateway alone, as where each service has a server.

    Must come before Errors, whose business a refused call is not. The services of an embedded
    mesh reach one another over the unix socket.
    """

    @asynccontextmanager
    async def around(
        self, method: str, context: aio.ServicerContext[Any, Any]
    ) -> AsyncIterator[None]:
        """Let the call through, or refuse it as if the method were not there."""
        if not method.startswith(_FOR_EVERYBODY) and not is_local(context):
            await context.abort(grpc.StatusCode.UNIMPLEMENTED, "Method not found!")
        yield
