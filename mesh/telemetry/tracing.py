"""Traces, metrics and sent log lines of a process: one trace a request, across all services.

Spans go to <home>/traces/<trace id>.jsonl (`mesh.telemetry.trace_files`), and with the metrics of
`mesh.telemetry.instruments` wherever OpenTelemetry's own variables say
(`mesh.telemetry.exporting`). Attributes used by Assay are listed in docs/telemetry.md.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mesh import context as calls
from mesh.telemetry.instruments import ERROR, SERVICE
from mesh.telemetry.metrics import failure_of
from mesh.telemetry.trace_ids import current_ids

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import Span as SdkSpan
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter
    from opentelemetry.trace import Span


@contextmanager
def configured(
    folder: Path, service: str, keep_days: float = 30.0, keep_bytes: int = 0
) -> Iterator[None]:
    """Keep this process's traces in `folder`, as `file_exporter` does; export where the environment
    says.

    Enter once, before the first span; what is still to be told is told on leaving. `service` names
    what is done outside any call; inside calls the called service's name is used.
    """
    from mesh.telemetry import exporting
    from mesh.telemetry.trace_files import file_exporter

    resource = _resource(service)
    tracing = _tracing([file_exporter(folder, keep_days, keep_bytes)], service, resource)
    end_metrics = exporting.metrics(resource, service)
    end_logs = exporting.logs(resource)
    try:
        yield
    finally:
        tracing.shutdown()
        end_metrics()
        end_logs()


@contextmanager
def traced(folder: Path | None, service: str, *, swept: bool = True) -> Iterator[None]:
    """Have spans told, and nothing else, by a process that serves nobody.

    They go to files of `folder`, where there is one, of which old ones are removed if it is `swept`
    here, and where the environment says. Enter once, before the first span.
    """
    from mesh.telemetry.trace_files import MOST_BYTES, file_exporter

    files = []
    if folder is not None:
        files.append(file_exporter(folder, *((30.0, MOST_BYTES) if swept else (0.0, 0))))
    tracing = _tracing(files, service, _resource(service))
    try:
        yield
    finally:
        tracing.shutdown()


def is_exporting() -> bool:
    """Whether this process tells its spans."""
    from opentelemetry import trace

    return hasattr(trace.get_tracer_provider(), "force_flush")


def _resource(service: str) -> Resource:
    """What this process is; OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES have the last word.

    Each process is an instance of its own: the metrics of replicas would pass for one another's.
    """
    from opentelemetry.sdk.resources import OTELResourceDetector, Resource

    named = {"service.name": f"assay-{service}", "service.instance.id": str(uuid.uuid4())}
    return Resource.create(named).merge(OTELResourceDetector().detect())


def _tracing(files: Iterable[SpanExporter], service: str, resource: Resource) -> TracerProvider:
    from opentelemetry import trace
    from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor
    from opentelemetry.trace import SpanKind

    from mesh.telemetry.exporting import span_exporters
    from mesh.telemetry.sampling import sampler

    class NameTheService(SpanProcessor):
        """All services may share a process: a span says itself which of them it belongs to."""

        def on_start(self, span: SdkSpan, parent_context: Context | None = None) -> None:
            if SERVICE in (span.attributes or {}):
                return
            if span.kind is SpanKind.SERVER:  # begun before the call's context is known
                mine = calls.service_of(span.name)
            else:
                mine = calls.current().service or service
            span.set_attribute(SERVICE, mine)

    exporters = span_exporters()
    provider = TracerProvider(resource=resource, sampler=sampler(exporting=bool(exporters)))
    provider.add_span_processor(NameTheService())
    for exporter in (*files, *exporters):
        provider.add_span_processor(BatchSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    return provider


@contextmanager
def span(name: str, attributes: Mapping[str, str] | None = None) -> Iterator[Span]:
    """A span around the block, below the running one; the way to begin one outside interceptors.

    A block that raises is a failed span, of which it is told why, but not what the message says:
    messages are for whoever asked and may repeat what the data holds.
    """
    from opentelemetry import trace

    with trace.get_tracer("assay").start_as_current_span(
        name,
        attributes=attributes,
        record_exception=False,
        set_status_on_exception=False,
    ) as begun:
        try:
            yield begun
        except Exception as error:
            failed(begun, failure_of(error))
            raise


def failed(span: Span, why: str) -> None:
    """Mark a span as failed; `why` is a reason, a category or a kind of exception."""
    from opentelemetry.trace import StatusCode

    span.set_attribute(ERROR, why)
    span.set_status(StatusCode.ERROR, why)


def fail_running(why: str) -> None:
    """Mark the running span as failed, where what it covers fails without raising."""
    from opentelemetry import trace

    failed(trace.get_current_span(), why)


def flush() -> None:
    """Write out spans that have ended."""
    from opentelemetry import trace

    provider: Any = trace.get_tracer_provider()
    if hasattr(provider, "force_flush"):
        provider.force_flush()


def current_trace_id() -> str:
    """The running trace as 32 hex characters; empty when there is none."""
    return current_ids()[0]
