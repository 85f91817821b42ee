"""JobService: what is checked, what is changed, and what passes through."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from assay.common.v1 import analysis_pb2, data_pb2, job_pb2
from assay.gateway.v1 import job_service_pb2 as pb
from mesh.ids import new_id
from tests.unit.gateway.conftest import Mesh


def a_request(**changes: Any) -> pb.CreateJobRequest:
    analysis = analysis_pb2.AnalysisRequest(
        intent="revenue by month",
        data_sources=[data_pb2.DataSource(connection_string="connection://shop")],
    )
    analysis.MergeFrom(analysis_pb2.AnalysisRequest(**changes))
    return pb.CreateJobRequest(request_id=new_id(), analysis=analysis)


def a_source(request: pb.CreateJobRequest, **place: Any) -> pb.CreateJobRequest:
    del request.analysis.data_sources[:]
    request.analysis.data_sources.append(data_pb2.DataSource(**place))
    return request


JOB = "7c1e" + "0" * 28


@pytest.mark.parametrize("kind", ["connection_string", "file_path", "file_id"])
async def test_an_address_longer_than_any_is_refused(mesh: Mesh, refused: Any, kind: str) -> None:
    with refused("INVALID_ARGUMENT") as error:
        await mesh.ann.jobs.CreateJob(a_source(a_request(), **{kind: "a" * 70_000}))
    assert f"analysis.data_sources[0].{kind}" in error.fields


async def test_a_request_reaches_the_planner_stamped_and_otherwise_unchanged(mesh: Mesh) -> None:
    request = a_request(
        constraints=data_pb2.Constraints(row_limit=500),
        deliverables=[analysis_pb2.DELIVERABLE_CHARTS],
        policy=data_pb2.Policy(blocked_patterns=["email"]),
        assume=True,
    )
    made = await mesh.ann.jobs.CreateJob(request)
    assert made.job.job_id == request.request_id
    arrived = mesh.peers.planner.requests[0]
    assert arrived.submitted_at.ToJsonString() == "2026-03-01T12:00:00Z"
    assert arrived.analysis == request.analysis
    assert mesh.peers.planner.context_request_ids == [request.request_id]


async def test_a_request_for_no_work_is_refused_by_name(mesh: Mesh, refused: Any) -> None:
    with refused("INVALID_ARGUMENT") as error:
        await mesh.ann.jobs.CreateJob(pb.CreateJobRequest(request_id=new_id()))
    assert "analysis" in error.fields
    with refused("INVALID_ARGUMENT"):
        await mesh.ann.jobs.PlanJob(pb.PlanJobRequest())


async def test_an_id_in_another_spelling_is_the_same_id(mesh: Mesh) -> None:
    request = a_request()
    plain = request.request_id
    request.request_id = f"{plain[:8]}-{plain[8:12]}-{plain[12:16]}-{plain[16:20]}-{plain[20:]}"
    made = await mesh.ann.jobs.CreateJob(request)
    assert made.job.job_id == plain


async def test_a_malformed_request_id_is_refused_by_name(mesh: Mesh, refused: Any) -> None:
    with refused("INVALID_ARGUMENT") as error:
        await mesh.ann.jobs.CreateJob(pb.CreateJobRequest(request_id="one"))
    assert "request_id" in error.fields


@pytest.mark.parametrize("number", [0, 5, 99])
async def test_an_unknown_deliverable_is_refused(mesh: Mesh, refused: Any, number: int) -> None:
    request = a_request(deliverables=[analysis_pb2.DELIVERABLE_TABLES, number])
    with refused("UNKNOWN_DELIVERABLE"):
        await mesh.ann.jobs.CreateJob(request)
    assert mesh.peers.planner.requests == []


@pytest.mark.parametrize(
    "place",
    [
        {"file_path": "/etc/passwd"},
        {"file_path": "orders.csv"},
        {"connection_string": "sqlite:////etc/shadow"},
        {"connection_string": "SQLite:///shop.sqlite"},
        {"connection_string": "sq\nlite:///shop.sqlite"},
        {"connection_string": "sqlite+pysqlite:///shop.sqlite"},
        {"connection_string": "duckdb://host/shop.duckdb"},
        {"connection_string": "file:///etc/passwd"},
        {"connection_string": "file://host/etc/passwd"},
        {"connection_string": "../shop.sqlite"},
        {"connection_string": " sqlite:///shop.sqlite"},
    ],
)
async def test_paths_of_the_servers_machine_are_refused_and_the_refusal_is_recorded(
    mesh: Mesh, refused: Any, place: dict[str, str]
) -> None:
    request = a_source(a_request(), **place)
    for _ in range(2):
        with refused("FILE_PATH_REFUSED"):
            await mesh.ann.jobs.CreateJob(request)
    assert mesh.peers.planner.requests == []
    assert [entry.event_type for entry in mesh.peers.audit.entries] == ["policy_decision"]
    assert mesh.peers.audit.entries[0].request_id == request.request_id
    assert "FILE_PATH_REFUSED" in mesh.peers.audit.entries[0].event_data_json


class TestAnEmbeddedMesh:
    @pytest.fixture
    def limits(self) -> dict[str, object]:
        return {"local_paths": True}

    async def test_opens_paths_of_its_own_machine(self, mesh: Mesh) -> None:
        request = a_source(a_request(), file_path="/data/orders.csv")
        await mesh.ann.jobs.CreateJob(request)
        assert (
            mesh.peers.planner.requests[0].analysis.data_sources[0].file_path == "/data/orders.csv"
        )


async def test_a_source_names_exactly_one_place(mesh: Mesh, refused: Any) -> None:
    for source in ({}, {"file_path": ""}, {"connection_string": ""}, {"file_id": ""}):
        with refused("INVALID_ARGUMENT") as error:
            request = a_source(a_request(), **source)
            await mesh.ann.jobs.CreateJob(request)
        assert "analysis.data_sources[0]" in error.fields


async def test_a_file_cannot_be_named_by_its_digest_or_without_a_session(
    mesh: Mesh, refused: Any
) -> None:
    mesh.peers.executor.sources["ab" * 32] = b"somebody else's"
    with refused("INVALID_ARGUMENT"):
        request = a_source(a_request(), file_id="ab" * 32)
        await mesh.ann.jobs.CreateJob(request)
    with refused("NOT_FOUND"):
        request = a_source(a_request(), file_id=new_id())
        await mesh.ann.jobs.CreateJob(request)


async def test_a_plan_without_a_job_passes_through(mesh: Mesh) -> None:
    planned = await mesh.ann.jobs.PlanJob(pb.PlanJobRequest(analysis=a_request().analysis))
    assert planned.understood == "two readings"
    assert not planned.HasField("plan")
    assert [option.text for option in planned.clarification.options] == ["a", "b"]


async def test_jobs_are_found_by_their_whole_id_alone(mesh: Mesh, refused: Any) -> None:
    job = mesh.peers.planner.put(job_pb2.Job(job_id=JOB))
    found = await mesh.ann.jobs.GetJob(pb.GetJobRequest(job_id=JOB.upper()))
    assert found.job == job
    for malformed in ("7c1e", "", "7c1e0000g", "0" * 33, "%"):
        with refused("INVALID_ARGUMENT"):
            await mesh.ann.jobs.GetJob(pb.GetJobRequest(job_id=malformed))


async def test_listing_passes_page_and_token_through(mesh: Mesh) -> None:
    mesh.peers.planner.put(job_pb2.Job(job_id=new_id()))
    mesh.peers.planner.put(job_pb2.Job(job_id=new_id()), tenant="bob")
    page = await mesh.ann.jobs.ListJobs(pb.ListJobsRequest(page_size=7))
    assert len(page.jobs) == 1
    assert page.next_page_token == "after 7"


async def test_a_peers_refusal_arrives_as_it_was_said(mesh: Mesh, refused: Any) -> None:
    mesh.peers.planner.put(job_pb2.Job(job_id=JOB))
    with refused("JOB_FINISHED") as error:
        await mesh.ann.jobs.CancelJob(pb.CancelJobRequest(job_id=JOB))
    assert error.message == "job 7c1e0000 is completed already"
    assert error.hint == "look at it"
    assert error.metadata == {"state": "completed"}


async def test_an_answer_reaches_the_planner(mesh: Mesh) -> None:
    mesh.peers.planner.put(job_pb2.Job(job_id=JOB))
    going_on = await mesh.ann.jobs.AnswerJob(pb.AnswerJobRequest(job_id=JOB, option_id="2"))
    assert going_on.job.understood == "answered 2"
    going_on = await mesh.ann.jobs.AnswerJob(pb.AnswerJobRequest(job_id=JOB, text="the sum"))
    assert going_on.job.understood == "answered the sum"


async def test_an_answer_that_is_missing_is_refused(mesh: Mesh, refused: Any) -> None:
    mesh.peers.planner.put(job_pb2.Job(job_id=JOB))
    with refused("INVALID_ARGUMENT"):
        await mesh.ann.jobs.AnswerJob(pb.AnswerJobRequest(job_id=JOB))


async def test_callers_elsewhere_are_shown_no_path_of_this_machine(mesh: Mesh) -> None:
    job = job_pb2.Job(job_id=JOB, state=job_pb2.JOB_STATE_COMPLETED)
    job.analysis.data_sources.add(file_path="/srv/data/orders.csv")
    job.analysis.data_sources.add(connection_string="sqlite:////srv/data/shop.sqlite")
    job.analysis.data_sources.add(connection_string="postgresql://db.example/shop")
    job.answer.artifacts.add(artifact_id="a" * 32, local_path="/srv/artifacts/a.png")
    job.answer.table.locations.add(kind=data_pb2.FRAME_LOCATION_KIND_PATH, uri="/srv/frames/f")
    job.partial_artifacts.add(artifact_id="b" * 32, local_path="/srv/artifacts/b.png")
    mesh.peers.planner.put(job)
    shown = (await mesh.ann.jobs.GetJob(pb.GetJobRequest(job_id=JOB))).job
    assert "/srv" not in str(shown)
    assert [source.name for source in shown.analysis.data_sources] == [
        "orders.csv",
        "shop.sqlite",
        "",
    ]
    assert shown.analysis.data_sources[2].connection_string == "postgresql://db.example/shop"
    listed = await mesh.ann.jobs.ListJobs(pb.ListJobsRequest())
    assert "/srv" not in str(listed)


async def test_watching_goes_on_where_it_was_left_and_ends_with_the_job(mesh: Mesh) -> None:
    mesh.peers.planner.put(job_pb2.Job(job_id=JOB, state=job_pb2.JOB_STATE_COMPLETED))
    watch = mesh.ann.jobs.WatchJob(pb.WatchJobRequest(job_id=JOB, after_sequence=41))
    assert [told.event.sequence async for told in watch] == [42]


async def test_a_watch_lasts_as_long_as_its_caller_waits(mesh: Mesh) -> None:
    mesh.peers.planner.put(job_pb2.Job(job_id=JOB, state=job_pb2.JOB_STATE_COMPLETED))
    watch = mesh.ann.jobs.WatchJob(pb.WatchJobRequest(job_id=JOB), timeout=3_000)
    assert [told async for told in watch]
    seconds = mesh.peers.planner.watch_seconds
    assert seconds is not None and seconds > 2_000, "a causal job takes longer than other calls may"


async def test_when_the_watcher_goes_away_the_planner_is_no_longer_asked(mesh: Mesh) -> None:
    mesh.peers.planner.put(job_pb2.Job(job_id=JOB, state=job_pb2.JOB_STATE_EXECUTING))
    watch: Any = mesh.ann.jobs.WatchJob(pb.WatchJobRequest(job_id=JOB))
    assert (await watch.read()).event.sequence == 1
    assert not mesh.peers.planner.watch_ended.is_set()
    watch.cancel()
    await asyncio.wait_for(mesh.peers.planner.watch_ended.wait(), 5)


async def test_a_trace_is_read_from_this_machines_records(mesh: Mesh, tmp_path: Any) -> None:
    trace_id = new_id()
    mesh.peers.planner.put(job_pb2.Job(job_id=JOB, trace_id=trace_id))
    span = {
        "span_id": "0a" * 8,
        "parent_span_id": "",
        "name": "plan",
        "kind": "internal",
        "service": "planner",
        "start_unix_nano": 5,
        "end_unix_nano": 9,
        "attributes": {"rows": "3"},
        "error": "",
    }
    later = {**span, "span_id": "0b" * 8, "start_unix_nano": 7}
    lines = f"{json.dumps(later)}\n{json.dumps(span)}\n"
    (tmp_path / "traces" / f"{trace_id}.jsonl").write_text(lines)
    trace = await mesh.ann.jobs.GetTrace(pb.GetTraceRequest(job_id=JOB))
    assert trace.trace_id == trace_id
    assert [spans.span_id for spans in trace.spans] == ["0a" * 8, "0b" * 8]
    assert json.loads(trace.spans[0].attributes_json) == {"rows": "3"}
