"""Client interceptors: pass the caller, the request and the time that is left on to the peer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from grpc import aio

from mesh import context as calls

if TYPE_CHECKING:
    from mesh.transport.seal import Seal

DEFAULT_SECONDS = 240.0


class _PassOn:
    """Deadlines do not propagate by themselves in Python; this makes them.

    Every call gets a deadline: its own timeout if given, else what is left of the current call's,
    else four minutes. `tenant` stands in where no call is running (a client's own process). With
    the mesh's `seal` the caller is told under it; without, the gateway believes the `token`, or may
    take our word.
    """

    def __init__(
        self, tenant: str | None = None, seal: Seal | None = None, token: str | None = None
    ) -> None:
        self._tenant = tenant
        self._seal = seal
        self._bearer = f"Bearer {token}" if token else None

    def _details(self, details: aio.ClientCallDetails) -> aio.ClientCallDetails:
        call = calls.current()
        metadata = aio.Metadata(*(details.metadata or ()))
        wanted = DEFAULT_SECONDS if details.timeout is None else details.timeout
        seconds = call.seconds_left(wanted)
        if self._seal is None:
            if self._bearer is not None:
                metadata.add(calls.AUTHORIZATION_KEY, self._bearer)
            metadata.add(calls.TENANT_KEY, self._tenant or call.tenant)
        else:
            method = (
                details.method.decode() if isinstance(details.method, bytes) else details.method
            )
            who = call.principal._replace(tenant=self._tenant) if self._tenant else call.principal
            metadata.add(calls.PRINCIPAL_KEY, self._seal.sealed(who, method, seconds))
        if call.request_id and metadata.get(calls.REQUEST_KEY) is None:
            metadata.add(calls.REQUEST_KEY, call.request_id)
        if call.job_id:
            metadata.add(calls.JOB_KEY, call.job_id)
        return aio.ClientCallDetails(
            details.method,
            seconds,
            metadata,
            details.credentials,
            details.wait_for_ready,
        )


class PassOnUnaryUnary(_PassOn, aio.UnaryUnaryClientInterceptor):
    """For calls with one request and one answer."""

    async def intercept_unary_unary(
        self, continuation: Callable[..., Any], client_call_details: Any, request: Any
    ) -> Any:
        """Pass on."""
        return await continuation(self._details(client_call_details), request)


class PassOnUnaryStream(_PassOn, aio.UnaryStreamClientInterceptor):
    """For calls with one request and a stream of answers."""

    async def intercept_unary_stream(
        self, continuation: Callable[..., Any], client_call_details: Any, request: Any
    ) -> Any:
        """Pass on."""
        return await continuation(self._details(client_call_details), request)


class PassOnStreamUnary(_PassOn, aio.StreamUnaryClientInterceptor):
    """For calls with a stream of requests and one answer."""

    async def intercept_stream_unary(
        self, continuation: Callable[..., Any], client_call_details: Any, request_iterator: Any
    ) -> Any:
        """Pass on."""
        return await continuation(self._details(client_call_details), request_iterator)


class PassOnStreamStream(_PassOn, aio.StreamStreamClientInterceptor):
    """For calls with streams both ways."""

    async def intercept_stream_stream(
        self, continuation: Callable[..., Any], client_call_details: Any, request_iterator: Any
    ) -> Any:
        """Pass on."""
        return await continuation(self._details(client_call_details), request_iterator)


def pass_on(
    tenant: str | None = None, seal: Seal | None = None, token: str | None = None
) -> list[aio.ClientInterceptor]:
    """One interceptor for each kind of call.

    A channel uses an interceptor for one kind only, even if its class serves several: that of the
    first base class it knows (grpc.aio, Channel.__init__).
    """
    kinds = (PassOnUnaryUnary, PassOnUnaryStream, PassOnStreamUnary, PassOnStreamStream)
    return [kind(tenant, seal, token) for kind in kinds]
