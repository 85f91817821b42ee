"""A collector: OTLP over gRPC as OpenTelemetry defines it, keeping what it is sent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2, logs_service_pb2_grpc
from opentelemetry.proto.collector.metrics.v1 import (
    metrics_service_pb2,
    metrics_service_pb2_grpc,
)
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc


class Receiver:
    """What arrived: spans and metrics, each with the name of the service that sent it; lines."""

    def __init__(self) -> None:
        self.lines: list[Any] = []
        """Every log record, as it came."""
        self.spans: list[tuple[str, Any]] = []
        self.metrics: dict[str, Any] = {}
        """The newest state of each metric, by name: sums and histograms are cumulative."""
        self.seen: set[str] = set()
        """Every metric that ever arrived, as text."""
        self.arrived = asyncio.Event()

    def trace(self, trace_id: str) -> list[tuple[str, Any]]:
        return [item for item in self.spans if item[1].trace_id.hex() == trace_id]


class _Traces(trace_service_pb2_grpc.TraceServiceServicer):
    def __init__(self, receiver: Receiver) -> None:
        self._receiver = receiver

    async def Export(
        self, request: trace_service_pb2.ExportTraceServiceRequest, context: Any
    ) -> trace_service_pb2.ExportTraceServiceResponse:
        for resource in request.resource_spans:
            name = _service(resource)
            for scope in resource.scope_spans:
                self._receiver.spans += [(name, span) for span in scope.spans]
        self._receiver.arrived.set()
        return trace_service_pb2.ExportTraceServiceResponse()


class _Metrics(metrics_service_pb2_grpc.MetricsServiceServicer):
    def __init__(self, receiver: Receiver) -> None:
        self._receiver = receiver

    async def Export(
        self, request: metrics_service_pb2.ExportMetricsServiceRequest, context: Any
    ) -> metrics_service_pb2.ExportMetricsServiceResponse:
        for resource in request.resource_metrics:
            self._receiver.seen.add(str(resource))
            for scope in resource.scope_metrics:
                self._receiver.metrics |= {metric.name: metric for metric in scope.metrics}
        self._receiver.arrived.set()
        return metrics_service_pb2.ExportMetricsServiceResponse()


class _Logs(logs_service_pb2_grpc.LogsServiceServicer):
    def __init__(self, receiver: Receiver) -> None:
        self._receiver = receiver

    async def Export(
        self, request: logs_service_pb2.ExportLogsServiceRequest, context: Any
    ) -> logs_service_pb2.ExportLogsServiceResponse:
        for resource in request.resource_logs:
            for scope in resource.scope_logs:
                self._receiver.lines += scope.log_records
        self._receiver.arrived.set()
        return logs_service_pb2.ExportLogsServiceResponse()


def _service(resource: Any) -> str:
    names = {item.key: item.value.string_value for item in resource.resource.attributes}
    return str(names["service.name"])


@asynccontextmanager
async def receiving() -> AsyncIterator[tuple[Receiver, str]]:
    """A collector that runs, and the endpoint that OTEL_EXPORTER_OTLP_ENDPOINT names."""
    server, receiver = grpc.aio.server(), Receiver()
    add_traces: Any = trace_service_pb2_grpc.add_TraceServiceServicer_to_server
    add_traces(_Traces(receiver), server)
    add_metrics: Any = metrics_service_pb2_grpc.add_MetricsServiceServicer_to_server
    add_metrics(_Metrics(receiver), server)
    add_logs: Any = logs_service_pb2_grpc.add_LogsServiceServicer_to_server
    add_logs(_Logs(receiver), server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    yield receiver, f"http://127.0.0.1:{port}"
    await server.stop(None)
