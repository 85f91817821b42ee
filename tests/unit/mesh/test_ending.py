"""A call that its caller gives up ends at its peer too, and in the trace."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from grpc import aio
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind

from assay.executor.v1 import executor_service_pb2 as pb
from assay.executor.v1 import executor_service_pb2_grpc as pb_grpc
from mesh.keys import new_key
from mesh.transport.dial import open_channel
from mesh.transport.interceptors import server_interceptors
from mesh.transport.seal import Seal


class Patient(pb_grpc.ExecutorServiceServicer):
    """Begins to serve, and waits for what does not come."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.ended = asyncio.Event()

    async def ListTools(self, request: pb.ListToolsRequest, context: Any) -> pb.ListToolsResponse:
        await self._wait()
        return pb.ListToolsResponse()

    async def PutSource(
        self, request_iterator: AsyncIterator[pb.PutSourceRequest], context: Any
    ) -> pb.PutSourceResponse:
        await anext(request_iterator)
        await self._wait()
        return pb.PutSourceResponse()

    async def _wait(self) -> None:
        self.begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.ended.set()


async def endless() -> AsyncIterator[pb.PutSourceRequest]:
    yield pb.PutSourceRequest(head=pb.PutSourceHead(name="orders.csv"))
    await asyncio.Event().wait()


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    """What clients' spans are told to: the process's own provider can be set only once."""
    told, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(told))
    monkeypatch.setattr("mesh.transport.interceptors.calling.tracer", provider.get_tracer("test"))
    return told


@pytest.mark.parametrize("kind", ["one request", "a stream of requests"])
async def test_a_call_that_is_given_up_ends_where_it_is_served_and_in_the_trace(
    kind: str, spans: InMemorySpanExporter
) -> None:
    patient, seal = Patient(), Seal([new_key()])  # type: ignore[abstract]
    server = aio.server(interceptors=server_interceptors(seal=seal))
    pb_grpc.add_ExecutorServiceServicer_to_server(patient, server)
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        target = f"unix:{Path(folder) / 'peer.sock'}"
        server.add_insecure_port(target)
        await server.start()
        async with open_channel(target, "ann", seal=seal) as channel:
            stub = pb_grpc.ExecutorServiceStub(channel)
            one = kind == "one request"
            call = stub.ListTools(pb.ListToolsRequest()) if one else stub.PutSource(endless())
            await asyncio.wait_for(patient.begun.wait(), 10)
            call.cancel()
            await asyncio.wait_for(patient.ended.wait(), 5)
        await server.stop(None)
    mine = [span for span in spans.get_finished_spans() if span.kind is SpanKind.CLIENT]
    assert [(span.attributes or {})["rpc.response.status_code"] for span in mine] == ["CANCELLED"]
