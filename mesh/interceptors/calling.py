"""Client interceptors: one span and one measurement for every call that is made.

They tell method, status and reason, never what was said: messages of errors may repeat what the
data holds. A call that nobody waits for any more ends, at its peer too: whoever cancels a call with
one answer cancels the interceptors that wait for it, and gRPC would leave the call itself alone.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import grpc
from grpc import aio
from opentelemetry import propagate, trace

from mesh.instruments import ERROR, RPC_CLIENT
from mesh.interceptors.ended_early import status_sent
from mesh.metrics import record
from mesh.status import reason_told

tracer = trace.get_tracer("assay.rpc")

CodeOf = Callable[[Any], Awaitable[grpc.StatusCode]]


async def _code(call: Any) -> grpc.StatusCode:
    code: grpc.StatusCode = await call.code()
    return code


class _Call:
    """One call under way; `details` carry its trace to the peer."""

    def __init__(self, details: Any) -> None:
        method = details.method.decode() if isinstance(details.method, bytes) else details.method
        self._attributes = {"rpc.system.name": "grpc", "rpc.method": method.lstrip("/")}
        self._began = time.monotonic()
        self._span = tracer.start_span(
            method.lstrip("/"), kind=trace.SpanKind.CLIENT, attributes=self._attributes
        )
        carried: dict[str, str] = {}
        propagate.inject(carried, trace.set_span_in_context(self._span))
        metadata = aio.Metadata(*(details.metadata or ()), *carried.items())
        self.details = aio.ClientCallDetails(
            details.method, details.timeout, metadata, details.credentials, details.wait_for_ready
        )

    async def answered(self, asked: Callable[[], Any], code_of: CodeOf = _code) -> Any:
        """The call with its one answer, once that is there."""
        call: Any = None
        try:
            call = await asked()
            code = await code_of(call)
        except BaseException as error:
            if call is not None:
                call.cancel()
            self._failed(error)
            raise
        ok = code is grpc.StatusCode.OK
        self._end(code, "" if ok else reason_told(await call.trailing_metadata()))
        return call

    async def streamed(self, answers: Any) -> AsyncIterator[Any]:
        """The answers one by one; the call ends with the last."""
        try:
            async for answer in answers:
                yield answer
        except BaseException as error:
            self._failed(error)
            raise
        self._end(grpc.StatusCode.OK)

    def _failed(self, error: BaseException) -> None:
        if isinstance(error, aio.AioRpcError):
            self._end(error.code(), reason_told(error.trailing_metadata()))
        elif isinstance(error, asyncio.CancelledError | GeneratorExit):
            self._end(grpc.StatusCode.CANCELLED)
        else:
            self._end(grpc.StatusCode.UNKNOWN, type(error).__name__)

    def _end(self, code: grpc.StatusCode, reason: str = "") -> None:
        told = {"rpc.response.status_code": code.name}
        if code is not grpc.StatusCode.OK and (reason or code is not grpc.StatusCode.CANCELLED):
            told[ERROR] = reason or code.name
            self._span.set_status(trace.StatusCode.ERROR, told[ERROR])
        self._span.set_attributes(told)
        self._span.end()
        record(RPC_CLIENT, time.monotonic() - self._began, {**self._attributes, **told})


class CallUnaryUnary(aio.UnaryUnaryClientInterceptor):
    """For calls with one request and one answer."""

    async def intercept_unary_unary(
        self, continuation: Callable[..., Any], client_call_details: Any, request: Any
    ) -> Any:
        """Tell of the call."""
        call = _Call(client_call_details)
        return await call.answered(lambda: continuation(call.details, request))


class CallUnaryStream(aio.UnaryStreamClientInterceptor):
    """For calls with one request and a stream of answers."""

    async def intercept_unary_stream(
        self, continuation: Callable[..., Any], client_call_details: Any, request: Any
    ) -> Any:
        """Tell of the call."""
        call = _Call(client_call_details)
        return call.streamed(await continuation(call.details, request))


class CallStreamUnary(aio.StreamUnaryClientInterceptor):
    """For calls with a stream of requests and one answer."""

    async def intercept_stream_unary(
        self, continuation: Callable[..., Any], client_call_details: Any, request_iterator: Any
    ) -> Any:
        """Tell of the call."""
        call = _Call(client_call_details)
        return await call.answered(
            lambda: continuation(call.details, request_iterator), status_sent
        )


class CallStreamStream(aio.StreamStreamClientInterceptor):
    """For calls with streams both ways."""

    async def intercept_stream_stream(
        self, continuation: Callable[..., Any], client_call_details: Any, request_iterator: Any
    ) -> Any:
        """Tell of the call."""
        call = _Call(client_call_details)
        return call.streamed(await continuation(call.details, request_iterator))


def calling() -> list[aio.ClientInterceptor]:
    """One interceptor for each kind of call."""
    return [CallUnaryUnary(), CallUnaryStream(), CallStreamUnary(), CallStreamStream()]
