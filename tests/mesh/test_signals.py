"""What a running mesh tells whoever runs it: metrics, failed spans, log lines, and no data."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from assay.common.v1 import job_pb2
from mesh.config import SERVICES
from mesh.telemetry.instruments import BREAKER_STATE, ERROR, INSTRUMENTS, JOBS, SERVICE, Kind
from mesh.telemetry.spans import ATTRIBUTES, CONTENT, SPANS, declared
from tests.deployment.asked import shown
from tests.mesh.told import MARK, Told, attributes, told_by_a_mesh, value

pytest.importorskip("pydantic_ai", reason="the extra `llm` is not installed")

# One mesh is started and asked for all of them, which counts to the first.
pytestmark = pytest.mark.timeout(1500)


@pytest.fixture(scope="module")
def told() -> Iterator[Told]:
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        yield asyncio.run(told_by_a_mesh(Path(folder)))


def test_the_questions_ended_as_they_should(told: Told) -> None:
    states = {name: (job.state, job.failure.reason) for name, job in told.jobs.items()}
    completed = (job_pb2.JOB_STATE_COMPLETED, "")
    assert states["answered"] == states["again"] == states["by a model"] == completed, states
    assert states["no such file"] == (job_pb2.JOB_STATE_FAILED, "SOURCE_NOT_FOUND")


@pytest.mark.parametrize("instrument", INSTRUMENTS, ids=lambda instrument: instrument.name)
def test_every_instrument_is_told_as_it_is_declared(told: Told, instrument: Any) -> None:
    assert instrument.name in told.receiver.metrics
    metric = told.receiver.metrics[instrument.name]
    assert (metric.unit, metric.description) == (instrument.unit, instrument.meaning)
    kinds = {Kind.HISTOGRAM: "histogram", Kind.COUNTER: "sum", Kind.GAUGE: "gauge"}
    assert metric.WhichOneof("data") == kinds[instrument.kind]
    points = told.points(instrument.name)
    assert points
    allowed = {*instrument.attributes, SERVICE}
    assert [a for a in map(attributes, points) if not set(a) <= allowed] == []
    assert {attributes(point)[SERVICE] for point in points} <= set(SERVICES) | {"grpc"}
    assert all(value(point) >= 0 for point in points)
    if instrument.kind is not Kind.GAUGE:
        assert sum(map(value, points)) > 0


def test_nothing_is_told_that_is_not_declared(told: Told) -> None:
    assert set(told.receiver.metrics) == {instrument.name for instrument in INSTRUMENTS}


NOT_HERE = {
    "assay ": "it is a command's: tests/e2e/test_command_traced",
    "investigation": "another kind of job, begun by the same line: tests/mesh/test_investigations",
    "causal": "another kind of job, begun by the same line: tests/mesh/test_causal_jobs",
    "sandbox": "needs a sandbox: tests/mesh/test_python_run",
    "look up for model": "this one looks nothing up: tests/unit/planner/test_reasoner_llm_lookups",
    "domain call": "needs a server of tools: tests/mesh/test_domains_asked",
}


def test_every_span_and_attribute_that_is_told_is_declared(told: Told) -> None:
    spans = [span for _, span in told.receiver.spans]
    undeclared = {span.name for span in spans if declared(span.name.lstrip("/")) is None}
    assert undeclared == set()
    for span in spans:
        kind = declared(span.name.lstrip("/"))
        assert kind is not None
        given = attributes(span)
        assert given.pop(SERVICE) in kind.services, span.name
        assert set(given) <= {*kind.attributes, ERROR}, span.name
        assert not set(given) & CONTENT, span.name


def test_every_span_and_attribute_that_is_declared_is_told_or_has_its_reason(told: Told) -> None:
    spans = [span for _, span in told.receiver.spans]
    seen = {kind.name for span in spans if (kind := declared(span.name.lstrip("/")))}
    assert {kind.name for kind in SPANS} - seen == set(NOT_HERE)
    given = {name for span in spans for name in attributes(span)}
    by_flight = {"server.address", "server.port"}  # which here, on one machine, nothing comes by
    of_lookups = {"assay.found", "assay.lookup"}
    assert set(ATTRIBUTES) - given == CONTENT | by_flight | of_lookups


def test_figures_agree_with_what_was_asked(told: Told) -> None:
    def counted(name: str, **wanted: str) -> int:
        keys = {key.replace("__", "."): text for key, text in wanted.items()}
        found = [p for p in told.points(name) if keys.items() <= attributes(p).items()]
        return int(sum(p.count if hasattr(p, "bucket_counts") else value(p) for p in found))

    ended = len(told.jobs)
    create = "assay.gateway.v1.JobService/CreateJob"
    served = {"rpc__method": create, "rpc__response__status_code": "OK"}
    assert counted("rpc.server.call.duration", **served) == ended
    refused = {"rpc__method": create, "error__type": "INVALID_ARGUMENT"}
    assert counted("rpc.server.call.duration", **refused) == 1
    assert counted("assay.job.duration") == ended
    assert counted("assay.job.duration", assay__state="completed") == 3
    assert counted("assay.job.duration", error__type="SOURCE_NOT_FOUND") == 1
    assert counted(JOBS.name, assay__state="waiting", assay__kind="analysis") == 0
    assert counted(JOBS.name, assay__state="executing") == 0
    assert counted("assay.step.duration", assay__tool="sql.run", assay__state="done") == 3
    assert counted("assay.tool.duration", assay__tool="sql.run") == 3
    assert counted("gen_ai.client.operation.duration") == 2, "one request for a question"
    tokens = {
        attributes(point)["gen_ai.token.type"]: value(point)
        for point in told.points("gen_ai.client.token.usage")
    }
    assert tokens == {"input": 1800, "output": 200}
    (cost,) = told.points("assay.model.cost")
    assert value(cost) == pytest.approx(0.0038)
    assert counted(BREAKER_STATE.name, assay__breaker="memory", assay__breaker__state="closed") == 1
    assert counted(BREAKER_STATE.name, assay__breaker="model", assay__breaker__state="open") == 0
    recipes = {"assay__cache": "recipes", "assay__cache__result": "hit"}
    assert counted("assay.cache.lookups", **recipes) == 1
    sources = {"assay__cache": "sources", "assay__cache__result": "miss"}
    assert counted("assay.cache.lookups", **sources) == 1


def test_prometheus_reads_the_same(told: Told) -> None:
    families = {family.name: family for family in text_string_to_metric_families(told.scraped)}

    assert {"rpc_server_call_duration_seconds", "assay_jobs", "assay_frame_bytes"} <= set(families)
    states = {
        sample.labels["assay_state"]: sample.value
        for sample in families["assay_jobs"].samples
        if sample.labels["assay_kind"] == "analysis"
    }
    assert states == {"submitted": 0, "planning": 0, "executing": 0, "waiting": 0}
    assert families["target_info"].samples[0].labels["service_name"] == "assay-assay"
    assert families["target_info"].samples[0].labels["deployment_environment_name"] == "tests"


@pytest.mark.parametrize("name", shown("1m", "1h"))
def test_every_panel_of_the_dashboard_shows_something(told: Told, name: str) -> None:
    """As Prometheus itself answers what the panel asks, of this mesh."""
    if told.shown is None:
        pytest.skip("there is no prometheus here: `make tools` fetches it where apt is")
    values = [value for _, line in told.shown[name] for _, value in line]
    assert values, name
    if name.startswith(("Calls served", "Time of", "Time to", "Jobs that ended", "Bytes of")):
        assert max(values) > 0, name


def test_no_alert_is_about_a_mesh_that_does_what_it_should(told: Told) -> None:
    """Of those that go by what is now; that one answer in five fails is so here."""
    named = {labels["alertname"] for labels, _ in told.alerts}
    assert named <= {"AssayAnswersFail"}


def test_a_failed_job_is_a_failed_span(told: Told) -> None:
    job = told.jobs["no such file"]
    (span,) = [s for _, s in told.receiver.trace(job.trace_id) if s.name == "analysis"]

    assert span.status.code == 2  # ERROR, by OpenTelemetry's protocol
    assert span.status.message == attributes(span)["error.type"] == "SOURCE_NOT_FOUND"
    (fine,) = [
        s for _, s in told.receiver.trace(told.jobs["answered"].trace_id) if s.name == "analysis"
    ]
    assert fine.status.code == 0


@pytest.mark.parametrize("name", ["answered", "no such file"])
def test_a_job_has_one_line_when_it_starts_and_one_when_it_ends(told: Told, name: str) -> None:
    job = told.jobs[name]
    lines = [line for line in told.lines() if line.get("job_id") == job.job_id]
    started, ended = [line for line in lines if line.get("event", "").startswith("job ")]

    assert (started["event"], started["level"]) == ("job started", "INFO")
    for line in (started, ended):
        assert line["trace_id"] == job.trace_id
        assert (line["tenant"], line["service"]) == ("ann", "planner")
    assert len(ended["span_id"]) == 16
    assert (ended["event"], ended["kind"]) == ("job ended", "analysis")
    assert ended["state"] == ("completed" if name == "answered" else "failed")
    assert ended.get("reason", "") == job.failure.reason
    assert ended["seconds"] > 0
    assert ended["steps_done"] == ended["steps"] == len(job.steps)


@pytest.mark.parametrize("name", ["answered", "no such file"])
def test_the_lines_of_a_job_are_sent_as_they_are_written(told: Told, name: str) -> None:
    job = told.jobs[name]
    sent = [line for line in told.receiver.lines if attributes(line).get("job_id") == job.job_id]
    events = {attributes(line).get("event"): line for line in sent}

    for event in ("job started", "job ended"):
        line = events[event]
        assert (line.severity_text, attributes(line)["service"]) == ("INFO", "planner")
        assert line.trace_id.hex() == job.trace_id
        assert job.job_id in line.body.string_value
    assert not {"time", "level", "message"} & set(attributes(events["job ended"]))


def test_no_span_metric_or_line_holds_what_was_asked_or_found(told: Told) -> None:
    assert MARK in str(told.jobs["answered"]), "the mark is in the answer"
    assert [span.name for _, span in told.receiver.spans if MARK in str(span)] == []
    assert not [text for text in told.receiver.seen if MARK in text]
    assert MARK not in told.scraped
    assert told.receiver.lines
    assert [line for line in told.receiver.lines if MARK in str(line)] == []
    assert [line for line in told.log.splitlines() if MARK in line] == []
