"""Both ends of a call by Arrow Flight, in traces and metrics, as the interceptors have others.

The caller's span travels in the call's headers, the server's is its child. Flight itself answers
every refusal with UNKNOWN: what is told here is the status that both ends go by
(`mesh.transport.status`).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import grpc
from google.protobuf.message import DecodeError
from google.rpc import status_pb2
from opentelemetry import propagate, trace
from opentelemetry.context import Context

from mesh.errors import AssayError
from mesh.telemetry.instruments import ERROR, RPC_CLIENT, RPC_SERVER, SERVICE, Instrument
from mesh.telemetry.metrics import record
from mesh.telemetry.tracing import failed
from mesh.transport.status import SERVER_FAULTS, STATUS, from_status

FLIGHT_SERVICE = "arrow.flight.protocol.FlightService"
DO_GET = f"{FLIGHT_SERVICE}/DoGet"
_SERVER = "executor"
"""Whose calls by Flight are: no other service serves frames."""

tracer = trace.get_tracer("assay.rpc")


class FlightCall:
    """A call under way, at one of its ends; it ends once, in whichever thread."""

    def __init__(
        self,
        method: str,
        instrument: Instrument,
        parent: Context | None = None,
        more: Mapping[str, str | int] | None = None,
    ) -> None:
        served = instrument is RPC_SERVER
        self._instrument = instrument
        self._service = _SERVER if served else ""
        self._attributes = {"rpc.system.name": "grpc", "rpc.method": method}
        self._began = time.monotonic()
        self._lock = threading.Lock()
        self._ended = False
        self.span = tracer.start_span(
            method,
            context=parent,
            kind=trace.SpanKind.SERVER if served else trace.SpanKind.CLIENT,
            attributes={
                **self._attributes,
                **(more or {}),
                **({SERVICE: _SERVER} if served else {}),
            },
        )

    def end(self, code: grpc.StatusCode, reason: str = "") -> None:
        """Tell how it ended, the first time; of a server's end only its own faults are failures."""
        with self._lock:
            if self._ended:
                return
            self._ended = True
        values = {"rpc.response.status_code": code.name}
        if code is not grpc.StatusCode.OK and (reason or code is not grpc.StatusCode.CANCELLED):
            values[ERROR] = reason or code.name
            if self._instrument is RPC_CLIENT or code in SERVER_FAULTS:
                failed(self.span, values[ERROR])
        self.span.set_attributes(values)
        self.span.end()
        seconds = time.monotonic() - self._began
        record(self._instrument, seconds, {**self._attributes, **values}, self._service)

    def end_by(self, error: BaseException) -> None:
        """Tell what it failed by."""
        if isinstance(error, AssayError):
            self.end(STATUS[error.reason.kind], error.reason.code)
        elif isinstance(error, GeneratorExit):  # nobody wants the rest
            self.end(grpc.StatusCode.CANCELLED)
        else:
            self.end(grpc.StatusCode.UNKNOWN, type(error).__name__)


@contextmanager
def fetching(uri: str) -> Iterator[tuple[FlightCall, list[tuple[bytes, bytes]]]]:
    """A call for a frame, below the running span, and the headers that carry it to the server at
    `uri`. What the block raises it has failed by, unless its end was told before."""
    place = urlsplit(uri)
    more: dict[str, str | int] = {"server.address": place.hostname or ""}
    if place.port is not None:
        more["server.port"] = place.port
    call = FlightCall(DO_GET, RPC_CLIENT, more=more)
    carried: dict[str, str] = {}
    propagate.inject(carried, trace.set_span_in_context(call.span))
    try:
        yield call, [(name.encode(), value.encode()) for name, value in carried.items()]
    except BaseException as error:
        call.end_by(error)
        raise
    call.end(grpc.StatusCode.OK)


def serving(method: str, headers: Mapping[str, Sequence[str | bytes]]) -> FlightCall:
    """A call that is served: `method` as Flight names it ("DO_GET"), and what came with it."""
    carried = {
        name.lower(): values[0] for name, values in headers.items() if isinstance(values[0], str)
    }
    name = "".join(word.capitalize() for word in method.split("_"))
    return FlightCall(f"{FLIGHT_SERVICE}/{name}", RPC_SERVER, propagate.extract(carried))


def refusal_in(error: Any) -> AssayError | None:
    """What a Flight error was made of, which its extra part says; None where it says nothing."""
    status = status_pb2.Status()
    try:
        status.ParseFromString(getattr(error, "extra_info", None) or b"")
    except DecodeError:
        return None
    return from_status(status)
