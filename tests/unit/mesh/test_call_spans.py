"""Both ends of a call are told of by method, status and reason, and by nothing that was said."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
import pytest_asyncio
from grpc import aio
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from assay.executor.v1 import executor_service_pb2 as pb
from assay.executor.v1 import executor_service_pb2_grpc as pb_grpc
from mesh.errors import INVALID_ARGUMENT, SERVICE_UNAVAILABLE, AssayError, Reason
from mesh.keys import new_key
from mesh.telemetry import metrics
from mesh.telemetry.instruments import RPC_CLIENT, RPC_SERVER
from mesh.transport.dial import open_channel
from mesh.transport.interceptors import server_interceptors
from mesh.transport.seal import Seal

MARK = "quuxley"
METHOD = "assay.executor.v1.ExecutorService"


class Failing(pb_grpc.ExecutorServiceServicer):
    """Answers once, and fails with messages that nobody else may see."""

    def __init__(self) -> None:
        self.reason: Reason = INVALID_ARGUMENT

    async def ListTools(self, request: pb.ListToolsRequest, context: Any) -> pb.ListToolsResponse:
        return pb.ListToolsResponse()

    async def CancelCall(
        self, request: pb.CancelCallRequest, context: Any
    ) -> pb.CancelCallResponse:
        raise AssayError(self.reason, f"no column {MARK}", fields={"call_id": MARK})

    async def Execute(
        self, request: pb.ExecuteRequest, context: Any
    ) -> AsyncIterator[pb.ExecuteResponse]:
        yield pb.ExecuteResponse(progress=pb.Progress(message=MARK))
        raise RuntimeError(f"a bug at {MARK}")


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    told, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(told))
    monkeypatch.setattr("mesh.transport.interceptors.calling.tracer", provider.get_tracer("test"))
    monkeypatch.setattr("mesh.transport.interceptors.incoming.tracer", provider.get_tracer("test"))
    return told


@pytest.fixture
def reader() -> Iterator[InMemoryMetricReader]:
    reader = InMemoryMetricReader()
    provider = MeterProvider([reader])
    metrics.install(provider.get_meter("test"), "test")
    yield reader
    metrics.uninstall()
    provider.shutdown()


@pytest_asyncio.fixture
async def peer() -> AsyncIterator[tuple[Failing, Any]]:
    failing = Failing()  # type: ignore[abstract]
    seal = Seal([new_key()])
    server = aio.server(interceptors=server_interceptors(seal=seal))
    pb_grpc.add_ExecutorServiceServicer_to_server(failing, server)
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        target = f"unix:{Path(folder) / 'peer.sock'}"
        server.add_insecure_port(target)
        await server.start()
        async with open_channel(target, "ann", seal=seal) as channel:
            yield failing, pb_grpc.ExecutorServiceStub(channel)
        await server.stop(None)


def ends(spans: InMemorySpanExporter) -> tuple[Any, Any]:
    """The caller's span and the peer's."""
    by_kind = {span.kind: span for span in spans.get_finished_spans()}
    return by_kind[SpanKind.CLIENT], by_kind[SpanKind.SERVER]


@pytest.mark.parametrize("reason", [INVALID_ARGUMENT, SERVICE_UNAVAILABLE])
async def test_a_refusal_is_told_by_its_reason(
    peer: tuple[Failing, Any], spans: InMemorySpanExporter, reason: Reason
) -> None:
    failing, stub = peer
    failing.reason = reason
    with pytest.raises(grpc.RpcError, match=MARK):
        await stub.CancelCall(pb.CancelCallRequest(call_id=MARK))
    caller, callee = ends(spans)
    assert caller.context.trace_id == callee.context.trace_id
    for span in (caller, callee):
        assert span.attributes["rpc.method"] == f"{METHOD}/CancelCall"
        assert span.attributes["error.type"] == reason.code
        assert span.events == ()
        assert MARK not in span.to_json()
    assert caller.status.status_code is StatusCode.ERROR
    # A caller's mistake is no fault of the server, by OpenTelemetry's rules for gRPC.
    own = reason is SERVICE_UNAVAILABLE
    assert callee.status.status_code is (StatusCode.ERROR if own else StatusCode.UNSET)


async def test_a_stream_that_breaks_is_told_without_its_message(
    peer: tuple[Failing, Any], spans: InMemorySpanExporter
) -> None:
    with pytest.raises(grpc.RpcError):
        async for _ in peer[1].Execute(pb.ExecuteRequest()):
            pass
    # The server's end is told once its caller has heard the failure.
    async with asyncio.timeout(10):
        while len(spans.get_finished_spans()) < 2:
            await asyncio.sleep(0.01)
    for span in ends(spans):
        assert span.attributes["rpc.response.status_code"] == "INTERNAL"
        assert span.attributes["error.type"] == "INTERNAL"
        assert MARK not in span.to_json()


async def test_a_stream_that_is_left_ends_its_span_without_an_error(
    peer: tuple[Failing, Any], spans: InMemorySpanExporter
) -> None:
    call = peer[1].Execute(pb.ExecuteRequest())
    async for _ in call:
        call.cancel()
        break
    del call
    caller = [span for span in spans.get_finished_spans() if span.kind is SpanKind.CLIENT]
    assert [span.status.status_code for span in caller] in ([], [StatusCode.UNSET])


async def test_both_ends_of_every_call_are_measured(
    peer: tuple[Failing, Any], reader: InMemoryMetricReader
) -> None:
    _, stub = peer
    await stub.ListTools(pb.ListToolsRequest())
    await stub.ListTools(pb.ListToolsRequest())
    with pytest.raises(grpc.RpcError):
        await stub.CancelCall(pb.CancelCallRequest())
    data: Any = reader.get_metrics_data()
    found = {
        (metric.name, point.attributes["rpc.method"].rpartition("/")[2]): (
            point.count,
            point.attributes["rpc.response.status_code"],
            point.attributes.get("error.type"),
        )
        for metric in data.resource_metrics[0].scope_metrics[0].metrics
        for point in metric.data.data_points
    }
    for name in (RPC_CLIENT.name, RPC_SERVER.name):
        assert found[name, "ListTools"] == (2, "OK", None)
        assert found[name, "CancelCall"] == (1, "INVALID_ARGUMENT", "INVALID_ARGUMENT")
