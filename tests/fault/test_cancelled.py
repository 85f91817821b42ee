"""Jobs that somebody asked to stop, at every stage: they stop, say so, and keep what they made."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
import pytest_asyncio

from assay.common.v1 import job_pb2
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from assay.planner.v1 import planner_service_pb2 as planner_pb
from mesh.errors import AUDIT_UNAVAILABLE, AssayError
from services.planner.adapters.audit import RemoteAudit
from services.planner.adapters.executor import ExecutorTools
from services.planner.adapters.reasoner_rules import RulesReasoner
from services.planner.jobs import ending
from tests.busy import allowing
from tests.fault.cancelling import (
    CHART,
    CHARTS,
    QUERY,
    REPORTS,
    STOP_SECONDS,
    TABLES,
    Clock,
    Stoppable,
    cancelled,
    check_cancelled,
    ends_recorded,
)
from tests.fault.conftest import TOOLS
from tests.fault.support import LEASE, USUAL, Ward, asked, died
from tests.mesh.support import for_planner, question

pytestmark = pytest.mark.asyncio(loop_scope="module")

# Where a planner may be when it dies of a cancel: having stored the wish, decided, logged or
# stored the end.
EVERYWHERE = [
    "planner: cancel, uncommitted",
    "planner: cancel, committed",
    "planner: end-decided, uncommitted",
    "planner: end-decided, committed",
    "planner: end, appended",
    "planner: cancelled, uncommitted",
    "planner: cancelled, committed",
    "planner: checkpoint, published",
]
# Of the wish, the decision, the entry and the end one each.
SOME = [EVERYWHERE[i] for i in (1, 2, 4, 5)]
# `make fault` asks for many.
PLACES = EVERYWHERE if int(os.environ.get("ASSAY_FAULT_KILLS", "2")) > 2 else SOME
ENDED_WITHIN = 6.0


@pytest.fixture(scope="module")
def ledger() -> Iterator[Stoppable]:
    """Tools that can be held until they are stopped."""
    kept = Stoppable()
    with pytest.MonkeyPatch.context() as patch:
        for name, module in TOOLS.items():
            patch.setattr(module, name, kept.watch(name, getattr(module, name)))
        for name, value in LEASE.items():
            patch.setenv(name, value)
        yield kept


@pytest_asyncio.fixture(loop_scope="module")
async def hold(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Any]:
    """Hold a method of this process's planner: every call waits until it is let go or cancelled."""

    def held(owner: Any, name: str) -> asyncio.Event:
        method, reached = getattr(owner, name), asyncio.Event()

        async def waiting(*given: Any, **named: Any) -> Any:
            if not reached.is_set():
                reached.set()
                await asyncio.Event().wait()
            return await method(*given, **named)

        monkeypatch.setattr(owner, name, waiting)
        return reached

    yield held


@pytest.fixture
def unclear(tmp_path: Path) -> jobs_pb.CreateJobRequest:
    """A question with two readings."""
    orders = tmp_path / "orders.csv"
    orders.write_text("region,net_amount,gross_amount\nNorth,10.5,12.6\nSouth,20,24\nNorth,7,9\n")
    return question("total amount by region", orders, assume=False)


@pytest.mark.parametrize("tool", [QUERY, CHART])
async def test_a_cancelled_tool_stops_and_what_was_made_is_kept(
    ward: Ward, ledger: Stoppable, sales: Path, tmp_path: Path, tool: str
) -> None:
    request = asked(sales)
    with ledger.holding(tool):
        await ward.caller.create(request)
        assert await asyncio.to_thread(ledger.held.wait, 20)
        if tool == CHART:
            await until_done(ward, request.request_id, "table")
        clock = Clock()
        job = await cancelled(ward, request.request_id)
        assert await asyncio.to_thread(ledger.idle.wait, allowing(STOP_SECONDS))
        assert clock.seconds < allowing(STOP_SECONDS)
    kinds = await check_cancelled(ward, job, tmp_path)
    assert kinds == (set() if tool == QUERY else {TABLES})


async def test_a_job_is_cancelled_while_its_plan_is_made(
    ward: Ward, hold: Any, sales: Path, tmp_path: Path
) -> None:
    planning = hold(RulesReasoner, "plan")
    job = await ward.caller.create(asked(sales))
    await asyncio.wait_for(planning.wait(), 20)
    clock = Clock()
    job = await cancelled(ward, job.job_id)
    assert clock.seconds < allowing(STOP_SECONDS)
    assert not job.HasField("plan")
    assert await check_cancelled(ward, job, tmp_path) == set()


