"""A gateway is killed as `kill -9` does: jobs go on, and nothing it acknowledged is lost."""

from __future__ import annotations

import asyncio
import os
import random
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing
from functools import partial
from pathlib import Path

import pytest
import pytest_asyncio

from assay.common.v1 import data_pb2, job_pb2
from assay.gateway.v1 import audit_service_pb2 as records_pb
from assay.gateway.v1 import file_service_pb2 as files_pb
from assay.gateway.v1 import session_service_pb2 as sessions_pb
from clients.python.client import AssayClient
from mesh.config import MeshSettings
from mesh.testing.mesh import running_mesh
from services.__main__ import factories
from tests.fault.gateway_world import PATIENCE, QUICK, Story, gone, repeated
from tests.fault.supervised import supervised
from tests.fault.support import Ledger, asked
from tests.mesh.support import FINAL, REPOSITORY, Caller

pytestmark = pytest.mark.asyncio(loop_scope="module")

COMMITS = (
    "session-created",
    "content-held",
    "file-added",
    "file-removed",
    "content-condemned",
    "content-settled",
    "session-deleted",
)
EVERYWHERE = [
    *(f"gateway: {name}, {when}" for name in COMMITS for when in ("uncommitted", "committed")),
    "gateway: content-stored",
    "gateway: content-deleted",
    "gateway: content-stored#2",
    "gateway: file-added, uncommitted#2",
    "gateway: file-removed, committed#2",
]
# Of every kind one: before and after a commit, and between the executor's work and the commit.
SOME = [
    "gateway: content-stored",
    "gateway: file-added, committed",
    "gateway: file-removed, committed#2",
    "gateway: content-deleted",
    "gateway: session-deleted, committed",
]
# `make fault` asks for many.
RELEASING = [
    "gateway: job-expected, uncommitted",
    "gateway: job-expected, committed",
    "gateway: session-deleted, uncommitted",
    "gateway: session-deleted, committed",
    "gateway: job-released",
    "gateway: job-settled, uncommitted",
    "gateway: job-settled, committed",
]
KILLS = int(os.environ.get("ASSAY_FAULT_KILLS", "2"))
PLACES = EVERYWHERE if KILLS > 2 else SOME
CLIENTS = 20
HALF = b"order_id,item\n1,bench\n"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def around(ledger: Ledger) -> AsyncIterator[MeshSettings]:
    """Everything but a gateway; short, because a socket's path must be."""
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        async with running_mesh(
            Path(folder), factories, apart=True, without=["gateway"]
        ) as settings:
            yield settings


@pytest.mark.parametrize("place", PLACES)
async def test_a_gateway_killed_around_a_commit_loses_and_leaves_nothing(
    around: MeshSettings, place: str
) -> None:
    async with supervised(around, "gateway", place, QUICK) as gateway, Caller(around) as caller:
        story = Story(around, caller)
        await story.run()
        await gateway.died()
        await story.check()


@pytest.mark.parametrize("seed", range(KILLS))
async def test_a_gateway_killed_at_any_moment_loses_and_leaves_nothing(
    around: MeshSettings, seed: int
) -> None:
    async with supervised(around, "gateway", extra=QUICK) as gateway, Caller(around) as caller:
        story = Story(around, caller)
        running = asyncio.create_task(story.run())
        await asyncio.sleep(random.Random(seed).uniform(0.0, 0.4))
        gateway.kill()
        await gateway.died()
        await running
        await story.check()


@pytest.mark.parametrize("place", RELEASING if KILLS > 2 else RELEASING[4:5])
async def test_a_gateway_killed_while_it_lets_a_deleted_sessions_job_go_lets_all_of_it_go(
    around: MeshSettings, sales: Path, place: str
) -> None:
    async with supervised(around, "gateway", place, QUICK) as gateway, Caller(around) as caller:
        story = Story(around, caller)
        session = await story.session()
        create = asked(sales)
        create.session_id = session
        job = (await repeated(lambda: caller.jobs.CreateJob(create))).job
        while (await repeated(partial(caller.job, job.job_id))).state not in FINAL:
            await asyncio.sleep(0.1)
        assert story.held(job.job_id)
        end = sessions_pb.DeleteSessionRequest(session_id=session)
        await gone(lambda: caller.sessions.DeleteSession(end))
        await gateway.died()
        async with asyncio.timeout(20):
            while story.held(job.job_id) or story.noted(job.job_id):
                await asyncio.sleep(0.1)


