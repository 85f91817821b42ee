"""The executor is killed as `kill -9` does; it is asked again, and nothing completed runs twice."""

from __future__ import annotations

import asyncio
import os
import random
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from assay.common.v1 import data_pb2, job_pb2
from assay.executor.v1 import executor_service_pb2 as pb
from mesh.telemetry.trace_files import read_trace
from mesh.transport import patience
from services.planner.adapters import executor_reach
from tests.busy import allowing
from tests.fault.executor_support import ExecutorWard, patient, the_executor_ward
from tests.fault.support import asked

pytestmark = pytest.mark.asyncio(loop_scope="module")

WRITES = ("unsynced", "synced", "renamed")
EVERYWHERE = [
    "executor: source, built",
    "executor: source, renamed",
    *(f"executor: tool, {when}{nth}" for when in ("begun", "ended") for nth in ("", "#3")),
    *(f"frame, {when}{nth}" for when in WRITES for nth in ("", "#3")),
    # The chart; then the table, and the report, which the planner stores.
    *(f"executor: artifact, {when}{nth}" for when in WRITES for nth in ("", "#2", "#3", "#4")),
    *(f"executor: call-record, {when}{nth}" for when in WRITES for nth in ("", "#3")),
    *(f"executor: observation, {when}{nth}" for when in ("unsent", "sent") for nth in ("", "#3")),
]
# Of every kind one, as far as it goes from the first source to the report.
SOME = [
    "executor: source, built",
    "frame, unsynced",
    "executor: artifact, renamed",
    "executor: artifact, synced#4",
    "executor: call-record, synced",
    "executor: call-record, renamed#3",
]
UPLOADS = [f"executor: upload, {when}" for when in WRITES]
# `make fault` asks for many.
KILLS = int(os.environ.get("ASSAY_FAULT_KILLS", "2"))
MANY = KILLS > 2


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def ward() -> AsyncIterator[ExecutorWard]:
    """The mesh without its executor; short, because a socket's path must be."""
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        async with the_executor_ward(Path(folder)) as ward:
            yield ward


@pytest_asyncio.fixture(loop_scope="module")
async def undisturbed_run(ward: ExecutorWard, sales: Path) -> None:
    """One run in which nobody dies: what every other must come to."""
    if ward.undisturbed:
        return
    async with ward.executor():
        job = await ward.caller.asked(asked(sales))
        ward.undisturbed, ward.steps = ward.artifacts(job.job_id), len(job.steps)
        await ward.checked(job)
    assert {"charts", "reports", "tables"} <= {name.split("/")[0] for name in ward.undisturbed}


@pytest.fixture
def little_patience() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(patience, "PATIENCE_SECONDS", 2.0)
        yield


@pytest.mark.usefixtures("undisturbed_run")
@pytest.mark.parametrize("place", EVERYWHERE if MANY else SOME)
async def test_an_executor_killed_around_a_commit_is_asked_again_and_repeats_nothing(
    ward: ExecutorWard, sales: Path, place: str
) -> None:
    async with ward.executor(place) as executor:
        job = await ward.caller.asked(asked(sales))
        await executor.died()
        await ward.checked(job)


@pytest.mark.usefixtures("undisturbed_run")
@pytest.mark.parametrize("seed", range(KILLS))
async def test_an_executor_killed_at_any_moment_is_asked_again_and_repeats_nothing(
    ward: ExecutorWard, sales: Path, seed: int
) -> None:
    async with ward.executor() as executor:
        moment = random.Random(seed).uniform(0.0, 1.5)
        asyncio.get_running_loop().call_later(moment, executor.kill)
        job = await ward.caller.asked(asked(sales))
        await executor.died()
        await ward.checked(job)


