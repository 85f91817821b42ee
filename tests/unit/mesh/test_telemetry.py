"""Spans kept as files: one file a trace, one line a span."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.trace import SpanKind, StatusCode, Tracer

from mesh.telemetry.sampling import sampler
from mesh.telemetry.trace_files import file_exporter, read_trace
from mesh.telemetry.tracing import current_trace_id


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "traces"


@pytest.fixture
def tracer(folder: Path) -> Iterator[Tracer]:
    """A tracer of its own: the process's provider can be set only once."""
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(file_exporter(folder)))
    yield provider.get_tracer("test")
    provider.shutdown()


def test_a_trace_is_read_back_as_a_tree_in_order_of_start(tracer: Tracer, folder: Path) -> None:
    with tracer.start_as_current_span("/assay.x/Ask", kind=SpanKind.SERVER) as root:
        trace_id = current_trace_id()
        with tracer.start_as_current_span("step", attributes={"assay.service": "planner"}):
            pass
    first, second = read_trace(folder, trace_id)
    assert first["name"] == "assay.x/Ask"
    assert first["kind"] == "server"
    assert first["parent_span_id"] == ""
    assert second["parent_span_id"] == first["span_id"]
    assert second["service"] == "planner"
    assert second["attributes"] == {}
    assert first["start_unix_nano"] <= second["start_unix_nano"] <= first["end_unix_nano"]
    assert f"{root.get_span_context().trace_id:032x}" == trace_id


def test_a_span_that_failed_says_why(tracer: Tracer, folder: Path) -> None:
    with tracer.start_as_current_span("step") as span:
        trace_id = current_trace_id()
        span.set_status(StatusCode.ERROR, "no such column")
    assert read_trace(folder, trace_id)[0]["error"] == "no such column"


@pytest.mark.parametrize("exporting", [False, True])
def test_who_only_looks_leaves_no_file_unless_somebody_gathers_all(
    folder: Path, monkeypatch: pytest.MonkeyPatch, exporting: bool
) -> None:
    monkeypatch.delenv("OTEL_TRACES_SAMPLER", raising=False)
    provider = TracerProvider(sampler=sampler(exporting))
    provider.add_span_processor(SimpleSpanProcessor(file_exporter(folder)))
    tracer = provider.get_tracer("test")
    with tracer.start_as_current_span("/assay.x/ListJobs", kind=SpanKind.SERVER):
        looked = current_trace_id()
        with tracer.start_as_current_span("assay.y/GetJob"):
            pass
    with tracer.start_as_current_span("/assay.x/CreateJob", kind=SpanKind.SERVER):
        worked = current_trace_id()
        with tracer.start_as_current_span("assay.y/GetJob"):
            pass
    assert len(read_trace(folder, looked)) == (2 if exporting else 0)
    assert len(read_trace(folder, worked)) == 2
    assert looked != worked, "logs name the trace, kept or not"
    with tracer.start_as_current_span("/grpc.health.v1.Health/Check", kind=SpanKind.SERVER):
        asked = current_trace_id()
    assert len(read_trace(folder, asked)) == (1 if exporting else 0)


def test_two_requests_are_two_files(tracer: Tracer, folder: Path) -> None:
    for _ in range(2):
        with tracer.start_as_current_span("ask"):
            pass
    files = sorted(folder.glob("*.jsonl"))
    assert len(files) == 2
    assert all(len(path.read_text().splitlines()) == 1 for path in files)
    json.loads(files[0].read_text())


@pytest.mark.parametrize("name", ["", "../secret", "f" * 31, "F" * 32, "0" * 32])
def test_what_is_no_trace_has_no_spans(folder: Path, name: str) -> None:
    assert read_trace(folder, name) == []


def test_a_disk_that_takes_nothing_does_not_stop_the_work(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(file_exporter(blocked / "traces")))
    with provider.get_tracer("test").start_as_current_span("ask"):
        pass
    assert "could not be written" in caplog.text


def test_outside_a_span_there_is_no_trace() -> None:
    assert current_trace_id() == ""
