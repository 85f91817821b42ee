"""Time limits and cancelling: what is left is passed on, and nobody works for nobody."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import threading
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest
import pytest_asyncio

from assay.common.v1 import analysis_pb2, job_pb2
from assay.executor.v1 import executor_service_pb2 as executor_pb
from assay.gateway.v1 import audit_service_pb2 as records_pb
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from assay.planner.v1 import planner_service_pb2 as planner_pb
from mesh import context as calls
from mesh.errors import JOB_FINISHED, NOT_FOUND
from mesh.ids import new_id
from mesh.testing.mesh import running_mesh
from mesh.tool import ErrorCategory, ToolContext, ToolError, ToolResult
from services.__main__ import factories
from services.executor.engines.duckdb.query_processes import QueryProcesses
from services.executor.rpc import ExecutorServicer
from services.executor.tools import plot_render
from tests.busy import allowing
from tests.mesh.heavy import heavy_call
from tests.mesh.support import Caller, question, refusal

pytestmark = pytest.mark.parametrize("apart", [False, True], ids=["together", "apart"])

# A query or tool that nobody waits for any more ends within so many seconds.
STOP_SECONDS = 2.0


class Executing:
    """What the executor of the mesh under test is doing, and charts that take for ever."""

    def __init__(self) -> None:
        self.seconds_left: list[float] = []
        self.hold_charts = False
        self.busy = 0
        self.times = 0
        self.begun = threading.Event()
        self.idle = threading.Event()

    def enter(self) -> None:
        self.busy += 1
        self.times += 1
        self.begun.set()
        self.idle.clear()

    def leave(self) -> None:
        self.busy -= 1
        if not self.busy:
            self.idle.set()

    async def is_idle(self, seconds: float = STOP_SECONDS) -> bool:
        return await asyncio.to_thread(self.idle.wait, allowing(seconds))

    async def has_begun(self) -> bool:
        return await asyncio.to_thread(self.begun.wait, 30)


@pytest.fixture
def executing(monkeypatch: pytest.MonkeyPatch) -> Executing:
    """Watches every executor that is started after it."""
    seen = Executing()
    describe, execute = ExecutorServicer.DescribeSource, ExecutorServicer.Execute
    query, chart = QueryProcesses.run, plot_render.plot_render

    async def described(servicer: Any, request: Any, context: Any) -> Any:
        seen.seconds_left.append(calls.current().seconds_left(180))
        return await describe(servicer, request, context)

    async def executed(servicer: Any, request: Any, context: Any) -> AsyncIterator[Any]:
        seen.seconds_left.append(calls.current().seconds_left(180))
        async for update in execute(servicer, request, context):
            yield update

    def queried(*given: Any, **limits: Any) -> Any:
        seen.enter()
        try:
            return query(*given, **limits)
        finally:
            seen.leave()

    def drawn(arguments: Any, context: ToolContext) -> ToolResult:
        if not seen.hold_charts:
            return chart.run(arguments, context)
        seen.enter()
        try:
            while context.seconds_left > 0:
                if context.cancelled.wait(0.02):
                    raise ToolError(ErrorCategory.CANCELLED, "the chart was cancelled")
            raise ToolError(ErrorCategory.RESOURCE_EXHAUSTED, "no time is left for the chart")
        finally:
            seen.leave()

    monkeypatch.setattr(ExecutorServicer, "DescribeSource", described)
    monkeypatch.setattr(ExecutorServicer, "Execute", executed)
    monkeypatch.setattr(QueryProcesses, "run", queried)
    monkeypatch.setattr(plot_render, "plot_render", dataclasses.replace(chart, run=drawn))
    return seen


@pytest_asyncio.fixture
async def caller(home: Path, apart: bool, executing: Executing) -> AsyncIterator[Caller]:
    async with running_mesh(home, factories, apart=apart) as settings, Caller(settings) as caller:
        yield caller


async def test_the_time_that_is_left_is_handed_from_hop_to_hop(
    caller: Caller, sales: Path, executing: Executing
) -> None:
    wanted = planner_pb.PlanJobRequest(analysis=question("total quantity", sales).analysis)
    await caller.planner.PlanJob(wanted, timeout=7)
    through_gateway = jobs_pb.PlanJobRequest(analysis=question("total quantity", sales).analysis)
    await caller.jobs.PlanJob(through_gateway, timeout=7)
    assert len(executing.seconds_left) == 2
    assert all(3 < seconds < 7.5 for seconds in executing.seconds_left), executing.seconds_left


async def test_a_step_gets_what_is_left_of_its_jobs_time(
    caller: Caller, sales: Path, executing: Executing
) -> None:
    job = await caller.asked(question("total quantity by region", sales, timeout=40))
    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    assert len(executing.seconds_left) > 1
    assert all(10 < seconds < 40 for seconds in executing.seconds_left), executing.seconds_left


async def test_a_call_that_is_out_of_time_leaves_no_query_running(
    caller: Caller, sales: Path, executing: Executing
) -> None:
    try:
        async for update in caller.executor.Execute(heavy_call(sales), timeout=allowing(1)):
            last = update
        assert last.observation.status == analysis_pb2.OBSERVATION_STATUS_TIMEOUT
    except grpc.aio.AioRpcError as error:  # both ends have one deadline: either may be first
        assert error.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    assert executing.begun.is_set()
    assert await executing.is_idle(1.0)


async def test_a_caller_that_goes_away_takes_its_query_with_it(
    caller: Caller, sales: Path, executing: Executing
) -> None:
    call = caller.executor.Execute(heavy_call(sales))
    assert (await anext(aiter(call))).WhichOneof("update") == "progress"
    assert await executing.has_begun()
    call.cancel()
    assert await executing.is_idle()


async def test_a_call_that_is_stopped_before_its_turn_never_begins(
    home: Path, apart: bool, sales: Path, executing: Executing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_EXECUTOR_THREADS", "1")
    around = running_mesh(home, factories, apart=apart)
    async with around as settings, Caller(settings) as caller:
        call_id = new_id()
        running = caller.executor.Execute(heavy_call(sales))
        await anext(aiter(running))
        assert await executing.has_begun()
        waiting = caller.executor.Execute(heavy_call(sales, call_id=call_id))
        await waiting.initial_metadata()
        stop = executor_pb.CancelCallRequest(call_id=call_id)
        async with asyncio.timeout(allowing(10)):  # each look takes a call's time
            while not (await caller.executor.CancelCall(stop)).was_running:
                pass
        running.cancel()
        last = [update async for update in waiting][-1].observation
    assert last.error_category == analysis_pb2.ERROR_CATEGORY_CANCELLED
    assert executing.times == 1, "the first alone"


async def test_a_cancelled_call_says_so_and_stops_inside_the_database(
    caller: Caller, sales: Path, executing: Executing
) -> None:
    call_id = new_id()
    call = caller.executor.Execute(heavy_call(sales, call_id=call_id))
    updates = aiter(call)
    await anext(updates)
    assert await executing.has_begun()
    stop = executor_pb.CancelCallRequest(call_id=call_id)
    async with Caller(caller.settings, "bob") as stranger:
        refused = await refusal(stranger.executor.CancelCall(stop))
    assert refused.reason is NOT_FOUND
    assert executing.busy, "a stranger stops nothing"
    started = time.monotonic()
    assert (await caller.executor.CancelCall(stop)).was_running
    last = [update async for update in updates][-1].observation
    assert time.monotonic() - started < allowing(STOP_SECONDS)
    assert last.error_category == analysis_pb2.ERROR_CATEGORY_CANCELLED
    assert await executing.is_idle()
    assert not (await caller.executor.CancelCall(stop)).was_running


async def test_a_job_that_is_out_of_time_says_what_was_kept(
    caller: Caller, sales: Path, executing: Executing
) -> None:
    executing.hold_charts = True
    request = question("total quantity by region as a bar chart", sales, timeout=8)
    started = time.monotonic()
    job = await caller.asked(request)
    assert time.monotonic() - started < allowing(8 + STOP_SECONDS)
    assert job.state == job_pb2.JOB_STATE_FAILED
    assert job.failure.reason == "TIMEOUT"
    assert "stopped after 8 s" in job.failure.message
    assert "steps done and kept" in job.failure.message
    states = {step.task_id: step.state for step in job.steps}
    assert states["load"] == job_pb2.STEP_STATE_DONE
    assert states["chart"] != job_pb2.STEP_STATE_DONE
    assert await executing.is_idle()
    assert set(await observed(caller, job.job_id)) == {"success", "timeout"}


async def test_cancelling_a_job_stops_its_tools_and_keeps_what_was_finished(
    caller: Caller, sales: Path, executing: Executing
) -> None:
    executing.hold_charts = True
    executing.begun.clear()
    job = await caller.create(question("total quantity by region as a bar chart", sales))
    events = aiter(caller.jobs.WatchJob(jobs_pb.WatchJobRequest(job_id=job.job_id)))
    async for told in events:
        step = told.event.step
        if step.task_id == "chart" and step.state == job_pb2.STEP_STATE_RUNNING:
            break
    started = time.monotonic()
    cancel = jobs_pb.CancelJobRequest(job_id=job.job_id)
    stopped = (await caller.jobs.CancelJob(cancel)).job
    assert time.monotonic() - started < allowing(STOP_SECONDS)
    assert stopped.state == job_pb2.JOB_STATE_CANCELLED
    assert stopped.failure.reason == "CANCELLED"
    assert await executing.is_idle()
    done = [step.task_id for step in stopped.steps if step.state == job_pb2.STEP_STATE_DONE]
    assert "load" in done
    assert all(step.state != job_pb2.STEP_STATE_RUNNING for step in stopped.steps)
    assert set(await observed(caller, job.job_id)) == {"success", "error"}
    again = await refusal(caller.jobs.CancelJob(cancel))
    assert again.reason is JOB_FINISHED


async def observed(caller: Caller, job_id: str) -> list[str]:
    """How each call of a job went, as its record tells it: every call has an observation."""
    chain = caller.records.ExportChain(records_pb.ExportChainRequest(job_id=job_id))
    lines = b"".join([part.data async for part in chain]).splitlines()
    entries = [json.loads(line) for line in lines]
    called = [e["event_data"]["call_id"] for e in entries if e["event_type"] == "tool_called"]
    seen = {
        entry["event_data"]["call_id"]: entry["event_data"]["status"]
        for entry in entries
        if entry["event_type"] == "observation_recorded" and "call_id" in entry["event_data"]
    }
    assert sorted(seen) == sorted(called)
    return list(seen.values())
