"""Server interceptors: telemetry, context and errors; `mesh.interceptors` states their order."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
from grpc import aio
from grpc_status import rpc_status
from opentelemetry import propagate, trace

from mesh import context as calls
from mesh.errors import INTERNAL, READER_TOO_SLOW, SERVICE_UNAVAILABLE, AssayError
from mesh.ids import new_id
from mesh.interceptors.around import Around
from mesh.status import to_status

log = logging.getLogger("assay.rpc")
tracer = trace.get_tracer("assay.rpc")

# Statuses that are the server's own fault; the others are answers (OpenTelemetry's gRPC rules).
_SERVER_FAULTS = {
    grpc.StatusCode.UNKNOWN,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.UNIMPLEMENTED,
    grpc.StatusCode.INTERNAL,
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.DATA_LOSS,
}
# A service that answers why it cannot is not asked again by gRPC itself: each hop would multiply
# the attempts of the next (gRFC A6, pushback). One that stops or was not reached may be.
_NOT_AGAIN = ("grpc-retry-pushback-ms", "-1")


class Telemetry(Around):
    """One span for every call, a child of the caller's.

    Must be outermost: the span covers all others and must see the final status.
    """

    @asynccontextmanager
    async def around(
        self, method: str, context: aio.ServicerContext[Any, Any]
    ) -> AsyncIterator[None]:
        """Open the span, and close it with the call's status."""
        metadata = {key: str(value) for key, value in context.invocation_metadata() or ()}
        service, _, name = method.lstrip("/").rpartition("/")
        attributes = {"rpc.system": "grpc", "rpc.service": service, "rpc.method": name}
        with tracer.start_as_current_span(
            method.lstrip("/"),
            context=propagate.extract(metadata),
            kind=trace.SpanKind.SERVER,
            attributes=attributes,
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            try:
                yield
            except aio.AbortError:
                code: Any = context.code()
                span.set_attribute("rpc.grpc.status_code", code.value[0])
                if code in _SERVER_FAULTS:
                    span.set_status(trace.StatusCode.ERROR, str(context.details()))
                raise
            except asyncio.CancelledError:
                span.set_attribute("rpc.grpc.status_code", grpc.StatusCode.CANCELLED.value[0])
                raise
            span.set_attribute("rpc.grpc.status_code", grpc.StatusCode.OK.value[0])


class Context(Around):
    """Puts tenant, request id, deadline and the service's name where the code below finds them.

    Must come before Errors: an error's log line names the request.
    """

    @asynccontextmanager
    async def around(
        self, method: str, context: aio.ServicerContext[Any, Any]
    ) -> AsyncIterator[None]:
        """Read the metadata and the time that is left."""
        metadata = {key: value for key, value in context.invocation_metadata() or ()}
        left = context.time_remaining()
        call = calls.CallContext(
            tenant=str(metadata.get(calls.TENANT_KEY) or calls.LOCAL_TENANT),
            request_id=str(metadata.get(calls.REQUEST_KEY) or new_id()),
            service=calls.service_of(method),
            deadline=None if left is None else time.monotonic() + left,
        )
        with calls.entered(call):
            yield


class Errors(Around):
    """Turns every exception into a status with a reason; nobody ever sees a traceback.

    Must be innermost, so that all others see the final status. Readers of streams who take nothing
    for `slow_reader_seconds` are cut off.
    """

    def __init__(self, slow_reader_seconds: float = Around.patience_seconds) -> None:
        self.patience_seconds = slow_reader_seconds

    @asynccontextmanager
    async def around(
        self, method: str, context: aio.ServicerContext[Any, Any]
    ) -> AsyncIterator[None]:
        """Abort with the table's status; what is not an AssayError is logged and made safe."""
        try:
            yield
        except (aio.AbortError, asyncio.CancelledError):
            raise
        except AssayError as error:
            if error.reason is not READER_TOO_SLOW:
                await _abort(context, error)
            await self._cut_off(context, error)
        except Exception:
            request = calls.current().request_id
            log.exception("%s failed (request %s)", method, request)
            text = f"something went wrong inside Assay (request {request})"
            await _abort(context, AssayError(INTERNAL, text, metadata={"request_id": request}))

    async def _cut_off(self, context: aio.ServicerContext[Any, Any], error: AssayError) -> None:
        """End a stream that nobody reads: the status comes after what was sent, if ever."""
        try:
            async with asyncio.timeout(self.patience_seconds):
                await _abort(context, error)
        except TimeoutError:
            raise asyncio.CancelledError from None  # gRPC then resets the stream


async def _abort(context: aio.ServicerContext[Any, Any], error: AssayError) -> None:
    status = rpc_status.to_status(to_status(error))
    trailers = tuple(status.trailing_metadata)
    if error.reason is not SERVICE_UNAVAILABLE:
        trailers += (_NOT_AGAIN,)
    try:
        await context.abort(status.code, status.details, trailers)
    except aio.InternalError:  # the caller is gone, and with it whom to tell
        raise asyncio.CancelledError from None
