"""Client interceptors: one span and one measurement for every call that is made.

They tell method, status and reason, never what was said: messages of errors may repeat what the
data holds. A call that nobody waits for any more ends, at its peer too: whoever cancels a call with
one answer cancels the interceptors that wait for it, and gRPC would leave the call itself alone.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any

import grpc
from grpc import aio
from opentelemetry import propagate, trace

from mesh.telemetry.instruments import ERROR, RPC_CLIENT
from mesh.telemetry.metrics import record
from mesh.transport.interceptors.ended_early import status_sent
from mesh.transport.status import find_reason_code

if TYPE_CHECKING:
    from mesh.processes.beside import Beside

tracer = trace.get_tracer("assay.rpc")

CodeOf = Callable[[Any], Awaitable[grpc.StatusCode]]


async def _code(call: Any) -> grpc.StatusCode:
    code: grpc.StatusCode = await call.code()
    return code


class _Call:
    """One call under way; `details` carry its trace to the peer, who may be a process `beside`."""

    def __init__(self, details: Any, beside: Beside | None) -> None:
        self._beside = beside
        method = details.method.decode() if isinstance(details.method, bytes) else details.method
        self._attributes = {"rpc.system.name": "grpc", "rpc.method": method.lstrip("/")}
        self._began = time.monotonic()
        self._counted = False
        self._span = tracer.start_span(
            method.lstrip("/"), kind=trace.SpanKind.CLIENT, attributes=self._attributes
        )
        carried: dict[str, str] = {}
        propagate.inject(carried, trace.set_span_in_context(self._span))
        metadata = aio.Metadata(*(details.metadata or ()), *carried.items())
        self.details = aio.ClientCallDetails(
            details.method, details.timeout, metadata, details.credentials, details.wait_for_ready
        )

    async def _begun(self, asked: Callable[[], Any]) -> Any:
        if self._beside is None:
            return await asked()
        await self._beside.called()
        self._counted = True
        return await asked()

    async def answered(self, asked: Callable[[], Any], code_of: CodeOf = _code) -> Any:
        """The call with its one answer, once that is there."""
        call: Any = None
        try:
            call = await self._begun(asked)
            code = await code_of(call)
        except BaseException as error:
            if call is not None:
                call.cancel()
            self._failed(error)
            raise
        ok = code is grpc.StatusCode.OK
        self._end(code, "" if ok else find_reason_code(await call.trailing_metadata()))
        return call

    async def streaming(self, asked: Callable[[], Any]) -> AsyncIterator[Any]:
        """The answers one by one, once the call is made."""
        try:
            answers = await self._begun(asked)
        except BaseException as error:
            self._failed(error)
            raise
        return self._streamed(answers)

    async def _streamed(self, answers: Any) -> AsyncIterator[Any]:
        """The call ends with the last answer."""
        try:
            async for answer in answers:
                yield answer
        except BaseException as error:
            self._failed(error)
            raise
        self._end(grpc.StatusCode.OK)

    def _failed(self, error: BaseException) -> None:
        if isinstance(error, aio.AioRpcError):
            self._end(error.code(), find_reason_code(error.trailing_metadata()))
        elif isinstance(error, asyncio.CancelledError | GeneratorExit):
            self._end(grpc.StatusCode.CANCELLED)
        else:
            self._end(grpc.StatusCode.UNKNOWN, type(error).__name__)

    def _end(self, code: grpc.StatusCode, reason: str = "") -> None:
        if self._beside is not None and self._counted:
            self._counted = False
            self._beside.left()
        values = {"rpc.response.status_code": code.name}
        if code is not grpc.StatusCode.OK and (reason or code is not grpc.StatusCode.CANCELLED):
            values[ERROR] = reason or code.name
            self._span.set_status(trace.StatusCode.ERROR, values[ERROR])
        self._span.set_attributes(values)
        self._span.end()
        record(RPC_CLIENT, time.monotonic() - self._began, {**self._attributes, **values})


class _Calling:
    """Has what all kinds of calls need."""

    def __init__(self, beside: Beside | None = None) -> None:
        self._beside = beside


class CallUnaryUnary(_Calling, aio.UnaryUnaryClientInterceptor):
    """For calls with one request and one answer."""

    async def intercept_unary_unary(
        self, continuation: Callable[..., Any], client_call_details: Any, request: Any
    ) -> Any:
        """Tell of the call."""
        call = _Call(client_call_details, self._beside)
        return await call.answered(lambda: continuation(call.details, request))


class CallUnaryStream(_Calling, aio.UnaryStreamClientInterceptor):
    """For calls with one request and a stream of answers."""

    async def intercept_unary_stream(
        self, continuation: Callable[..., Any], client_call_details: Any, request: Any
    ) -> Any:
        """Tell of the call."""
        call = _Call(client_call_details, self._beside)
        return await call.streaming(lambda: continuation(call.details, request))


class CallStreamUnary(_Calling, aio.StreamUnaryClientInterceptor):
    """For calls with a stream of requests and one answer."""

    async def intercept_stream_unary(
        self, continuation: Callable[..., Any], client_call_details: Any, request_iterator: Any
    ) -> Any:
        """Tell of the call."""
        call = _Call(client_call_details, self._beside)
        return await call.answered(
            lambda: continuation(call.details, request_iterator), status_sent
        )


class CallStreamStream(_Calling, aio.StreamStreamClientInterceptor):
    """For calls with streams both ways."""

    async def intercept_stream_stream(
        self, continuation: Callable[..., Any], client_call_details: Any, request_iterator: Any
    ) -> Any:
        """Tell of the call."""
        call = _Call(client_call_details, self._beside)
        return await call.streaming(lambda: continuation(call.details, request_iterator))


def calling(beside: Beside | None = None) -> list[aio.ClientInterceptor]:
    """One interceptor for each kind of call; of a process `beside`, which they then wake."""
    kinds = (CallUnaryUnary, CallUnaryStream, CallStreamUnary, CallStreamStream)
    return [kind(beside) for kind in kinds]
