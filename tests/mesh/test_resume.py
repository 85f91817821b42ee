"""A planner that stops in the middle: the next one goes on, and does nothing twice."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import threading
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from assay.common.v1 import job_pb2
from assay.gateway.v1 import audit_service_pb2 as records_pb
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from clients.python.cli import main
from mesh.errors import ExitCode
from mesh.testing.mesh import running_mesh
from mesh.tool import ErrorCategory, ToolContext, ToolError, ToolResult
from services.__main__ import factories
from services.executor.tools import df_transform, plot_render, sql_run, table_write
from services.planner.adapters.reasoner_rules import RulesReasoner
from tests.mesh.support import Caller, question, refusal

TOOLS = {
    "sql_run": sql_run,
    "df_transform": df_transform,
    "plot_render": plot_render,
    "table_write": table_write,
}
CHART = "total quantity by region as a bar chart"


class Ledger:
    """What tools completed and what the reasoner was asked, over all runs of a mesh."""

    def __init__(self) -> None:
        self.completed: list[str] = []
        self.plans = 0
        self.hold = ""
        self.held = threading.Event()

    def watch(self, name: str, tool: Any) -> Any:
        def run(arguments: Any, context: ToolContext) -> ToolResult:
            if self.hold == name:
                self.held.set()
                context.cancelled.wait(60)
                raise ToolError(ErrorCategory.CANCELLED, "stopped")
            result: ToolResult = tool.run(arguments, context)
            self.completed.append(f"{name} {arguments.model_dump_json()}")
            return result

        return dataclasses.replace(tool, run=run)


@pytest.fixture
def ledger(monkeypatch: pytest.MonkeyPatch) -> Ledger:
    kept, plan = Ledger(), RulesReasoner.plan
    for name, module in TOOLS.items():
        monkeypatch.setattr(module, name, kept.watch(name, getattr(module, name)))

    async def planned(reasoner: RulesReasoner, given: Any) -> Any:
        kept.plans += 1
        return await plan(reasoner, given)

    monkeypatch.setattr(RulesReasoner, "plan", planned)
    return kept


@asynccontextmanager
async def a_run(home: Path) -> AsyncIterator[Caller]:
    """One life of a mesh on `home`."""
    async with running_mesh(home, factories) as settings, Caller(settings) as caller:
        yield caller


async def until_step(caller: Caller, job_id: str, task: str, state: int) -> int:
    """The sequence number at which a step came to a state."""
    call = caller.jobs.WatchJob(jobs_pb.WatchJobRequest(job_id=job_id))
    async for told in call:
        if told.event.step.task_id == task and told.event.step.state == state:
            call.cancel()
            return told.event.sequence
    raise AssertionError(f"the job ended before {task} came to {state}")


async def test_a_job_goes_on_after_its_last_completed_step(
    home: Path, sales: Path, ledger: Ledger
) -> None:
    ledger.hold = "plot_render"
    async with a_run(home) as caller:
        job = await caller.create(question(CHART, sales, timeout=60))
        seen = await until_step(caller, job.job_id, "load", job_pb2.STEP_STATE_DONE)
        await until_step(caller, job.job_id, "chart", job_pb2.STEP_STATE_RUNNING)
        assert await asyncio.to_thread(ledger.held.wait, 20)
    before = list(ledger.completed)
    assert any(done.startswith("sql_run") for done in before)
    ledger.hold = ""
    async with a_run(home) as caller:
        later = await caller.watched(job.job_id, after=seen)
        ended = await caller.job(job.job_id)
        assert ended.state == job_pb2.JOB_STATE_COMPLETED, ended.failure
        assert [event.sequence for event in later] == list(range(seen + 1, later[-1].sequence + 1))
        listing = records_pb.ListEntriesRequest(job_id=job.job_id)
        entries = (await caller.records.ListEntries(listing)).entries
        verified = await caller.records.VerifyJob(records_pb.VerifyJobRequest(job_id=job.job_id))
    assert ledger.plans == 1
    assert max(Counter(ledger.completed).values()) == 1
    assert any(done.startswith("plot_render") for done in ledger.completed[len(before) :])
    kinds = Counter(entry.event_type for entry in entries)
    assert kinds["request_submitted"] == kinds["plan_created"] == 1
    assert kinds["tool_called"] == kinds["observation_recorded"] == len(ended.steps)
    assert verified.ok, verified


async def test_a_question_back_survives_a_restart(
    home: Path, tmp_path: Path, ledger: Ledger
) -> None:
    orders = tmp_path / "orders.csv"
    orders.write_text("region,net_amount,gross_amount\nNorth,10.5,12.6\nSouth,20,24\nNorth,7,9\n")
    async with a_run(home) as caller:
        job = await caller.asked(question("total amount by region", orders, assume=False))
        assert job.state == job_pb2.JOB_STATE_WAITING
        assert len(job.clarification.options) == 2
        again = jobs_pb.CreateJobRequest(request_id=job.job_id, analysis=job.analysis)
        assert (await caller.jobs.CreateJob(again)).job.state == job_pb2.JOB_STATE_WAITING
    async with a_run(home) as caller:
        waiting = await caller.job(job.job_id)
        assert waiting.state == job_pb2.JOB_STATE_WAITING
        assert waiting.clarification == job.clarification
        assert ledger.plans == 1
        answer = jobs_pb.AnswerJobRequest(job_id=job.job_id, option_id="1")
        await caller.jobs.AnswerJob(answer)
        await caller.watched(job.job_id)
        ended = await caller.job(job.job_id)
        assert ended.state == job_pb2.JOB_STATE_COMPLETED, ended.failure
        assert "37.5" in ended.answer.text
        assert (await refusal(caller.jobs.AnswerJob(answer))).reason.code == "NO_PENDING_QUESTION"
    assert ledger.plans == 2


def test_a_question_back_is_answered_later_from_the_command_line(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    orders = tmp_path / "orders.csv"
    orders.write_text("region,net_amount,gross_amount\nNorth,10.5,12.6\nSouth,20,24\nNorth,7,9\n")
    place = ["--home", str(home)]

    def assay(*arguments: str) -> tuple[int, dict[str, Any]]:
        code = main.run([*arguments, *place, "--json"])
        return code, json.loads(capsys.readouterr().out)

    def told(*arguments: str) -> str:
        main.run([*arguments, *place])
        return capsys.readouterr().out

    code, asked = assay("ask", "total amount by region", "--data", str(orders))
    assert (code, asked["state"]) == (ExitCode.COULD_NOT_ANSWER, "waiting")
    options = asked["clarification"]["options"]
    assert len(options) == 2
    job = asked["job"][:8]
    shown = told("show", job)
    assert f"assay answer {job} 1 or 2" in shown
    for text in (shown, told("jobs")):
        whole = " ".join(text.split())
        assert all(option["text"] in whole for option in options)
    _, listed = assay("jobs")
    assert listed["jobs"][0]["clarification"]["options"] == options
    code, again = assay("answer", job)
    assert (code, again["state"]) == (ExitCode.COULD_NOT_ANSWER, "waiting")
    code, ended = assay("answer", job, "1")
    assert (code, ended["state"]) == (ExitCode.ANSWERED, "completed")
    assert "37.5" in ended["answer"]["text"]
    assert ended["clarification"] is None
    code, refused = assay("answer", job, "1")
    assert refused["error"]["reason"] == "NO_PENDING_QUESTION"
