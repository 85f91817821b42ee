"""Four kinds of nothing, and an answer in part: each driven through the whole mesh, and shown."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.common.v1 import analysis_pb2, job_pb2
from assay.gateway.v1 import artifact_service_pb2 as artifacts_pb
from assay.gateway.v1 import audit_service_pb2 as records_pb
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from clients.python.cli import main
from mesh.errors import ExitCode
from mesh.testing.mesh import running_mesh
from mesh.tool import ErrorCategory, ToolContext, ToolError, ToolResult
from services.__main__ import factories
from services.executor.tools import plot_render, sql_run
from services.planner.adapters.executor import ExecutorTools
from tests.busy import allowing
from tests.mesh.support import Caller, question

CHART = "total quantity by region as a bar chart"
EVERYTHING = tuple(analysis_pb2.Deliverable.values())[1:]
WHY = "there is no paint left"


@pytest.fixture
def no_paint() -> Iterator[pytest.MonkeyPatch]:
    """No chart can be drawn, whatever is tried; undo() brings the paint back."""

    def fails(arguments: Any, context: ToolContext) -> ToolResult:
        raise ToolError(ErrorCategory.INTERNAL, WHY)

    patch = pytest.MonkeyPatch()
    patch.setattr(
        plot_render, "plot_render", dataclasses.replace(plot_render.plot_render, run=fails)
    )
    yield patch
    patch.undo()


@pytest.fixture
def endless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Queries that end only when they are told to."""

    def waits(arguments: Any, context: ToolContext) -> ToolResult:
        context.cancelled.wait(60)
        raise ToolError(ErrorCategory.CANCELLED, "stopped")

    monkeypatch.setattr(sql_run, "sql_run", dataclasses.replace(sql_run.sql_run, run=waits))


def empty_of(job: job_pb2.Job) -> str:
    found = job.answer.empty_reason or job.failure.empty_reason
    return analysis_pb2.EmptyReason.Name(found).removeprefix("EMPTY_REASON_").lower()


async def test_nothing_that_matches(ann: Caller, sales: Path) -> None:
    job = await ann.asked(question("total quantity where quantity is above 1000 by region", sales))
    assert (job.state, empty_of(job)) == (job_pb2.JOB_STATE_COMPLETED, "no_rows")


async def test_nothing_that_is_permitted(ann: Caller, sales: Path) -> None:
    job = await ann.asked(question("total price by region", sales, blocked=["price"]))
    assert (job.state, empty_of(job)) == (job_pb2.JOB_STATE_FAILED, "not_permitted")
    assert job.failure.reason == "COLUMN_BLOCKED"


async def test_nothing_in_time(endless: None, ann: Caller, sales: Path) -> None:
    job = await ann.asked(question(CHART, sales, timeout=round(allowing(3))))
    assert (job.state, empty_of(job)) == (job_pb2.JOB_STATE_FAILED, "timed_out")
    assert job.plan.state == analysis_pb2.PLAN_STATE_ABANDONED


async def test_nothing_in_words_where_words_were_not_asked(ann: Caller, sales: Path) -> None:
    only = [analysis_pb2.DELIVERABLE_TABLES]
    job = await ann.asked(question("total quantity by region", sales, deliverables=only))
    assert (job.state, empty_of(job)) == (job_pb2.JOB_STATE_COMPLETED, "not_asked")
    assert job.answer.text == ""
    assert {artifact.artifact_type for artifact in job.answer.artifacts} == {
        analysis_pb2.ARTIFACT_TYPE_TABLE
    }
    words = await ann.asked(question("total quantity by region", sales))
    assert empty_of(words) == "unspecified"


async def test_a_summary_that_is_wanted_is_a_file_of_the_record(ann: Caller, sales: Path) -> None:
    only = [analysis_pb2.DELIVERABLE_SUMMARY]
    job = await ann.asked(question("total quantity by region", sales, deliverables=only))
    (summary,) = job.answer.artifacts
    assert summary.artifact_type == analysis_pb2.ARTIFACT_TYPE_SUMMARY
    read = artifacts_pb.DownloadArtifactRequest(job_id=job.job_id, artifact_id=summary.artifact_id)
    parts = [part.chunk.data async for part in ann.artifacts.DownloadArtifact(read)]
    assert job.answer.text in b"".join(parts).decode().replace("\\", "")
    verified = await ann.records.VerifyJob(records_pb.VerifyJobRequest(job_id=job.job_id))
    assert verified.ok, verified


