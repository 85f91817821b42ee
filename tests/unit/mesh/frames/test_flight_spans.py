"""A transfer by Flight in a trace: a span at each end, one the child of the other."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.trace import SpanKind, StatusCode
from pyarrow import flight

from mesh.context import changed
from mesh.errors import AssayError
from mesh.frames.plane import FramePlane
from mesh.telemetry.spans import declared
from tests.busy import allowing
from tests.unit.mesh.frames.cutting_proxy import cut_after, proxied
from tests.unit.mesh.frames.test_flight import SEAL, Elsewhere

DO_GET = "arrow.flight.protocol.FlightService/DoGet"
STATUS = "rpc.response.status_code"


class Told(SpanProcessor):
    """What was told of calls. A server's end is, by a thread of its own, after its last row."""

    def __init__(self) -> None:
        provider = TracerProvider()
        provider.add_span_processor(self)
        self.tracer = provider.get_tracer("test")
        self._ended: list[ReadableSpan] = []
        self._more = threading.Condition()

    def on_end(self, span: ReadableSpan) -> None:
        with self._more:
            self._ended.append(span)
            self._more.notify_all()

    def of(self, kind: SpanKind, number: int) -> list[ReadableSpan]:
        """So many of a kind, in order of start, once they have ended."""
        with self._more:
            assert self._more.wait_for(lambda: len(self._kind(kind)) >= number, allowing(20))
            return sorted(self._kind(kind), key=lambda span: span.start_time or 0)

    def ends(self) -> tuple[ReadableSpan, ReadableSpan]:
        """Both ends of the only call: the caller's and the server's."""
        ((caller,), (server,)) = self.of(SpanKind.CLIENT, 1), self.of(SpanKind.SERVER, 1)
        return caller, server

    def _kind(self, kind: SpanKind) -> list[ReadableSpan]:
        return [span for span in self._ended if span.kind is kind]


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Told:
    told = Told()
    monkeypatch.setattr("mesh.frames.flight_spans.tracer", told.tracer)
    return told


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Elsewhere]:
    there = Elsewhere(tmp_path)
    yield there
    there.endpoint.close()


@pytest.fixture
def plane() -> Iterator[FramePlane]:
    plane = FramePlane(seal=SEAL)
    with changed(tenant="ann", service="planner"):
        yield plane
    plane.close()


def said(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


def test_both_ends_are_told_below_whoever_wanted_the_frame(
    told: Told, elsewhere: Elsewhere, plane: FramePlane
) -> None:
    ref = elsewhere.put(pa.table({"secret": [1, 2]}))
    with told.tracer.start_as_current_span("conclude") as wanting:
        plane.redeem(ref)
    caller, server = told.ends()

    assert caller.name == server.name == DO_GET
    assert caller.parent is not None
    assert caller.parent.span_id == wanting.get_span_context().span_id
    assert server.parent is not None
    assert server.context is not None
    assert server.parent.span_id == caller.context.span_id
    assert server.context.trace_id == wanting.get_span_context().trace_id
    as_conventions_say = {"rpc.system.name": "grpc", "rpc.method": DO_GET, STATUS: "OK"}
    there = {"server.address": "127.0.0.1", "server.port": elsewhere.port}
    assert said(caller) == as_conventions_say | there
    assert said(server) == as_conventions_say | {"assay.service": "executor"}
    assert caller.status.status_code is server.status.status_code is StatusCode.UNSET


def test_a_refusal_is_told_by_its_reason_and_is_no_fault_of_the_server(
    told: Told, elsewhere: Elsewhere, plane: FramePlane
) -> None:
    with pytest.raises(AssayError):
        plane.redeem(elsewhere.put(pa.table({"n": [1]}), tenant="bob"))
    caller, server = told.ends()

    for end in (caller, server):
        assert (said(end)[STATUS], said(end)["error.type"]) == ("NOT_FOUND", "NOT_FOUND")
        assert not end.events
    assert caller.status.status_code is StatusCode.ERROR
    assert server.status.status_code is StatusCode.UNSET


def test_a_transfer_that_is_resumed_is_several_calls(
    told: Told, elsewhere: Elsewhere, plane: FramePlane
) -> None:
    large = pa.table({"n": pa.array(range(4 << 20))})
    with proxied(elsewhere.port, cut_after(10 << 20)) as (_, port):
        plane.redeem(elsewhere.put(large, port=port))
    first, second = told.of(SpanKind.CLIENT, 2)

    assert (said(first)[STATUS], said(first)["error.type"]) == (
        "UNAVAILABLE",
        "SERVICE_UNAVAILABLE",
    )
    assert said(second)[STATUS] == "OK"
    ends = told.of(SpanKind.SERVER, 2)
    assert [said(end)[STATUS] for end in ends] == ["CANCELLED", "OK"]


def test_a_reader_that_wants_no_more_has_cancelled(
    told: Told, elsewhere: Elsewhere, plane: FramePlane
) -> None:
    ref = elsewhere.put(pa.table({"n": pa.array(range(4 << 20))}))
    passed_on = plane.stream(ref.digest, ref.flights())
    next(passed_on)
    passed_on.close()  # type: ignore[attr-defined]  # it is a generator
    caller, server = told.ends()

    assert said(caller)[STATUS] == said(server)[STATUS] == "CANCELLED"
    assert caller.status.status_code is StatusCode.UNSET


def test_a_method_that_is_not_served_is_told_too(told: Told, elsewhere: Elsewhere) -> None:
    with flight.connect(elsewhere.endpoint.uri) as client, pytest.raises(flight.FlightError):
        list(client.list_flights())
    (server,) = told.of(SpanKind.SERVER, 1)

    assert server.name == "arrow.flight.protocol.FlightService/ListFlights"
    assert (said(server)[STATUS], said(server)["error.type"]) == (
        "INVALID_ARGUMENT",
        "INVALID_ARGUMENT",
    )


def test_what_is_told_is_declared(told: Told, elsewhere: Elsewhere, plane: FramePlane) -> None:
    plane.redeem(elsewhere.put(pa.table({"n": [1]})))
    for end in told.ends():
        kind = declared(end.name)
        assert kind is not None
        assert set(said(end)) <= {*kind.attributes, "error.type", "assay.service"}
