"""The executor's Arrow Flight endpoint: frames, for whoever has a ticket.

It has threads of its own, in C++; Python runs once a batch. Flight's server writes a batch when
HTTP/2's window has room, and only then asks for the next: a slow reader holds one thread, the
batch being sent and one window, whatever the frame's size, until it is cut off
(`services.executor.flight_readers`).
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import flight

from mesh.context import LOCAL_TENANT, TENANT_KEY
from mesh.errors import INTERNAL, INVALID_ARGUMENT, SERVICE_UNAVAILABLE, AssayError
from mesh.frames.flight_client import FIRST_ROW_KEY
from mesh.frames.stored import StoredFrame
from mesh.frames.tickets import Tickets
from mesh.status import to_status
from services.executor.flight_readers import SlowReaders

log = logging.getLogger("assay.executor")

_CALLER = "assay-caller"


class _Caller(flight.ServerMiddleware):  # type: ignore[misc]  # pyarrow has no types
    """Who calls, and from which row on the frame is wanted."""

    def __init__(self, headers: dict[str, list[str | bytes]]) -> None:
        self.tenant = _header(headers, TENANT_KEY) or LOCAL_TENANT
        self.first_row = _header(headers, FIRST_ROW_KEY)


class _CallerFactory(flight.ServerMiddlewareFactory):  # type: ignore[misc]  # pyarrow has no types
    def start_call(self, info: Any, headers: dict[str, list[str | bytes]]) -> _Caller:
        return _Caller(headers)


class _FrameServer(flight.FlightServerBase):  # type: ignore[misc]  # pyarrow has no types
    def __init__(
        self,
        address: str,
        path: Callable[[str], Path],
        tickets: Tickets,
        readers: SlowReaders,
    ) -> None:
        super().__init__(address, middleware={_CALLER: _CallerFactory()})
        self._path = path
        self._tickets = tickets
        self._readers = readers

    def do_get(self, context: Any, ticket: flight.Ticket) -> flight.RecordBatchStream:
        """A frame from the row on that the caller wants."""
        caller = context.get_middleware(_CALLER)
        try:
            digest = self._tickets.opened(ticket.ticket, caller.tenant)
            stored = StoredFrame(self._path(digest))
            batches = _closing(stored, stored.batches(_row(caller.first_row)))
            watched = self._readers.watched(batches, context.peer())
            reader = pa.RecordBatchReader.from_batches(stored.schema(), watched)
        except AssayError as error:
            raise _refusal(error) from error
        except Exception as error:
            log.exception("a frame could not be sent")
            raise _refusal(AssayError(INTERNAL, "the frame cannot be sent")) from error
        return flight.RecordBatchStream(reader)


class FlightEndpoint:
    """The running server. `address` is host:port; port 0 takes one that is free.

    `host` is the name by which peers reach it, if that is another than in `address`. Whoever takes
    no batch for `slow_reader_seconds` is cut off.
    """

    def __init__(
        self,
        address: str,
        host: str,
        path: Callable[[str], Path],
        tickets: Tickets,
        slow_reader_seconds: float = 60.0,
    ) -> None:
        """Listen. Raises AssayError(SERVICE_UNAVAILABLE) when the address cannot be had."""
        bound = address.rpartition(":")[0]
        self._readers = SlowReaders(slow_reader_seconds)
        try:
            self._server = _FrameServer(f"grpc+tcp://{address}", path, tickets, self._readers)
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


def _closing(stored: StoredFrame, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    with stored:
        try:
            yield from batches
        except AssayError as error:
            raise _refusal(error) from error


def _row(text: str) -> int:
    if not text:
        return 0
    if not text.isdecimal():
        raise AssayError(INVALID_ARGUMENT, f"{FIRST_ROW_KEY} is not a number of rows")
    return int(text)


def _header(headers: dict[str, list[str | bytes]], name: str) -> str:
    value = next(iter(headers.get(name, [])), "")
    return value.decode() if isinstance(value, bytes) else value


def _refusal(error: AssayError) -> flight.FlightServerError:
    """The error with its reason, for `mesh.frames.flight_client`."""
    return flight.FlightServerError(error.message, to_status(error).SerializeToString())
