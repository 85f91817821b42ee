"""Server interceptors: telemetry, context and errors; the package states their order."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager
from typing import Any

import grpc
from google.protobuf.message import DecodeError
from grpc import aio
from grpc_status import rpc_status
from opentelemetry import propagate, trace

from mesh import context as calls
from mesh.errors import (
    INTERNAL,
    INVALID_ARGUMENT,
    READER_TOO_SLOW,
    SERVICE_UNAVAILABLE,
    AssayError,
    Kind,
)
from mesh.ids import is_id
from mesh.storage.state_files import full_in
from mesh.telemetry.instruments import ERROR, RPC_SERVER
from mesh.telemetry.metrics import failure_of, record
from mesh.telemetry.tracing import failed
from mesh.transport.interceptors.around import Around
from mesh.transport.interceptors.credentials import Credentials, request_id
from mesh.transport.interceptors.edges import check_certificate
from mesh.transport.status import SERVER_FAULTS, WAITED, to_status

log = logging.getLogger("assay.rpc")
tracer = trace.get_tracer("assay.rpc")

_STATUS = "rpc.response.status_code"

# A service that answers why it cannot is not asked again by gRPC itself: each hop would multiply
# the attempts of the next (gRFC A6, pushback). One that stops may be, or that another did not reach
# and has not waited for.
_NOT_AGAIN = ("grpc-retry-pushback-ms", "-1")


class Telemetry(Around):
    """One span and one measurement for every call; the span is a child of the caller's.

    Must be outermost: it covers all others and must see the final status.
    """

    @asynccontextmanager
    async def around(
        self, method: str, context: aio.ServicerContext[Any, Any]
    ) -> AsyncIterator[None]:
        """Open the span, and close it with the call's status."""
        metadata = dict(context.invocation_metadata() or ())
        name, began = method.lstrip("/"), time.monotonic()
        attributes = {"rpc.system.name": "grpc", "rpc.method": name}
        texts = attributes
        parent = propagate.extract(metadata)
        with tracer.start_as_current_span(
            name,
            context=parent,
            kind=trace.SpanKind.SERVER,
            attributes=attributes,
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            try:
                yield
                texts = {_STATUS: grpc.StatusCode.OK.name}
            except aio.AbortError as aborted:
                code: Any = context.code()
                why = failure_of(aborted.__cause__) if aborted.__cause__ else code.name
                texts = {_STATUS: code.name, ERROR: why}
                if code in SERVER_FAULTS:
                    failed(span, why)
                raise
            except asyncio.CancelledError:
                texts = {_STATUS: grpc.StatusCode.CANCELLED.name}
                raise
            finally:
                span.set_attributes(texts)
                seconds, service = time.monotonic() - began, calls.service_of(method)
                record(RPC_SERVER, seconds, attributes | texts, service)


_BY_TOKEN = (calls.Established.TOKEN, calls.Established.KEY)
_FOR_EVERYBODY = ("/grpc.health.", "/grpc.reflection.")


class Context(Around):
    """Puts who calls, request id, deadline and the service's name where the code below finds them.

    The one place where credentials become a principal (`mesh.transport.interceptors.credentials`);
    it refuses those that are none, callers of the gateway whose role may not call a method, and
    tenants who call too much. Must come before Errors: an error's log line names the request. A
    call that lasts longer than `again_seconds`, as streams do, ends when its caller's token is not
    believed any more.
    """

    def __init__(self, credentials: Credentials, again_seconds: float = 5.0) -> None:
        self._credentials = credentials
        self._again_seconds = again_seconds

    @asynccontextmanager
    async def around(
        self, method: str, context: aio.ServicerContext[Any, Any]
    ) -> AsyncIterator[None]:
        """Read the metadata and the time that is left."""
        counted = ExitStack()
        try:
            call = await self._read(method, context)
            who = calls.Principal(call.tenant, call.user, call.how, call.role)
            counted.enter_context(self._credentials.taken(call.service, who))
        except AssayError as error:
            await abort(context, error)
            raise
        with counted, calls.entered(call):
            if call.how not in _BY_TOKEN:
                yield
                return
            async with self._while_believed(method, context):
                yield

    @asynccontextmanager
    async def _while_believed(
        self, method: str, context: aio.ServicerContext[Any, Any]
    ) -> AsyncIterator[None]:
        """Ask now and again whether the caller may still be let in; end the call when not."""
        task, loop = asyncio.current_task(), asyncio.get_running_loop()
        refused: list[AssayError] = []
        asking: list[asyncio.Task[None]] = []

        async def ask() -> None:
            while True:
                try:
                    await self._caller(method, context)
                except AssayError as error:
                    if error.reason.kind in (Kind.IDENTITY, Kind.POLICY) and task is not None:
                        refused.append(error)
                        task.cancel()
                        return
                except Exception:
                    log.exception("whether a caller is still believed could not be found out")
                await asyncio.sleep(self._again_seconds)

        # A timer costs a call that ends sooner nothing worth the name; a task would.
        timer = loop.call_later(self._again_seconds, lambda: asking.append(loop.create_task(ask())))
        try:
            yield
        except asyncio.CancelledError:
            if not refused or task is None:
                raise
            task.uncancel()
            await abort(context, refused[0])
        finally:
            timer.cancel()
            for each in asking:
                each.cancel()

    async def _caller(self, method: str, context: aio.ServicerContext[Any, Any]) -> calls.Principal:
        metadata = tuple(context.invocation_metadata() or ())
        service = calls.service_of(method)
        check_certificate(service, context)
        return await self._credentials.principal(service, method, metadata, context.peer())

    async def _read(self, method: str, context: aio.ServicerContext[Any, Any]) -> calls.CallContext:
        if method.startswith(_FOR_EVERYBODY):
            return calls.CallContext()
        metadata, service = tuple(context.invocation_metadata() or ()), calls.service_of(method)
        who = await self._caller(method, context)
        left = context.time_remaining()
        return calls.CallContext(
            tenant=who.tenant,
            request_id=request_id(metadata),
            service=service,
            deadline=None if left is None else time.monotonic() + left,
            user=who.user,
            how=who.how,
            role=who.role,
            job_id=job_id if is_id(job_id := str(dict(metadata).get(calls.JOB_KEY))) else "",
        )


class Errors(Around):
    """Turns every exception into a status with a reason; nobody ever sees a traceback.

    Must come after all others but Waking, so that they see the final status. Readers of streams
    who take nothing for `slow_reader_seconds` are cut off.
    """

    def __init__(self, slow_reader_seconds: float = Around.patience_seconds) -> None:
        self.patience_seconds = slow_reader_seconds

    def reading(self, handler: Any) -> tuple[Callable[[Any], Any], Callable[[bytes], Any] | None]:
        """Bytes become messages in here: gRPC would tell the caller of a Python exception."""
        deserialize = handler.request_deserializer
        if deserialize is None:
            return super().reading(handler)

        def read(data: bytes) -> Any:
            try:
                return deserialize(data)
            except (DecodeError, ValueError) as error:
                raise AssayError(
                    INVALID_ARGUMENT, "the request is not a message of this method's type"
                ) from error

        async def read_all(pieces: AsyncIterator[bytes]) -> AsyncIterator[Any]:
            async for piece in pieces:
                yield read(piece)

        return (read_all if handler.request_streaming else read), None

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
                await abort(context, error)
            await self._cut_off(context, error)
        except Exception as error:
            if (full := full_in(error)) is not None:
                log.error("%s failed: %s", method, full)
                await abort(context, full)
            request = calls.current().request_id
            log.exception("%s failed (request %s)", method, request)
            text = f"something went wrong inside Assay (request {request})"
            await abort(context, AssayError(INTERNAL, text, metadata={"request_id": request}))

    async def _cut_off(self, context: aio.ServicerContext[Any, Any], error: AssayError) -> None:
        """End a stream that nobody reads: the status comes after what was sent, if ever."""
        try:
            async with asyncio.timeout(self.patience_seconds):
                await abort(context, error)
        except TimeoutError:
            raise asyncio.CancelledError from None  # gRPC then resets the stream


async def abort(context: aio.ServicerContext[Any, Any], error: AssayError) -> None:
    """End a call with the status of an error."""
    status = rpc_status.to_status(to_status(error))
    trailers = tuple(status.trailing_metadata)
    if error.reason is not SERVICE_UNAVAILABLE or WAITED in error.metadata:
        trailers += (_NOT_AGAIN,)
    try:
        await context.abort(status.code, status.details, trailers)
    except aio.AbortError as aborted:  # telemetry, further out, tells the reason
        raise aborted from error
    except aio.InternalError:  # the caller is gone, and with it whom to tell
        raise asyncio.CancelledError from None
