"""One trace a request: every service's spans, hung together, kept here and sent wherever asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from assay.common.v1 import job_pb2
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from mesh.config import SERVICES, MeshSettings
from tests.busy import allowing
from tests.mesh.otlp import Receiver, receiving
from tests.mesh.support import Caller, processes, question

CREATE = "assay.gateway.v1.JobService/CreateJob"
PLANNER_CREATE = "assay.planner.v1.PlannerService/CreateJob"
EXECUTE = "assay.executor.v1.ExecutorService/Execute"
DESCRIBE = "assay.executor.v1.ExecutorService/DescribeSource"
RECALL = "assay.memory.v1.MemoryService/RecallRecipes"
APPEND = "assay.audit.v1.AuditService/Append"

# (child's service, child's name, parent's service, parent's name): what called what.
EDGES = {
    ("gateway", PLANNER_CREATE, "gateway", CREATE),
    ("planner", PLANNER_CREATE, "gateway", PLANNER_CREATE),
    ("planner", APPEND, "planner", PLANNER_CREATE),
    ("audit", APPEND, "planner", APPEND),
    ("planner", "analysis", "planner", PLANNER_CREATE),
    ("planner", DESCRIBE, "planner", "analysis"),
    ("executor", DESCRIBE, "planner", DESCRIBE),
    ("planner", RECALL, "planner", "analysis"),
    ("memory", RECALL, "planner", RECALL),
    ("planner", "decide plan", "planner", "analysis"),
    ("planner", "step load", "planner", "analysis"),
    ("planner", EXECUTE, "planner", "step load"),
    ("executor", EXECUTE, "planner", EXECUTE),
    ("executor", "tool sql.run", "executor", EXECUTE),
    ("executor", "query", "executor", "tool sql.run"),
    ("planner", "step chart", "planner", "analysis"),
    ("executor", "tool plot.render", "executor", EXECUTE),
    ("planner", "conclude", "planner", "analysis"),
}
QUICK = {"OTEL_BSP_SCHEDULE_DELAY": "50"}  # milliseconds until spans are written


@pytest_asyncio.fixture
async def receiver() -> AsyncIterator[tuple[Receiver, str]]:
    async with receiving() as running:
        yield running


def edges(spans: list[jobs_pb.Span]) -> set[tuple[str, str, str, str]]:
    known = {span.span_id: span for span in spans}
    return {
        (span.service, span.name, parent.service, parent.name)
        for span in spans
        if (parent := known.get(span.parent_span_id)) is not None
    }


def orphans(spans: list[jobs_pb.Span]) -> list[str]:
    known = {span.span_id for span in spans} | {""}
    return [span.name for span in spans if span.parent_span_id not in known]


async def whole_trace(
    caller: Caller, job_id: str, wanted: set[tuple[str, str, str, str]]
) -> jobs_pb.GetTraceResponse:
    """The trace once every process has written its part; each look takes a call's time."""
    spans: list[jobs_pb.Span] = []
    try:
        async with asyncio.timeout(allowing(20)):
            while True:
                trace = await caller.jobs.GetTrace(jobs_pb.GetTraceRequest(job_id=job_id))
                spans = list(trace.spans)
                if edges(spans) >= wanted and not orphans(spans):
                    return trace
    except TimeoutError:
        lacking = wanted - edges(spans)
        raise AssertionError(f"lacking {lacking}; without parents {orphans(spans)}") from None


@pytest.mark.parametrize("arrangement", ["together", "apart"])
async def test_a_request_is_one_tree_of_spans_across_all_services(
    together: MeshSettings, apart: MeshSettings, sales: Path, arrangement: str
) -> None:
    settings = together if arrangement == "together" else apart
    groups = [list(SERVICES)] if arrangement == "together" else [[name] for name in SERVICES]
    async with processes(settings, groups, QUICK), Caller(settings) as caller:
        job = await caller.asked(question("total quantity by region as a bar chart", sales))
        assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
        trace = await whole_trace(caller, job.job_id, EDGES)
    assert trace.trace_id == job.trace_id
    roots = [span for span in trace.spans if not span.parent_span_id]
    assert [(root.service, root.name) for root in roots] == [("gateway", CREATE)]
    assert {span.service for span in trace.spans} == set(SERVICES)
    assert all(
        span.ended_at.ToNanoseconds() >= span.started_at.ToNanoseconds() > 0 for span in trace.spans
    )
    assert not [span.error for span in trace.spans if span.error]


async def test_two_requests_are_two_traces(together: MeshSettings, sales: Path) -> None:
    async with processes(together, [list(SERVICES)], QUICK), Caller(together) as caller:
        first = await caller.asked(question("total quantity", sales))
        second = await caller.asked(question("average price", sales))
        assert first.trace_id != second.trace_id
        for job in (first, second):
            concluded = {("planner", "conclude", "planner", "analysis")}
            text = str(await whole_trace(caller, job.job_id, concluded))
            other = second if job is first else first
            assert job.job_id in text
            assert other.job_id not in text


async def test_spans_are_sent_to_the_standard_endpoint_with_the_same_parents(
    apart: MeshSettings, sales: Path, receiver: tuple[Receiver, str]
) -> None:
    collected, endpoint = receiver
    extra = {
        **QUICK,
        "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint,
        "OTEL_EXPORTER_OTLP_INSECURE": "true",
    }
    async with processes(apart, [[name] for name in SERVICES], extra), Caller(apart) as caller:
        job = await caller.asked(question("total quantity by region as a bar chart", sales))
        kept = await whole_trace(caller, job.job_id, EDGES)
        async with asyncio.timeout(20):
            while len(collected.trace(job.trace_id)) < len(kept.spans):
                collected.arrived.clear()
                await collected.arrived.wait()
    sent = collected.trace(job.trace_id)  # with any span that ended after that look
    parents = {span.span_id.hex(): span.parent_span_id.hex() for _, span in sent}
    assert parents.items() >= {span.span_id: span.parent_span_id for span in kept.spans}.items()
    assert {name for name, _ in sent} == {f"assay-{name}" for name in SERVICES}