@pytest.mark.parametrize("who", ["the gateway dies", "the client goes away"])
async def test_an_upload_that_breaks_off_midway_leaves_no_half_of_a_file(
    around: MeshSettings, who: str
) -> None:
    half_sent = asyncio.Event()
    async with supervised(around, "gateway", extra=QUICK) as gateway, Caller(around) as caller:
        story = Story(around, caller)
        session = await story.session()

        async def parts() -> AsyncIterator[files_pb.UploadFileRequest]:
            head = files_pb.UploadFileHead(session_id=session, name="orders.csv")
            yield files_pb.UploadFileRequest(head=head)
            yield files_pb.UploadFileRequest(chunk=data_pb2.FileChunk(data=HALF))
            await story.arriving()
            half_sent.set()
            await asyncio.Event().wait()

        leaving = Caller(around)
        upload = asyncio.ensure_future(leaving.files.UploadFile(parts()))
        await asyncio.wait_for(half_sent.wait(), 20)
        if who == "the gateway dies":
            gateway.kill()
            await gateway.died()
            # gRPC itself may send it again to a gateway that is back soon: the client leaves too.
            await asyncio.wait([upload], timeout=2)
        await leaving.__aexit__()
        await asyncio.wait([upload], timeout=10)
        await story.check()
        assert (await story.files(session)) == []
        assert not await story.is_stored(HALF)


async def test_a_job_goes_on_without_its_gateway_and_the_client_misses_and_repeats_no_event(
    around: MeshSettings, ledger: Ledger, sales: Path
) -> None:
    async with (
        supervised(around, "gateway") as gateway,
        AssayClient(around.gateway_address, "ann", resume_delays=PATIENCE) as client,
    ):
        with ledger.holding("plot_render"):
            job = await client.submit(asked(sales))
            told: list[job_pb2.JobEvent] = []
            async with aclosing(client.watch(job.job_id)) as events:
                async for event in events:
                    told.append(event)
                    if event.step.tool_name == "plot.render" and not ledger.door.is_set():
                        gateway.kill()
                        await gateway.died()
                        ledger.door.set()
        assert [event.sequence for event in told] == list(range(1, len(told) + 1))
        assert told == [event async for event in client.watch(job.job_id)]
        assert (await client.get_job(job.job_id)).state == job_pb2.JOB_STATE_COMPLETED


async def test_an_ask_at_an_address_lives_through_its_gateways_death(
    around: MeshSettings, ledger: Ledger, sales: Path
) -> None:
    question = ("total quantity by region as a bar chart", "--server", around.gateway_address)
    async with supervised(around, "gateway") as gateway:
        with ledger.holding("plot_render"):
            asking = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "clients.python.cli.main",
                "ask",
                *question,
                "--data",
                str(sales),
                "--json",
                cwd=REPOSITORY,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
            assert await asyncio.to_thread(ledger.held.wait, 30)
            gateway.kill()
            await gateway.died()
            ledger.door.set()
            out, told = await asyncio.wait_for(asking.communicate(), 60)
        assert asking.returncode == 0, told.decode()
        assert b"North" in out


async def test_many_clients_with_one_request_make_one_job_through_two_gateways_and_a_death(
    around: MeshSettings, sales: Path
) -> None:
    beside = around.model_copy(update={"gateway_address": f"unix:{around.home}/beside.sock"})
    request = asked(sales)
    async with AsyncExitStack() as stack:
        gateway = await stack.enter_async_context(supervised(around, "gateway"))
        await stack.enter_async_context(supervised(beside, "gateway"))
        clients = [
            await stack.enter_async_context(
                AssayClient(place.gateway_address, "ann", resume_delays=PATIENCE)
            )
            for place in (around, beside) * (CLIENTS // 2)
        ]
        first = asyncio.create_task(clients[0].submit(request))
        rest = [asyncio.create_task(client.submit(request)) for client in clients[1:]]
        await asyncio.wait([first, *rest], return_when=asyncio.FIRST_COMPLETED)
        gateway.kill()
        jobs = await asyncio.gather(first, *rest)
        assert {job.job_id for job in jobs} == {request.request_id}
        again = [await client.submit(request) for client in clients]
        assert {job.job_id for job in again} == {request.request_id}
        last = [event async for event in clients[1].watch(request.request_id)][-1]
        assert last.state == job_pb2.JOB_STATE_COMPLETED
        listed = [job.job_id for job in await clients[0].list_jobs(100)]
        assert listed.count(request.request_id) == 1
        async with Caller(beside) as caller:
            wanted = records_pb.ListEntriesRequest(job_id=request.request_id, page_size=500)
            entries = (await caller.records.ListEntries(wanted)).entries
        kinds = Counter(entry.event_type for entry in entries)
        assert kinds["request_submitted"] == kinds["plan_created"] == 1
        assert [entry.sequence_number for entry in entries] == list(range(1, len(entries) + 1))
