"""The executor's Arrow Flight endpoint: frames, for whoever has a ticket.

It has threads of its own, in C++; Python runs once a batch. Flight's server writes a batch when
HTTP/2's window has room, and only then asks for the next: a slow reader holds one thread, the
batch being sent and one window, whatever the frame's size, until it is cut off
(`services.executor.flight_readers`).
"""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import pyarrow as pa
from pyarrow import flight

from mesh.context import FIRST_ROW_KEY, PRINCIPAL_KEY
from mesh.errors import INTERNAL, INVALID_ARGUMENT, SERVICE_UNAVAILABLE, AssayError
from mesh.frames.flight_spans import FlightCall, refusal_in, serving
from mesh.frames.stored import StoredFrame
from mesh.frames.tickets import Tickets
from mesh.telemetry.metrics import moved
from mesh.transport.seal import FLIGHT_METHOD, Seal, sealed_caller
from mesh.transport.status import to_status
from services.executor.flight_readers import SlowReaders

log = logging.getLogger("assay.executor")

_CALLER = "assay-caller"
_ROW = re.compile(r"[0-9]{1,18}")


class _Caller(flight.ServerMiddleware):  # type: ignore[misc]  # pyarrow has no types
    """Who calls, from which row on the frame is wanted, and the call as it is told of."""

    def __init__(
        self, headers: dict[str, list[str | bytes]], seal: Seal, flight_call: FlightCall
    ) -> None:
        self._headers = headers
        self._seal = seal
        self._notified = flight_call
        self._whole = False

    def call_completed(self, exception: Exception | None) -> None:
        """Tell how it ended. Of a reader that went away Flight says nothing."""
        if exception is not None:
            self._notified.end_by(refusal_in(exception) or exception)
        else:
            self._notified.end(grpc.StatusCode.OK if self._whole else grpc.StatusCode.CANCELLED)

    def to_the_end(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The batches, of which it is kept whether they were asked for to the last."""
        yield from batches
        self._whole = True

    def tenant(self) -> str:
        """Raises AssayError: PEER_REFUSED, CLOCKS_DIFFER."""
        given = _values(self._headers, PRINCIPAL_KEY)
        return sealed_caller(self._seal, FLIGHT_METHOD, given).tenant

    def first_row(self) -> int:
        """Raises AssayError(INVALID_ARGUMENT)."""
        given = _values(self._headers, FIRST_ROW_KEY) or ["0"]
        if len(given) > 1 or not _ROW.fullmatch(given[0]):
            raise AssayError(INVALID_ARGUMENT, f"{FIRST_ROW_KEY} is not a number of rows")
        return int(given[0])


class _CallerFactory(flight.ServerMiddlewareFactory):  # type: ignore[misc]  # pyarrow has no types
    def __init__(self, seal: Seal) -> None:
        super().__init__()
        self._seal = seal

    def start_call(self, info: Any, headers: dict[str, list[str | bytes]]) -> _Caller:
        flight_call = serving(info.method.name, headers)
        if info.method != flight.FlightMethod.DO_GET:
            # pyarrow would answer what this server does not have with a Python traceback.
            refused = AssayError(INVALID_ARGUMENT, "only tickets are answered here, by DoGet")
            flight_call.end_by(refused)  # a call that does not begin is not completed either
            raise _refusal(refused)
        return _Caller(headers, self._seal, flight_call)


class _FrameServer(flight.FlightServerBase):  # type: ignore[misc]  # pyarrow has no types
    def __init__(
        self,
        address: str,
        path: Callable[[str, str], Path],
        tickets: Tickets,
        seal: Seal,
        readers: SlowReaders,
    ) -> None:
        super().__init__(address, middleware={_CALLER: _CallerFactory(seal)})
        self._path = path
        self._tickets = tickets
        self._readers = readers

    def do_get(self, context: Any, ticket: flight.Ticket) -> flight.RecordBatchStream:
        """A frame from the row on that the caller wants."""
        caller = context.get_middleware(_CALLER)
        try:
            tenant, first_row = caller.tenant(), caller.first_row()
            digest = self._tickets.opened(ticket.ticket, tenant)
            stored = StoredFrame(self._path(tenant, digest))
            batches = caller.to_the_end(_counted(_closing(stored, stored.batches(first_row))))
            watched = self._readers.watched(batches, context.peer())
            reader = pa.RecordBatchReader.from_batches(stored.schema(), watched)
        except AssayError as error:
            raise _refusal(error) from None
        except Exception:
            log.exception("a frame could not be sent")
            raise _refusal(AssayError(INTERNAL, "the frame cannot be sent")) from None
        return flight.RecordBatchStream(reader)


class FlightEndpoint:
    """The running server. `address` is host:port; port 0 takes one that is free.

    `path` is where a tenant's frame lies, by tenant and digest; it raises AssayError. Callers are
    services with the mesh's `seal`; a ticket alone, which may have been overheard, is worth
    nothing. `host` is the name by which peers reach it, if that is another than in `address`.
    Whoever takes no batch for `slow_reader_seconds` is cut off.
    """

    def __init__(
        self,
        address: str,
        host: str,
        path: Callable[[str, str], Path],
        tickets: Tickets,
        seal: Seal,
        slow_reader_seconds: float = 60.0,
    ) -> None:
        """Listen. Raises AssayError(SERVICE_UNAVAILABLE) when the address cannot be had."""
        bound = address.rpartition(":")[0]
        self._readers = SlowReaders(slow_reader_seconds)
        try:
            self._server = _FrameServer(f"grpc+tcp://{address}", path, tickets, seal, self._readers)
        except (pa.ArrowException, OSError) as error:
            self._readers.close()
            raise AssayError(
                SERVICE_UNAVAILABLE,
                f"the Flight endpoint cannot listen on {address}",
                hint="Choose another with ASSAY_EXECUTOR_FLIGHT.",
            ) from error
        # It serves from here on. pyarrow's own `serve` would only wait, with handlers of signals
        # that are shared: where one server ended, they have shut the one that began after it.
        self.uri = f"grpc+tcp://{host or bound}:{self._server.port}"

    def close(self, seconds: float = 0.0) -> None:
        """Take no new calls; those under way may end within `seconds`, then they are cut off."""
        hurry = threading.Timer(seconds, self._readers.cut_off_all)
        hurry.start()
        try:
            self._server.shutdown()
        finally:
            hurry.cancel()
            hurry.join()
            self._readers.close()


def _counted(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        moved("sent", batch.nbytes)
        yield batch


def _closing(stored: StoredFrame, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    with stored:
        try:
            yield from batches
        except AssayError as error:
            raise _refusal(error) from None
        except Exception:
            log.exception("a frame could not be sent on")
            raise _refusal(AssayError(INTERNAL, "the frame cannot be sent on")) from None


def _values(headers: dict[str, list[str | bytes]], name: str) -> list[str]:
    values = headers.get(name, [])
    return [
        value.decode(errors="replace") if isinstance(value, bytes) else value for value in values
    ]


def _refusal(error: AssayError) -> flight.FlightServerError:
    """The error with its reason, for `mesh.frames.flight_client`."""
    return flight.FlightServerError(error.message, to_status(error).SerializeToString())
