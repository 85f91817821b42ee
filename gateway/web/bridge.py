"""The public contract over HTTP: Connect and gRPC-Web, each call forwarded to the gateway's gRPC.

There is no second API: every method of the contract is one endpoint, and passes the same
interceptors, limits and refusals as a call over gRPC (https://connectrpc.com/docs/protocol). A call
that lasts ends with the sign-in of the browser that made it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from functools import partial
from typing import Any

from connectrpc.code import Code
from connectrpc.compat import google_protobuf_codecs
from connectrpc.errors import ConnectError, ErrorDetail
from connectrpc.method import IdempotencyLevel, MethodInfo, StreamType
from connectrpc.request import RequestContext
from connectrpc.server import ConnectASGIApplication, Endpoint
from google.protobuf import descriptor_pool, message_factory
from google.protobuf.descriptor import MethodDescriptor
from google.rpc import status_pb2
from grpc import aio
from protobuf.wkt import Any as Packed

from gateway.web.staying import ending_with_sign_in
from mesh.errors import AssayError
from mesh.transport.dial import MAX_MESSAGE_BYTES
from mesh.transport.status import from_rpc_error, to_status

Metadata = list[tuple[str, str]]
Identify = Callable[[RequestContext[Any, Any]], Awaitable[Metadata]]
"""The metadata that says who calls; raises AssayError where nobody does."""

_CODES = {number: code for number, code in enumerate(Code, start=1)}


class Bridge(ConnectASGIApplication[None]):
    """An ASGI application that answers `/package.Service/Method` for all methods of `contracts`."""

    def __init__(self, contracts: Iterable[str], channel: aio.Channel, identify: Identify) -> None:
        self._channel = channel
        self._identify = identify
        endpoints: dict[str, Any] = dict(self._endpoints_of(contracts))
        super().__init__(
            service=None,
            endpoints=lambda _: endpoints,
            read_max_bytes=MAX_MESSAGE_BYTES,
            codecs=google_protobuf_codecs(),
        )

    @property
    def path(self) -> str:
        """Where it is mounted."""
        return "/"

    def _endpoints_of(self, contracts: Iterable[str]) -> Iterator[tuple[str, Endpoint[Any, Any]]]:
        pool = descriptor_pool.Default()
        for name in contracts:
            for method in pool.FindServiceByName(name).methods:
                yield f"/{name}/{method.name}", self._endpoint(method)

    def _endpoint(self, method: MethodDescriptor) -> Endpoint[Any, Any]:
        service, request, response = (
            method.containing_service.full_name,
            message_factory.GetMessageClass(method.input_type),
            message_factory.GetMessageClass(method.output_type),
        )
        many_in, many_out = method.client_streaming, method.server_streaming
        kind = {
            (False, False): ("unary_unary", StreamType.UNARY, Endpoint.unary, self._one),
            (False, True): (
                *("unary_stream", StreamType.SERVER_STREAM),
                *(Endpoint.server_stream, self._many),
            ),
            (True, False): (
                *("stream_unary", StreamType.CLIENT_STREAM),
                *(Endpoint.client_stream, self._one),
            ),
            (True, True): (
                *("stream_stream", StreamType.BIDI_STREAM),
                *(Endpoint.bidi_stream, self._many),
            ),
        }[many_in, many_out]
        call = getattr(self._channel, kind[0])(
            f"/{service}/{method.name}",
            request_serializer=request.SerializeToString,
            response_deserializer=response.FromString,
        )
        about = MethodInfo(
            name=method.name,
            service_name=service,
            input=request,
            output=response,
            idempotency_level=IdempotencyLevel.UNKNOWN,
            stream_type=kind[1],
        )
        return kind[2](about, kind[3](call))  # type: ignore[operator,no-any-return]

    def _one(self, call: Callable[..., Any]) -> Callable[..., Awaitable[Any]]:
        async def forward(request: Any, context: RequestContext[Any, Any]) -> Any:
            try:
                answering = call(request, **await self._terms(context))
                async with ending_with_sign_in(answering, partial(self._identify, context)):
                    return await answering
            except (aio.AioRpcError, AssayError) as error:
                raise _told(error) from None

        return forward

    def _many(self, call: Callable[..., Any]) -> Callable[..., AsyncIterator[Any]]:
        async def forward(request: Any, context: RequestContext[Any, Any]) -> AsyncIterator[Any]:
            answering = None
            try:
                answering = call(request, **await self._terms(context))
                async with ending_with_sign_in(answering, partial(self._identify, context)):
                    async for response in answering:
                        yield response
            except (aio.AioRpcError, AssayError) as error:
                raise _told(error) from None
            finally:
                if answering is not None:  # whoever has gone away wants nothing more
                    answering.cancel()

        return forward

    async def _terms(self, context: RequestContext[Any, Any]) -> dict[str, Any]:
        terms: dict[str, Any] = {"metadata": await self._identify(context)}
        if (milliseconds := context.timeout_ms) is not None:
            terms["timeout"] = max(milliseconds / 1000, 0.001)
        return terms


def _told(error: aio.AioRpcError | AssayError) -> ConnectError:
    """The same refusal in Connect's form, with the details that gRPC carries."""
    if isinstance(error, AssayError):
        status = to_status(error)
    else:
        details = dict(error.trailing_metadata() or ()).get("grpc-status-details-bin")
        status = (
            status_pb2.Status.FromString(details)
            if isinstance(details, bytes)
            else to_status(from_rpc_error(error))
        )
    packed = [ErrorDetail(Packed(type_url=one.type_url, value=one.value)) for one in status.details]
    return ConnectError(_CODES.get(status.code, Code.UNKNOWN), status.message, packed)
