"""A deadline of one second: every hop inherits what is left, and one second later nobody works."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
import pytest_asyncio

from assay.common.v1 import analysis_pb2, job_pb2
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from mesh import context as calls
from mesh.config import SERVICES, MeshSettings
from mesh.errors import TIMEOUT
from mesh.testing.mesh import running_mesh
from mesh.transport.interceptors.incoming import Context
from services.__main__ import factories
from tests.busy import allowing
from tests.children import VARIABLE, WHOLE
from tests.mesh.heavy import heavy_call
from tests.mesh.support import Caller, ServiceProcess, processes, question, refusal

pytestmark = pytest.mark.asyncio(loop_scope="module")

SECONDS = 1.0
# What a process may still use in half a second once nobody waits for it: its event loop's timers.
IDLE_SHARE = 0.2
WATCHED_SECONDS = 0.5


@pytest.fixture(scope="module", autouse=True)
def whole() -> Iterator[None]:
    """All that works for a service is below it, where it is looked for."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, WHOLE)
        yield


def processor_seconds(process: ServiceProcess) -> float:
    """Processor time that a process with all its threads and children has used."""
    seconds = 0.0
    for pid in [process.process.pid, *children(process.process.pid)]:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        seconds += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return seconds


def children(pid: int) -> list[int]:
    """Every process below another."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in map(int, (task / "children").read_text().split()):
            found += [child, *children(child)]
    return found


async def share_used(process: ServiceProcess) -> float:
    """The share of one processor that a process uses from now on."""
    before = processor_seconds(process)
    await asyncio.sleep(WATCHED_SECONDS)
    return (processor_seconds(process) - before) / WATCHED_SECONDS


@pytest.fixture
def long_sales(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A file that takes several seconds to read, and that nobody has read before."""
    path = tmp_path / "long.csv"
    rows = "".join(
        f"{number},r{number % 97},p{number % 89},{number % 7},n{number * 7919}\n"
        for number in range(200_000)
    )
    with path.open("w") as file:
        file.write("sale_id,region,product,quantity,note\n")
        for _ in range(30):
            file.write(rows)
        file.write(f"0,r0,p0,1,{request.node.name}\n")
    return path


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def alone() -> AsyncIterator[tuple[MeshSettings, ServiceProcess]]:
    """An executor in a process of its own, the others in this one."""
    if sys.platform != "linux":
        pytest.skip("what a process does is read from /proc")
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        async with (
            running_mesh(Path(folder), factories, apart=True, without=["executor"]) as settings,
            processes(settings, [["executor"]]) as started,
        ):
            yield settings, started["executor"]


async def test_every_hop_gets_what_is_left_and_never_more(
    sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = time.monotonic()
    until: dict[str, list[float]] = {name: [] for name in SERVICES}
    around = Context.around

    @asynccontextmanager
    async def recorded(self: Context, method: str, context: Any) -> AsyncIterator[None]:
        async with around(self, method, context):
            call = calls.current()
            if call.service in until and call.deadline is not None:
                until[call.service].append(call.deadline)
            yield

    monkeypatch.setattr(Context, "around", recorded)
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        async with (
            running_mesh(Path(folder), factories, apart=True) as settings,
            Caller(settings) as caller,
        ):
            wanted = jobs_pb.PlanJobRequest(
                analysis=question("total quantity by region", sales).analysis
            )
            await caller.jobs.PlanJob(wanted)  # everything is warm then
            for seen in until.values():
                seen.clear()
            started = time.monotonic()
            try:
                await caller.jobs.PlanJob(wanted, timeout=SECONDS)
            except grpc.aio.AioRpcError as error:
                assert error.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    for service in ("gateway", "planner", "executor"):
        assert until[service], f"{service} was not called"
    latest = [deadline - started for deadlines in until.values() for deadline in deadlines]
    # gRPC hands a deadline on in whole milliseconds or coarser, rounded up.
    assert all(0 < seconds < SECONDS + 0.1 for seconds in latest), until


async def test_a_query_whose_deadline_is_over_has_left_the_processor_a_second_later(
    alone: tuple[MeshSettings, ServiceProcess], sales: Path
) -> None:
    settings, executor = alone
    async with Caller(settings) as caller:
        running = asyncio.create_task(_outlived(caller, sales))
        await asyncio.sleep(SECONDS / 2)
        assert await share_used(executor) > IDLE_SHARE, "the query was to be under way"
        await running
        await asyncio.sleep(allowing(SECONDS))
        assert await share_used(executor) < IDLE_SHARE


async def _outlived(caller: Caller, sales: Path) -> None:
    try:
        async for update in caller.executor.Execute(heavy_call(sales), timeout=SECONDS):
            last = update
        assert last.observation.status == analysis_pb2.OBSERVATION_STATUS_TIMEOUT
    except grpc.aio.AioRpcError as error:  # both ends have one deadline: either may be first
        assert error.code() is grpc.StatusCode.DEADLINE_EXCEEDED


async def test_a_plan_whose_deadline_is_over_reads_no_further(
    alone: tuple[MeshSettings, ServiceProcess], long_sales: Path
) -> None:
    settings, executor = alone
    async with Caller(settings) as caller:
        wanted = jobs_pb.PlanJobRequest(
            analysis=question("total quantity by region", long_sales).analysis
        )
        assert (await refusal(caller.jobs.PlanJob(wanted, timeout=SECONDS))).reason is TIMEOUT
        await asyncio.sleep(allowing(SECONDS))
        assert await share_used(executor) < IDLE_SHARE


async def test_a_job_whose_second_is_over_leaves_nobody_working(
    alone: tuple[MeshSettings, ServiceProcess], long_sales: Path
) -> None:
    settings, executor = alone
    async with Caller(settings) as caller:
        started = time.monotonic()
        job = await caller.asked(question("total quantity by product", long_sales, timeout=1))
        assert time.monotonic() - started < allowing(2 * SECONDS)
        assert job.state == job_pb2.JOB_STATE_FAILED
        assert job.failure.reason == "TIMEOUT"
        await asyncio.sleep(allowing(SECONDS))
        assert await share_used(executor) < IDLE_SHARE