async def test_a_job_is_cancelled_while_it_waits_for_an_answer(
    ward: Ward, unclear: jobs_pb.CreateJobRequest, tmp_path: Path
) -> None:
    job = await ward.caller.asked(unclear)
    assert job.state == job_pb2.JOB_STATE_WAITING
    await check_cancelled(ward, await cancelled(ward, job.job_id), tmp_path)


async def test_a_job_is_cancelled_while_its_reports_are_written(
    ward: Ward, hold: Any, sales: Path, tmp_path: Path
) -> None:
    reporting = hold(ExecutorTools, "put_artifact")
    job = await ward.caller.create(asked(sales))
    await asyncio.wait_for(reporting.wait(), 30)
    job = await cancelled(ward, job.job_id)
    assert await check_cancelled(ward, job, tmp_path) == {TABLES, CHARTS}


async def test_a_report_that_was_stored_before_the_cancel_is_kept_and_marked(
    ward: Ward, sales: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put, second = ExecutorTools.put_artifact, asyncio.Event()

    async def first_only(tools: ExecutorTools, job_id: str, name: str, *rest: Any) -> Any:
        if name != "report.md":
            second.set()
            await asyncio.Event().wait()
        return await put(tools, job_id, name, *rest)

    monkeypatch.setattr(ExecutorTools, "put_artifact", first_only)
    job = await ward.caller.create(asked(sales))
    await asyncio.wait_for(second.wait(), 30)
    clock = Clock()
    job = await cancelled(ward, job.job_id)
    assert clock.seconds < allowing(STOP_SECONDS)
    assert await check_cancelled(ward, job, tmp_path) == {TABLES, CHARTS, REPORTS}
    assert len(ward.artifacts(job.job_id)) == len(job.partial_artifacts), "no file is unlisted"


async def test_a_report_that_a_killed_planner_stored_is_kept_when_the_job_is_cancelled(
    ward: Ward, sales: Path, tmp_path: Path
) -> None:
    request = asked(sales)
    async with ward.victim("planner: executing, committed#3") as (process, stub):
        await ward.create(stub, request)
        await died(process)
        job = await cancelled(ward, request.request_id)
    assert await check_cancelled(ward, job, tmp_path) == {TABLES, CHARTS, REPORTS}
    assert len(ward.artifacts(job.job_id)) == len(job.partial_artifacts), "no file is unlisted"


async def test_a_file_that_a_tool_made_while_it_was_cancelled_is_kept_and_marked(
    ward: Ward, ledger: Stoppable, sales: Path, tmp_path: Path
) -> None:
    request = asked(sales)
    with ledger.holding(CHART):
        ledger.completes = True
        await ward.caller.create(request)
        assert await asyncio.to_thread(ledger.held.wait, 20)
        await until_done(ward, request.request_id, "table")
        clock = Clock()
        job = await cancelled(ward, request.request_id)
        assert clock.seconds < allowing(STOP_SECONDS)
    assert await check_cancelled(ward, job, tmp_path) == {TABLES, CHARTS}
    assert len(ward.artifacts(job.job_id)) == len(job.partial_artifacts), "no file is unlisted"


async def test_a_cancel_that_comes_after_the_answer_was_decided_comes_too_late(
    ward: Ward, hold: Any, sales: Path
) -> None:
    logging = hold(ending, "log_end")
    job = await ward.caller.create(asked(sales))
    await asyncio.wait_for(logging.wait(), 30)
    job = await cancelled(ward, job.job_id)
    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    assert await ends_recorded(ward, job.job_id) == []
    kinds = [entry.event_type for entry in await ward.entries(job.job_id)]
    assert kinds[-1] == "artifact_generated", "the answer is the last word"


async def test_a_job_is_cancelled_through_another_planner_than_its_own(
    ward: Ward, ledger: Stoppable, sales: Path, tmp_path: Path
) -> None:
    request = asked(sales)
    async with ward.victim(lease=USUAL) as (_, stub):
        with ledger.holding(CHART):
            await stub.CreateJob(for_planner(request))
            assert await asyncio.to_thread(ledger.held.wait, 20)
            clock = Clock()
            job = await cancelled(ward, request.request_id)
            assert await asyncio.to_thread(ledger.idle.wait, allowing(STOP_SECONDS))
            assert clock.seconds < allowing(STOP_SECONDS)
    await check_cancelled(ward, job, tmp_path)


@pytest.mark.parametrize("place", PLACES)
async def test_a_planner_that_dies_of_a_cancel_leaves_the_job_cancelled_once(
    ward: Ward, ledger: Stoppable, sales: Path, tmp_path: Path, place: str
) -> None:
    request = asked(sales)
    async with ward.victim(place) as (process, stub):
        with ledger.holding(CHART):
            await stub.CreateJob(for_planner(request))
            assert await asyncio.to_thread(ledger.held.wait, 20)
            cancelling = asyncio.create_task(cancelled(ward, request.request_id, stub))
            await died(process)
            clock = Clock()
            job = await cancelling
            assert clock.seconds < allowing(ENDED_WITHIN)
            assert await asyncio.to_thread(ledger.idle.wait, allowing(STOP_SECONDS))
    await check_cancelled(ward, job, tmp_path)


async def test_a_planner_that_accepted_a_cancel_of_a_waiting_job_and_died_is_obeyed(
    ward: Ward, unclear: jobs_pb.CreateJobRequest, tmp_path: Path
) -> None:
    async with ward.victim("planner: cancel, committed") as (process, stub):
        job = await ward.caller.asked(unclear)
        with pytest.raises(grpc.RpcError):
            await stub.CancelJob(planner_pb.CancelJobRequest(job_id=job.job_id))
        await died(process)
    job = await final(ward, job.job_id)
    await check_cancelled(ward, job, tmp_path)


async def test_the_end_of_a_failed_job_and_of_one_out_of_time_is_recorded(
    ward: Ward, ledger: Stoppable, sales: Path, tmp_path: Path
) -> None:
    missing = await ward.caller.asked(question("total quantity", tmp_path / "gone.csv"))
    assert [end["rule"] for end in await ends_recorded(ward, missing.job_id)] == [
        missing.failure.reason
    ]
    late = asked(sales)
    late.analysis.constraints.timeout.FromSeconds(4)
    with ledger.holding(CHART):
        job = await ward.caller.asked(late)
    [end] = await ends_recorded(ward, job.job_id)
    assert (end["state"], end["rule"]) == ("failed", "TIMEOUT")
    assert end["reason"] == job.failure.message
    assert [file.artifact_id for file in job.partial_artifacts] == end["partial_artifacts"]
    ward.fsck()


async def test_an_end_that_the_log_cannot_take_is_told_at_once_and_logged_later(
    ward: Ward,
    unclear: jobs_pb.CreateJobRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    append, logged = RemoteAudit.append, asyncio.Event()

    async def full(audit: RemoteAudit, request_id: str, events: Any) -> int:
        raise AssayError(AUDIT_UNAVAILABLE, "the disk is full")

    async def mended(audit: RemoteAudit, request_id: str, events: Any) -> int:
        length = await append(audit, request_id, events)
        logged.set()
        return length

    job = await ward.caller.asked(unclear)
    monkeypatch.setattr(RemoteAudit, "append", full)
    job = await cancelled(ward, job.job_id)
    assert job.state == job_pb2.JOB_STATE_CANCELLED
    assert await ends_recorded(ward, job.job_id) == []
    monkeypatch.setattr(RemoteAudit, "append", mended)
    await asyncio.wait_for(logged.wait(), 20)
    await check_cancelled(ward, job, tmp_path)


async def until_done(ward: Ward, job_id: str, task: str) -> None:
    """Return when a step is done."""
    call = ward.caller.jobs.WatchJob(jobs_pb.WatchJobRequest(job_id=job_id))
    async for told in call:
        step = told.event.step
        if step.task_id == task and step.state == job_pb2.STEP_STATE_DONE:
            call.cancel()
            return
    raise AssertionError(f"the job ended before {task} was done")


async def final(ward: Ward, job_id: str) -> job_pb2.Job:
    """The job once it has ended, told by whoever ended it; it waited before."""
    async with asyncio.timeout(ENDED_WITHIN):
        while True:
            job = await ward.caller.job(job_id)
            if job.state == job_pb2.JOB_STATE_CANCELLED:
                return job
            await asyncio.sleep(0.05)
