"""OpenTelemetry's variables mean here what OpenTelemetry says they mean."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from mesh.telemetry.exporting import _wanted, logs
from mesh.telemetry.tracing import _resource

REPOSITORY = Path(__file__).parents[3]
GRPC, HTTP = "otlp_proto_grpc", "otlp_proto_http"
ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"

# One span and one measurement, told as a service would.
PROGRAM = """
import json, sys
from pathlib import Path
from mesh.telemetry import tracing as telemetry
from mesh.telemetry.instruments import TOOL_SECONDS
from mesh.telemetry.metrics import record
with telemetry.configured(Path(sys.argv[1]), "executor"):
    with telemetry.span("tool sql.run"):
        record(TOOL_SECONDS, 0.5, {"assay.tool": "sql.run"})
        traced = telemetry.current_trace_id()
print(json.dumps({"traced": traced, "modules": sorted(sys.modules)}))
"""


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("OTEL_")]:
        monkeypatch.delenv(name)


@pytest.mark.parametrize(
    ("variables", "traces", "metrics"),
    [
        ({}, [], []),
        ({ENDPOINT: "http://c:4317"}, [GRPC], [GRPC]),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://c:4317"}, [GRPC], []),
        ({"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "http://c:4317"}, [], [GRPC]),
        ({ENDPOINT: "http://c", "OTEL_TRACES_EXPORTER": "none"}, [], [GRPC]),
        ({"OTEL_TRACES_EXPORTER": "otlp"}, [GRPC], []),
        ({"OTEL_METRICS_EXPORTER": "prometheus, otlp"}, [], ["prometheus", GRPC]),
        ({"OTEL_METRICS_EXPORTER": "console"}, [], ["console"]),
        ({ENDPOINT: "http://c", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}, [HTTP], [HTTP]),
        (
            {ENDPOINT: "http://c", "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL": "http/protobuf"},
            [GRPC],
            [HTTP],
        ),
        ({ENDPOINT: "http://c", "OTEL_EXPORTER_OTLP_PROTOCOL": "pigeon"}, [GRPC], [GRPC]),
        ({ENDPOINT: ""}, [], []),
        ({ENDPOINT: "http://c", "OTEL_SDK_DISABLED": "TRUE"}, [], []),
    ],
)
def test_exporters_are_those_that_are_named(
    monkeypatch: pytest.MonkeyPatch,
    variables: Mapping[str, str],
    traces: list[str],
    metrics: list[str],
) -> None:
    for name, text in variables.items():
        monkeypatch.setenv(name, text)
    assert [name for _, name in _wanted("traces")] == traces
    assert [name for _, name in _wanted("metrics")] == metrics


def ran(folder: Path, **variables: str) -> tuple[dict[str, object], str]:
    """What the program told, and what it said on standard error."""
    clean = {name: text for name, text in os.environ.items() if not name.startswith("OTEL_")}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder)],
        cwd=REPOSITORY,
        env={**clean, **variables},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1]), done.stderr


def test_where_nothing_is_asked_for_traces_are_kept_here_and_no_exporter_is_imported(
    tmp_path: Path,
) -> None:
    told, _ = ran(tmp_path)
    assert [path.name for path in tmp_path.glob("*.jsonl")] == [f"{told['traced']}.jsonl"]
    modules = told["modules"]
    assert isinstance(modules, list)
    exporting = ("opentelemetry.exporter", "prometheus_client", "requests")
    assert [name for name in modules if name.startswith(exporting)] == []
    assert "opentelemetry.sdk.metrics.export" not in modules


def test_a_disabled_sdk_keeps_no_trace_either(tmp_path: Path) -> None:
    told, _ = ran(tmp_path, OTEL_SDK_DISABLED="true")
    assert told["traced"] == ""
    assert list(tmp_path.iterdir()) == []


def test_a_sampler_that_takes_nothing_keeps_nothing(tmp_path: Path) -> None:
    told, _ = ran(tmp_path, OTEL_TRACES_SAMPLER="always_off")
    assert told["traced"], "the trace has an id all the same, for its peers"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"OTEL_METRICS_EXPORTER": "pigeon"}, "there is no exporter pigeon"),
        (
            {"OTEL_METRICS_EXPORTER": "prometheus", "OTEL_EXPORTER_PROMETHEUS_HOST": "192.0.2.1"},
            "the exporter prometheus cannot begin",
        ),
    ],
)
def test_an_exporter_that_cannot_be_had_stops_nobody(
    tmp_path: Path, variables: dict[str, str], said: str
) -> None:
    told, errors = ran(tmp_path, **variables)
    assert told["traced"]
    assert said in errors
    assert "Traceback" not in errors


class Collector(BaseHTTPRequestHandler):
    """OTLP over HTTP: what came by path."""

    posted: dict[str, bytes]

    def do_POST(self) -> None:  # the library's name
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.posted[f"{self.path} {self.headers['x-team']}"] = body
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def collector() -> Iterator[tuple[str, dict[str, bytes]]]:
    posted: dict[str, bytes] = {}
    handler = type("Handler", (Collector,), {"posted": posted})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", posted
    server.shutdown()
    thread.join()
    server.server_close()


def test_otlp_over_http_with_headers_and_a_name_of_ones_own(
    tmp_path: Path, collector: tuple[str, dict[str, bytes]]
) -> None:
    endpoint, posted = collector
    ran(
        tmp_path,
        OTEL_EXPORTER_OTLP_ENDPOINT=endpoint,
        OTEL_EXPORTER_OTLP_PROTOCOL="http/protobuf",
        OTEL_EXPORTER_OTLP_HEADERS="x-team=data",
        OTEL_SERVICE_NAME="analyst",
        OTEL_RESOURCE_ATTRIBUTES="service.name=other,deployment.environment.name=tests",
    )
    assert set(posted) == {"/v1/traces data", "/v1/metrics data"}
    traces = ExportTraceServiceRequest.FromString(posted["/v1/traces data"])
    metrics = ExportMetricsServiceRequest.FromString(posted["/v1/metrics data"])
    for resource in (traces.resource_spans[0].resource, metrics.resource_metrics[0].resource):
        named = {item.key: item.value.string_value for item in resource.attributes}
        assert named["service.name"] == "analyst"
        assert named["deployment.environment.name"] == "tests"
    (metric,) = metrics.resource_metrics[0].scope_metrics[0].metrics
    assert metric.name == "assay.tool.duration"


def test_each_process_is_an_instance_of_its_own_unless_it_is_given_a_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two replicas that had the same attributes would overwrite each other's metrics."""
    first, second = (_resource("planner").attributes["service.instance.id"] for _ in range(2))
    assert first and first != second

    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "k8s.pod.name=p-0,service.instance.id=p-0")
    given = _resource("planner").attributes
    assert (given["service.instance.id"], given["k8s.pod.name"]) == ("p-0", "p-0")
    assert given["service.name"] == "assay-planner"


@pytest.mark.parametrize(
    ("variables", "sent"),
    [
        ({ENDPOINT: "http://127.0.0.1:1"}, 0),
        ({"OTEL_LOGS_EXPORTER": "none"}, 0),
        ({"OTEL_LOGS_EXPORTER": "console"}, 1),
        ({"OTEL_LOGS_EXPORTER": "console", "OTEL_SDK_DISABLED": "true"}, 0),
    ],
)
def test_lines_are_sent_only_where_an_exporter_is_named(
    monkeypatch: pytest.MonkeyPatch, variables: Mapping[str, str], sent: int
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    root = logging.getLogger()
    before = list(root.handlers)
    end = logs(_resource("planner"))
    try:
        assert len(root.handlers) - len(before) == sent
    finally:
        end()
    assert root.handlers == before