def test_each_kind_of_nothing_is_told_on_the_command_line(
    home: Path, sales: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = ["--home", str(home), "--data", str(sales)]

    def told(*arguments: str) -> tuple[int, str, dict[str, Any]]:
        code = main.run(["ask", *arguments, *place])
        printed = capsys.readouterr()
        assert main.run(["ask", *arguments, *place, "--json"]) == code
        return code, printed.out + printed.err, json.loads(capsys.readouterr().out)

    code, text, found = told("total quantity where quantity is above 1000 by region")
    assert (code, found["empty_reason"]) == (ExitCode.ANSWERED, "no_rows")
    assert "No rows" in text
    code, text, found = told("total price by region", "--block-pattern", "price")
    assert (code, found["empty_reason"]) == (ExitCode.REFUSED, "not_permitted")
    assert "not permitted" in text
    code, text, found = told("total quantity by region", "--deliver", "tables")
    assert (code, found["empty_reason"]) == (ExitCode.ANSWERED, "not_asked")
    assert "words were not asked for: see the files below" in text
    assert told("total quantity by region")[2]["empty_reason"] is None


def test_running_out_of_time_is_told_on_the_command_line(
    home: Path, sales: Path, endless: None, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["ask", CHART, "--home", str(home), "--data", str(sales), "--timeout", "1"]
    assert main.run(asked) == ExitCode.COULD_NOT_ANSWER
    assert "stopped after 1 s" in "".join(capsys.readouterr())
    assert main.run([*asked, "--json"]) == ExitCode.COULD_NOT_ANSWER
    assert json.loads(capsys.readouterr().out)["empty_reason"] == "timed_out"


def check_in_part(job: job_pb2.Job) -> None:
    assert job.state == job_pb2.JOB_STATE_PARTIAL_SUCCESS, job.failure
    assert not job.HasField("failure")
    assert "60" in job.answer.text
    assert [c for c in job.answer.caveats if "missing" in c] == [
        f"The chart is missing: step chart failed: {WHY}"
    ]
    kinds = {artifact.artifact_type for artifact in job.answer.artifacts}
    assert kinds == {
        analysis_pb2.ARTIFACT_TYPE_TABLE,
        analysis_pb2.ARTIFACT_TYPE_REPORT,
        analysis_pb2.ARTIFACT_TYPE_SUMMARY,
    }
    states = {step.task_id: step.state for step in job.steps}
    assert states.pop("chart") == job_pb2.STEP_STATE_FAILED
    assert set(states.values()) == {job_pb2.STEP_STATE_DONE}
    assert job.plan.state == analysis_pb2.PLAN_STATE_COMPLETED
    assert job.progress.percent == 100


async def test_an_answer_stands_without_the_chart_that_could_not_be_drawn(
    no_paint: pytest.MonkeyPatch, ann: Caller, sales: Path
) -> None:
    job = await ann.asked(question(CHART, sales, deliverables=EVERYTHING))
    no_paint.undo()
    check_in_part(job)
    assert job.answer.recipe == "", "what worked in part teaches nothing"
    verified = await ann.records.VerifyJob(records_pb.VerifyJobRequest(job_id=job.job_id))
    assert verified.ok, verified


async def test_an_answer_in_part_stays_one_when_its_planner_stops_before_it_is_told(
    home: Path, sales: Path, no_paint: pytest.MonkeyPatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached, put = asyncio.Event(), ExecutorTools.put_artifact

    async def held(*arguments: Any) -> Any:
        reached.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(ExecutorTools, "put_artifact", held)
    async with running_mesh(home, factories) as settings, Caller(settings) as caller:
        job = await caller.create(question(CHART, sales, deliverables=EVERYTHING, timeout=60))
        await asyncio.wait_for(reached.wait(), 30)
    monkeypatch.setattr(ExecutorTools, "put_artifact", put)
    no_paint.undo()  # it could be drawn by now; that it was not is decided
    async with running_mesh(home, factories) as settings, Caller(settings) as caller:
        await caller.watched(job.job_id)
        check_in_part(await caller.job(job.job_id))
    async with running_mesh(home, factories) as settings, Caller(settings) as caller:
        listed = await caller.jobs.ListJobs(jobs_pb.ListJobsRequest())
        assert [found.state for found in listed.jobs] == [job_pb2.JOB_STATE_PARTIAL_SUCCESS]


def test_an_answer_in_part_is_told_on_the_command_line(
    home: Path, sales: Path, no_paint: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["ask", CHART, "--home", str(home), "--data", str(sales)]
    code = main.run(asked)
    text = "".join(capsys.readouterr())
    assert main.run([*asked, "--json"]) == code
    found = json.loads(capsys.readouterr().out)
    no_paint.undo()
    assert (code, found["state"]) == (ExitCode.ANSWERED, "partial success")
    assert "in part: " in text
    assert "The chart is missing" in text and WHY in text
