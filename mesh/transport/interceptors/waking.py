"""Server interceptor: has a service made before the first call of its methods."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, Any, Protocol

import grpc
from grpc import aio

if TYPE_CHECKING:
    Handler = grpc.RpcMethodHandler[Any, Any]


class Sleeping(Protocol):
    """A service that may not have been made yet (`mesh.transport.on_demand`)."""

    @property
    def contracts(self) -> tuple[str, ...]:
        """Full names of the gRPC services it serves."""
        ...

    async def method(self, name: str) -> Handler | None:
        """What answers a method, once the service is made. Raises what its start raised."""
        ...


class Waking(aio.ServerInterceptor):
    """Answers for services that the server does not know, since it started before they did.

    Must be innermost: whatever surrounds a method has to surround these too, and a start that
    fails has to be told like a call that does.
    """

    def __init__(self) -> None:
        self._sleeping: dict[str, Sleeping] = {}

    def watch(self, services: Iterable[Sleeping]) -> None:
        """Have these made when they are called."""
        self._sleeping = {name: service for service in services for name in service.contracts}

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Handler | None]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Handler | None:
        """The method of a service that was made by now, or of one that the server knows."""
        method = handler_call_details.method
        service = self._sleeping.get(method.split("/")[1])
        if service is None:
            return await continuation(handler_call_details)
        try:
            return await service.method(method)
        except Exception as error:
            return _failing(error)


def _failing(error: Exception) -> Handler:
    """A handler that raises, where interceptors and callers see it."""

    async def fail(_request: Any, _context: aio.ServicerContext[Any, Any]) -> Any:
        raise error

    return grpc.unary_unary_rpc_method_handler(fail)
