"""Traces: one a request, across all services; kept as files and sent wherever OTLP points.

Spans go to <home>/traces/<trace id>.jsonl, which `assay trace` reads, and to the endpoint that
the standard variable OTEL_EXPORTER_OTLP_ENDPOINT names, if it is set. Attributes used by Assay are
listed in docs/telemetry.md.
"""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mesh import context as calls

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import ReadableSpan, Span, TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
    from opentelemetry.trace import SpanContext

log = logging.getLogger("assay.telemetry")
_TRACE_ID = re.compile(r"[0-9a-f]{32}")


def configure(folder: Path, service: str) -> TracerProvider:
    """Install the process's tracer provider; call once, before the first span.

    `service` names spans begun outside any call; inside calls the called service's name is used.
    """
    from opentelemetry import trace
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor
    from opentelemetry.trace import SpanKind

    class NameTheService(SpanProcessor):
        """All services may share a process: a span says itself which of them it belongs to."""

        def on_start(self, span: Span, parent_context: Context | None = None) -> None:
            if span.kind is SpanKind.SERVER:  # begun before the call's context is known
                mine = calls.service_of(span.name)
            else:
                mine = calls.current().service or service
            span.set_attribute("assay.service", mine)

    provider = TracerProvider(resource=Resource.create({"service.name": f"assay-{service}"}))
    provider.add_span_processor(NameTheService())
    provider.add_span_processor(BatchSpanProcessor(file_exporter(folder)))
    if os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT"):
        from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter

        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    return provider


def flush() -> None:
    """Write out spans that have ended."""
    from opentelemetry import trace

    provider: Any = trace.get_tracer_provider()
    if hasattr(provider, "force_flush"):
        provider.force_flush()


def current_trace_id() -> str:
    """The running trace as 32 hex characters; empty when there is none."""
    from opentelemetry import trace

    context = trace.get_current_span().get_span_context()
    return f"{context.trace_id:032x}" if context.is_valid else ""


def file_exporter(folder: Path) -> SpanExporter:
    """An exporter that appends each span to the file of its trace."""
    from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

    class FileExporter(SpanExporter):
        def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
            try:
                folder.mkdir(parents=True, exist_ok=True)
                for span in spans:
                    line = json.dumps(span_record(span), sort_keys=True) + "\n"
                    name = f"{_context(span).trace_id:032x}.jsonl"
                    with (folder / name).open("a", encoding="utf-8") as file:
                        file.write(line)
            except OSError as error:  # a full disk must not stop the work that is traced
                log.warning("spans could not be written to %s: %s", folder, error)
                return SpanExportResult.FAILURE
            return SpanExportResult.SUCCESS

    return FileExporter()


def _context(span: ReadableSpan) -> SpanContext:
    context = span.get_span_context()
    if context is None:  # only spans that were never started have none, and those do not end
        raise ValueError(f"span {span.name} has no context")
    return context


def span_record(span: ReadableSpan) -> dict[str, Any]:
    """A span as the JSON object kept in the trace's file."""
    from opentelemetry.trace import StatusCode

    attributes = dict(span.attributes or {})
    failed = span.status.status_code is StatusCode.ERROR
    return {
        "span_id": f"{_context(span).span_id:016x}",
        "parent_span_id": f"{span.parent.span_id:016x}" if span.parent else "",
        "name": span.name.lstrip("/"),
        "kind": span.kind.name.lower(),
        "service": str(attributes.pop("assay.service", "")),
        "start_unix_nano": span.start_time or 0,
        "end_unix_nano": span.end_time or 0,
        "attributes": {key: str(value) for key, value in attributes.items()},
        "error": (span.status.description or "failed") if failed else "",
    }


def read_trace(folder: Path, trace_id: str) -> list[dict[str, Any]]:
    """The spans kept for a trace, in order of start; empty when none were kept here."""
    path = folder / f"{trace_id}.jsonl"
    if not _TRACE_ID.fullmatch(trace_id) or not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").splitlines()
    return sorted((json.loads(line) for line in lines), key=lambda span: span["start_unix_nano"])
