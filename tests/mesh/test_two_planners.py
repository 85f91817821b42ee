"""Two planners on one database: either serves every job, and one at a time works on it."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from assay.audit.v1 import audit_service_pb2 as audit_pb
from assay.common.v1 import job_pb2
from assay.planner.v1 import planner_service_pb2 as pb
from assay.planner.v1 import planner_service_pb2_grpc as pb_grpc
from mesh.config import SERVICES, MeshSettings, load
from mesh.tool import ErrorCategory, ToolContext, ToolError, ToolResult
from mesh.transport.dial import open_channel
from mesh.transport.seal import seal_of
from mesh.transport.server import running
from services.__main__ import factories
from services.executor.tools import plot_render
from tests.mesh.support import Caller, for_planner, question

CHART = "total quantity by region as a bar chart"


@dataclass
class Door:
    """Holds charts up until it is opened, and counts them."""

    held: threading.Event = field(default_factory=threading.Event)
    opened: threading.Event = field(default_factory=threading.Event)
    drawn: int = 0

    def watch(self, tool: Any) -> Any:
        def run(arguments: Any, context: ToolContext) -> ToolResult:
            self.held.set()
            while not self.opened.wait(0.02):
                if context.cancelled.is_set():
                    raise ToolError(ErrorCategory.CANCELLED, "stopped")
            self.drawn += 1
            result: ToolResult = tool.run(arguments, context)
            return result

        return replace(tool, run=run)


@dataclass
class Two:
    """Both planners: a stub of each, and what ends the first."""

    first: Any
    second: Any
    caller: Caller
    first_stops: AsyncExitStack

    async def ended(self, planner: Any, job_id: str) -> job_pb2.Job:
        watch = pb.WatchJobRequest(job_id=job_id)
        assert [told async for told in planner.WatchJob(watch)]
        answer: pb.GetJobResponse = await planner.GetJob(pb.GetJobRequest(job_id=job_id))
        return answer.job

    async def entries(self, job_id: str) -> Counter[str]:
        listing = await self.caller.audit.List(audit_pb.ListRequest(request_id=job_id))
        return Counter(entry.event_type for entry in listing.entries)


@pytest.fixture
def door(monkeypatch: pytest.MonkeyPatch) -> Door:
    made = Door()
    monkeypatch.setattr(plot_render, "plot_render", made.watch(plot_render.plot_render))
    return made


@asynccontextmanager
async def planner(settings: MeshSettings, socket: Path) -> AsyncIterator[Any]:
    listen = f"unix:{socket}"
    channel = open_channel(listen, "ann", seal=seal_of(settings))
    async with running(factories(["planner"]), settings, listen), channel as ch:
        yield pb_grpc.PlannerServiceStub(ch)


@pytest_asyncio.fixture(params=["sqlite", "postgresql"])
async def two(
    request: pytest.FixtureRequest, home: Path, door: Door, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Two]:
    if request.param == "postgresql":
        url = request.getfixturevalue("postgres")()
        monkeypatch.setenv("ASSAY_PLANNER_DATABASE", url)
    addresses = {f"{name}_address": f"unix:{home}/peers.sock" for name in SERVICES}
    settings = load(MeshSettings, home=home, local_paths=True, drain_seconds=2.0, **addresses)
    peers = running(factories(["audit", "memory", "executor"]), settings, f"unix:{home}/peers.sock")
    async with peers, Caller(settings) as caller, AsyncExitStack() as first_stops:
        first = await first_stops.enter_async_context(planner(settings, home / "first.sock"))
        async with planner(settings, home / "second.sock") as second:
            yield Two(first, second, caller, first_stops)


async def held_job(two: Two, door: Door, sales: Path) -> str:
    """A job of the first planner that has come to its chart."""
    wanted = question(CHART, sales, timeout=60)
    await two.first.CreateJob(for_planner(wanted))
    assert await asyncio.to_thread(door.held.wait, 20)
    return wanted.request_id


async def test_a_planner_asked_to_stop_hands_its_jobs_over_at_once(
    two: Two, door: Door, sales: Path
) -> None:
    job_id = await held_job(two, door, sales)
    door.held.clear()
    await two.first_stops.aclose()
    assert await asyncio.to_thread(door.held.wait, 2.5), "before the lease would have run out"
    door.opened.set()
    job = await two.ended(two.second, job_id)
    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    assert door.drawn == 1
    kinds = await two.entries(job_id)
    assert kinds["request_submitted"] == kinds["plan_created"] == 1
    assert kinds["tool_called"] == kinds["observation_recorded"] == len(job.steps)


async def test_a_job_is_cancelled_through_a_planner_that_does_not_work_on_it(
    two: Two, door: Door, sales: Path
) -> None:
    job_id = await held_job(two, door, sales)
    async with asyncio.timeout(2):
        answer = await two.second.CancelJob(pb.CancelJobRequest(job_id=job_id))
    assert answer.job.state == job_pb2.JOB_STATE_CANCELLED
    assert any(step.state == job_pb2.STEP_STATE_DONE for step in answer.job.steps), "kept"
    assert door.drawn == 0


async def test_a_question_of_one_planner_is_answered_through_the_other(
    two: Two, door: Door, tmp_path: Path
) -> None:
    door.opened.set()
    orders = tmp_path / "orders.csv"
    orders.write_text("region,net_amount,gross_amount\nNorth,10.5,12.6\nSouth,20,24\nNorth,7,9\n")
    wanted = question("total amount by region", orders, assume=False)
    await two.first.CreateJob(for_planner(wanted))
    asked = await two.ended(two.first, wanted.request_id)
    assert asked.state == job_pb2.JOB_STATE_WAITING
    reply = pb.AnswerJobRequest(job_id=wanted.request_id, option_id="1")
    await two.second.AnswerJob(reply)
    job = await two.ended(two.first, wanted.request_id)
    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    assert "37.5" in job.answer.text


async def test_a_request_sent_to_both_at_once_is_one_job(two: Two, door: Door, sales: Path) -> None:
    door.opened.set()
    wanted = for_planner(question(CHART, sales, timeout=60))
    planners = (two.first, two.second) * 4
    made = await asyncio.gather(*(planner.CreateJob(wanted) for planner in planners))
    job_id = wanted.request_id
    assert {answer.job.job_id for answer in made} == {job_id}
    job = await two.ended(two.second, job_id)
    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    assert door.drawn == 1
    kinds = await two.entries(job_id)
    assert kinds["request_submitted"] == kinds["plan_created"] == 1
    assert kinds["tool_called"] == len(job.steps)
