"""Instruments: declared once, documented, recorded only where somebody asked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader

from mesh import context as calls
from mesh.errors import SERVICE_UNAVAILABLE, AssayError
from mesh.telemetry import metrics
from mesh.telemetry.instruments import (
    CACHE_LOOKUPS,
    INSTRUMENTS,
    JOBS,
    RPC_CLIENT,
    RPC_SERVER,
    SERVICE,
    Instrument,
    Kind,
)
from mesh.tool import ErrorCategory, ToolError

PAGE = Path(__file__).parents[3] / "docs" / "telemetry.md"


@pytest.fixture
def reader() -> Iterator[InMemoryMetricReader]:
    reader = InMemoryMetricReader()
    provider = MeterProvider([reader])
    metrics.install(provider.get_meter("test"), "planner")
    yield reader
    metrics.uninstall()
    provider.shutdown()


def told(reader: InMemoryMetricReader) -> dict[str, list[Any]]:
    data = reader.get_metrics_data()
    return {
        metric.name: list(metric.data.data_points)
        for resource in (data.resource_metrics if data else ())
        for scope in resource.scope_metrics
        for metric in scope.metrics
    }


def row(instrument: Instrument) -> str:
    attributes = ", ".join(f"`{name}`" for name in instrument.attributes) or "–"
    return (
        f"| `{instrument.name}` | {instrument.kind} | {instrument.unit} | {attributes} | "
        f"{instrument.meaning} |"
    )


def test_the_page_lists_exactly_what_is_declared() -> None:
    listed = re.compile(r"^\| `[a-z_.]+` \| (?:histogram|counter|gauge) \|.*$", re.MULTILINE)

    assert listed.findall(PAGE.read_text()) == [row(instrument) for instrument in INSTRUMENTS]


def test_names_are_declared_once_and_histograms_have_rising_bounds() -> None:
    names = [instrument.name for instrument in INSTRUMENTS]
    assert len(names) == len(set(names))
    for instrument in INSTRUMENTS:
        assert bool(instrument.buckets) == (instrument.kind is Kind.HISTOGRAM)
        assert list(instrument.buckets) == sorted(set(instrument.buckets))


def test_a_measurement_names_the_service_that_runs(reader: InMemoryMetricReader) -> None:
    with calls.changed(service="audit"):
        metrics.record(RPC_CLIENT, 0.25, {"rpc.method": "a/B", "error.type": ""})
    metrics.record(RPC_CLIENT, 0.5, {"rpc.method": "a/B"})

    points = told(reader)[RPC_CLIENT.name]
    assert [(p.sum, dict(p.attributes)) for p in points] == [
        (0.25, {SERVICE: "audit", "rpc.method": "a/B"}),
        (0.5, {SERVICE: "planner", "rpc.method": "a/B"}),
    ]


def test_nothing_is_recorded_before_and_after(reader: InMemoryMetricReader) -> None:
    metrics.uninstall()
    metrics.looked_up("sources", hit=True)
    assert CACHE_LOOKUPS.name not in told(reader)


def test_a_gauge_is_looked_up_when_asked_and_until_it_is_stopped(
    reader: InMemoryMetricReader,
) -> None:
    held = [3.0]
    stop = metrics.observe(JOBS, "planner", lambda: [(held[0], {"assay.state": "waiting"})])
    assert [point.value for point in told(reader)[JOBS.name]] == [3.0]
    held[0] = 4.0
    assert [point.value for point in told(reader)[JOBS.name]] == [4.0]
    stop()
    assert JOBS.name not in told(reader)


def test_a_gauge_that_cannot_be_looked_up_hides_no_other(
    reader: InMemoryMetricReader, caplog: pytest.LogCaptureFixture
) -> None:
    def away() -> list[metrics.Reading]:
        raise AssayError(SERVICE_UNAVAILABLE, "the database is away")

    stops = [
        metrics.observe(JOBS, "planner", away),
        metrics.observe(JOBS, "planner", lambda: [(1, {})]),
    ]
    assert [point.value for point in told(reader)[JOBS.name]] == [1]
    assert "assay.jobs cannot be looked up: SERVICE_UNAVAILABLE" in caplog.text
    for stop in stops:
        stop()


def test_services_of_one_process_are_told_apart(reader: InMemoryMetricReader) -> None:
    for service in ("audit", "memory"):
        with calls.changed(service=service):
            metrics.record(RPC_SERVER, 1.0, {"rpc.method": "a/B"})
    points = told(reader)[RPC_SERVER.name]
    assert {point.attributes[SERVICE] for point in points} == {"audit", "memory"}


@pytest.mark.parametrize(
    ("error", "name"),
    [
        (AssayError(SERVICE_UNAVAILABLE, "secret"), "SERVICE_UNAVAILABLE"),
        (ToolError(ErrorCategory.MISSING_COLUMN, "secret"), "missing_column"),
        (ValueError("secret"), "ValueError"),
    ],
)
def test_a_failure_is_named_without_its_message(error: Exception, name: str) -> None:
    assert metrics.failure_of(error) == name
