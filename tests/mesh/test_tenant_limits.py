"""Over the wire: one tenant that calls too much is refused, and another notices nothing."""

from __future__ import annotations

import asyncio
import socket
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest_asyncio
from grpc import aio

from assay.common.v1 import data_pb2, job_pb2
from assay.gateway.v1 import file_service_pb2 as files_pb
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from assay.gateway.v1 import session_service_pb2 as sessions_pb
from clients.python.client import AssayClient
from clients.python.question import Question
from mesh.config import MeshSettings
from mesh.errors import RATE_EXCEEDED
from mesh.ids import new_id
from mesh.transport.status import from_rpc_error
from tests.busy import allowing
from tests.mesh import shared
from tests.mesh.support import Caller

pytestmark = shared.ON_ONE_LOOP

BURST, RATE, UNDER_WAY = 30, 20.0, 12


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def limited() -> AsyncIterator[MeshSettings]:
    """A mesh at whose public address tenants are held to little; over its socket nobody is."""
    limits = {"RATE": str(RATE), "BURST": str(BURST), "CALLS": str(UNDER_WAY)}
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        public = f"127.0.0.1:{free.getsockname()[1]}"
    async with shared.settled_mesh(
        {f"ASSAY_GATEWAY_TENANT_{name}": value for name, value in limits.items()}, public=public
    ) as settings:
        yield settings.model_copy(update={"gateway_address": public})


async def told(caller: Caller) -> str:
    """What a small call was answered: OK, or the reason."""
    try:
        await caller.jobs.ListJobs(jobs_pb.ListJobsRequest(page_size=1))
    except aio.AioRpcError as error:
        assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        refusal = from_rpc_error(error)
        assert refusal.retry_seconds is not None
        assert 0 < refusal.retry_seconds <= 1.5
        return refusal.reason.code
    return "OK"


async def test_who_floods_is_refused_with_a_time_and_another_is_answered_all_the_while(
    limited: MeshSettings, sales: Path
) -> None:
    flood: Counter[str] = Counter()

    async def flooding(caller: Caller) -> None:
        for _ in range(BURST):
            flood[await told(caller)] += 1

    async with Caller(limited, "ann") as ann, Caller(limited, "bob") as bob:
        async with asyncio.timeout(60):
            while not flood[RATE_EXCEEDED.code]:
                await flooding(ann)
        async with AssayClient(limited.gateway_address, "bob") as client:
            asked = Question("how many sales are there?", data=(str(sales),), timeout_seconds=120)
            job = await client.submit(await client.request(asked))
            floods = []
            async for _ in client.watch(job.job_id):
                floods.append(asyncio.create_task(flooding(ann)))
            ended = await client.get_job(job.job_id)
        assert {await told(bob) for _ in range(5)} == {"OK"}
        await asyncio.gather(*floods)
    assert ended.state == job_pb2.JOB_STATE_COMPLETED, ended.failure
    assert set(flood) == {"OK", RATE_EXCEEDED.code}
    assert flood[RATE_EXCEEDED.code] > flood["OK"] / 10


async def test_streams_that_are_left_open_count_until_they_end(
    limited: MeshSettings,
) -> None:
    over = asyncio.Event()
    begun = asyncio.Semaphore(0)

    async def stalling(session: str, number: int) -> AsyncIterator[files_pb.UploadFileRequest]:
        head = files_pb.UploadFileHead(session_id=session, name=f"{number}.csv")
        yield files_pb.UploadFileRequest(head=head)
        begun.release()
        await over.wait()
        yield files_pb.UploadFileRequest(chunk=data_pb2.FileChunk(data=b"a,b\n1,%d\n" % number))

    async with Caller(limited, "acme") as ann, Caller(limited, "bob") as bob:
        create = sessions_pb.CreateSessionRequest(request_id=new_id())
        session = (await ann.sessions.CreateSession(create)).session.session_id

        async def uploading(number: int) -> files_pb.UploadFileResponse:
            # A small call below may hold the last place when an upload comes: that one tries again.
            while True:
                try:
                    return await ann.files.UploadFile(stalling(session, number))
                except aio.AioRpcError as error:
                    if from_rpc_error(error).reason != RATE_EXCEEDED:
                        raise

        waiting = [asyncio.ensure_future(uploading(number)) for number in range(UNDER_WAY)]
        async with asyncio.timeout(allowing(60)):
            for _ in waiting:
                await begun.acquire()
            while await told(ann) != RATE_EXCEEDED.code:
                await asyncio.sleep(0.01)
        assert await told(bob) == "OK"
        over.set()
        ended = await asyncio.gather(*waiting, return_exceptions=True)
        stored = [each for each in ended if isinstance(each, files_pb.UploadFileResponse)]
        assert len(stored) == 10, "as many as a session takes"
        async with asyncio.timeout(allowing(60)):
            while await told(ann) != "OK":
                await asyncio.sleep(0.05)