@pytest.mark.usefixtures("undisturbed_run")
async def test_a_tool_that_had_ended_without_a_record_runs_again_in_sight_of_who_traces_it(
    ward: ExecutorWard, sales: Path
) -> None:
    request = asked(sales)
    async with ward.executor("executor: tool, ended") as executor:
        async with ward.victim() as (planner, stub):
            await ward.create(stub, request)
            await executor.died()
            await ward.caller.watched(request.request_id)
            job = await ward.caller.job(request.request_id)
            await asyncio.to_thread(planner.stop)  # its spans are complete then
        await ward.checked(job)
    spans = read_trace(ward.settings.home / "traces", job.trace_id)
    [load] = [span for span in spans if span["name"] == "step load"]
    asked_for = [span for span in spans if span["parent_span_id"] == load["span_id"]]
    executions = [span for span in asked_for if span["name"].endswith("/Execute")]
    assert [bool(span["error"]) for span in executions] == [True, False]
    runs = ward.ledger.file.read_text().split()[::2]
    assert max(map(runs.count, runs)) == 2, "the call had no record to be answered from"


@pytest.mark.parametrize("place", UPLOADS if MANY else UPLOADS[1:2])
async def test_an_upload_that_was_cut_off_is_whole_when_it_is_sent_again(
    ward: ExecutorWard, sales: Path, place: str
) -> None:
    content = sales.read_bytes()
    parts = [
        pb.PutSourceRequest(head=pb.PutSourceHead(name="sales.csv")),
        pb.PutSourceRequest(chunk=data_pb2.FileChunk(data=content)),
        pb.PutSourceRequest(end=pb.PutSourceEnd()),
    ]
    async with ward.executor(place) as executor:
        answer = await patient(lambda: ward.caller.executor.PutSource(iter(parts)))
        await executor.died()
    assert answer.row_count == 60
    stored = ward.settings.home / "executor" / "files"
    assert [file.name for file in stored.iterdir()] == [answer.digest]
    assert (stored / answer.digest).read_bytes() == content


async def test_a_source_whose_reading_was_cut_off_is_read_anew(
    ward: ExecutorWard, tmp_path: Path
) -> None:
    source = tmp_path / "readings.csv"
    lines = (f"{number},{number % 7},place {number % 100}" for number in range(1_500_000))
    source.write_text("\n".join(["reading,weekday,place", *lines]) + "\n")
    request = pb.DescribeSourceRequest(sources=[pb.Source(file_path=str(source))])
    sources = ward.settings.home / "executor" / "sources"
    async with ward.executor() as executor:
        describing = asyncio.create_task(
            patient(lambda: ward.caller.executor.DescribeSource(request))
        )
        async with asyncio.timeout(30):
            while not any(sources.glob(".building-*/*")):
                await asyncio.sleep(0.002)
        executor.kill()
        await executor.died()
        assert not any(sources.glob("[0-9a-f]*")), "nothing torn stands in a source's place"
        again = await describing
    async with ward.executor():
        undisturbed = await ward.caller.executor.DescribeSource(request)
    assert again == undisturbed
    assert undisturbed.tables[0].rows == 1_500_000


async def test_a_call_that_kills_every_executor_is_given_up_with_its_reason(
    ward: ExecutorWard, sales: Path
) -> None:
    place = "executor: tool, begun"
    async with ward.executor(place, extra={"ASSAY_FAILPOINT": place}) as executor:
        job = await ward.caller.asked(asked(sales))
        await executor.died()
    assert job.state == job_pb2.JOB_STATE_FAILED
    assert job.failure.reason == "EXECUTOR_LOST"
    assert "the executor was lost 4 times while it ran" in job.failure.message
    runs = ward.ledger.file.read_text().split()
    assert max(map(runs.count, runs[::2])) == executor_reach.MOST_ASKED


@pytest.mark.usefixtures("little_patience")
async def test_an_executor_that_never_comes_back_fails_the_job_in_time(
    ward: ExecutorWard, sales: Path
) -> None:
    began = time.monotonic()
    job = await ward.caller.asked(asked(sales))
    assert job.state == job_pb2.JOB_STATE_FAILED
    assert job.failure.reason == "SERVICE_UNAVAILABLE"
    assert job.failure.message == "the executor service cannot be reached"
    assert time.monotonic() - began < allowing(10.0)


async def test_a_jobs_own_deadline_ends_the_wait_for_an_executor(
    ward: ExecutorWard, sales: Path
) -> None:
    request = asked(sales)
    request.analysis.constraints.timeout.FromSeconds(2)
    job = await ward.caller.asked(request)
    assert job.state == job_pb2.JOB_STATE_FAILED
    assert job.failure.reason == "TIMEOUT"
