"""Fetching frames by Arrow Flight: resumed where they broke off, checked on arrival.

Back-pressure: a batch is taken when this side asks for it, and HTTP/2's flow-control window bounds
what is on its way between. The server encodes the next batch when the window has room.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

import pyarrow as pa
from pyarrow import flight

from mesh.context import FIRST_ROW_KEY, PRINCIPAL_KEY, current
from mesh.errors import (
    CANCELLED,
    SERVICE_UNAVAILABLE,
    SOURCE_NOT_READABLE,
    TIMEOUT,
    VERIFICATION_FAILED,
    AssayError,
)
from mesh.frames import codec
from mesh.frames.arrival import Arrival, arriving
from mesh.frames.flight_spans import fetching, refusal_in
from mesh.frames.reference import FrameRef, Location
from mesh.transport.seal import FLIGHT_METHOD, Seal

DEFAULT_SECONDS = 240.0
BREAKS_IN_A_ROW = 3
"""How often a transfer may break without a batch between before it is given up."""

log = logging.getLogger("assay.frames")


class FlightFetcher:
    """Connections to Flight servers, each opened when first needed; serves all threads.

    The servers are the mesh's executors, which know its services by its `seal`.
    """

    def __init__(self, seal: Seal | None = None) -> None:
        self._seal = seal
        self._clients: dict[str, flight.FlightClient] = {}
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        with self._lock:
            clients, self._clients = self._clients, {}
        for client in clients.values():
            client.close()

    def fetch(self, ref: FrameRef, place: Location, *, verify: bool = True) -> pa.Table:
        """The frame as a table in memory.

        A transfer that breaks is resumed after the last batch that came whole. One that arrives
        damaged is made once more from the start. Raises AssayError: SERVICE_UNAVAILABLE, TIMEOUT,
        VERIFICATION_FAILED, SOURCE_NOT_READABLE, and what the server refused with.
        """
        try:
            return self._fetched(ref, place, verify)
        except AssayError as error:
            if error.reason not in (VERIFICATION_FAILED, SOURCE_NOT_READABLE):
                raise
            log.warning("frame %s came damaged and is fetched again: %s", ref.digest[:12], error)
            return self._fetched(ref, place, verify)

    def _fetched(self, ref: FrameRef, place: Location, verify: bool) -> pa.Table:
        with arriving(ref.digest, verify=verify) as arrival:
            breaks = 0
            while True:
                before = arrival.rows
                try:
                    self._receive(place, arrival)
                    return arrival.table()
                except flight.FlightError as error:
                    breaks = breaks + 1 if arrival.rows == before else 1
                    failure = _failure(error, place)
                    if failure.reason is not SERVICE_UNAVAILABLE or breaks >= BREAKS_IN_A_ROW:
                        raise failure from error
                    self._forget(place.uri)
                except (pa.ArrowException, OSError) as error:
                    raise AssayError(
                        SOURCE_NOT_READABLE,
                        f"frame {ref.digest[:12]} came as no Arrow stream",
                        hint="It was damaged on the way or where it is stored; make it again.",
                    ) from error

    def stream(self, place: Location, first_row: int = 0) -> Iterator[bytes]:
        """An Arrow IPC stream of the rows from `first_row` on, as they come, holding one batch.

        Nothing is checked or resumed: that is for whoever receives it. Raises like `fetch`.
        """
        try:
            with self._reading(place, first_row) as reader:
                yield from codec.batch_chunks(reader.schema, (chunk.data for chunk in reader))
        except flight.FlightError as error:
            failure = _failure(error, place)
            if failure.reason is SERVICE_UNAVAILABLE:
                self._forget(place.uri)
            raise failure from error
        except (pa.ArrowException, OSError) as error:
            raise AssayError(
                SOURCE_NOT_READABLE, f"a frame from {place.uri} came as no Arrow stream"
            ) from error

    def _receive(self, place: Location, arrival: Arrival) -> None:
        """Take in what follows the rows that are there. Raises FlightError."""
        with self._reading(place, arrival.rows) as reader:
            arrival.begin(reader.schema)
            for chunk in reader:
                arrival.add(chunk.data)

    @contextmanager
    def _reading(self, place: Location, first_row: int) -> Iterator[flight.FlightStreamReader]:
        """A transfer under way, told by a span of its own. Raises FlightError."""
        seconds = current().seconds_left(DEFAULT_SECONDS)
        with fetching(place.uri) as (call, headers):
            headers.append((FIRST_ROW_KEY.encode(), str(first_row).encode()))
            if self._seal is not None:
                sealed = self._seal.sealed(current().principal, FLIGHT_METHOD, seconds)
                headers.append((PRINCIPAL_KEY.encode(), sealed.encode()))
            options = flight.FlightCallOptions(timeout=seconds, headers=headers)
            try:
                reader = self._client(place.uri).do_get(flight.Ticket(place.ticket), options)
                try:
                    yield reader
                finally:
                    reader.cancel()
            except flight.FlightError as error:
                call.end_by(_failure(error, place))
                raise

    def _client(self, uri: str) -> flight.FlightClient:
        with self._lock:
            if uri not in self._clients:
                self._clients[uri] = flight.connect(uri)
            return self._clients[uri]

    def _forget(self, uri: str) -> None:
        with self._lock:
            client = self._clients.pop(uri, None)
        if client is not None:
            client.close()


def _failure(error: flight.FlightError, place: Location) -> AssayError:
    """What a failed transfer means; the server says its own reason in the error's extra part."""
    if (failure := refusal_in(error)) is not None:
        return failure
    if isinstance(error, flight.FlightTimedOutError):
        return AssayError(TIMEOUT, f"{place.uri} did not send the frame in time")
    if isinstance(error, flight.FlightCancelledError):
        return AssayError(CANCELLED, "the transfer of the frame was cancelled")
    if isinstance(error, flight.FlightServerError):  # in the middle, where it has no extra part
        return AssayError(SOURCE_NOT_READABLE, f"{place.uri} cannot send the frame on")
    return AssayError(SERVICE_UNAVAILABLE, f"the transfer of a frame from {place.uri} broke off")
