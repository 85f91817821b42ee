"""Sessions and files (seeds 002 and 004) over gRPC: refusals by name, and what goes at the end."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import closing
from pathlib import Path

import grpc
import pytest
import pytest_asyncio

from assay.common.v1 import data_pb2
from assay.gateway.v1 import audit_service_pb2 as records_pb
from assay.gateway.v1 import file_service_pb2 as files_pb
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from assay.gateway.v1 import session_service_pb2 as sessions_pb
from assay.memory.v1 import memory_service_pb2 as memory_pb
from assay.memory.v1 import memory_service_pb2_grpc as memory_grpc
from mesh.config import MeshSettings
from mesh.ids import new_id
from mesh.transport.status import from_rpc_error
from tests.mesh import shared
from tests.mesh.movements import movement, of_leaves, write_leaves, write_orders
from tests.mesh.owned import uploaded
from tests.mesh.support import Caller, question

pytestmark = shared.ON_ONE_LOOP

MEGABYTE = 1 << 20
GONE_WITHIN_SECONDS = 30.0


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def quick() -> AsyncIterator[MeshSettings]:
    """A mesh whose gateway sweeps at once, and takes three files of a megabyte."""
    settings = {"SWEEP_SECONDS": "0.2", "SESSION_FILES": "3", "FILE_BYTES": str(MEGABYTE)}
    async with shared.settled_mesh(
        {f"ASSAY_GATEWAY_{name}": value for name, value in settings.items()}
    ) as running:
        yield running


async def opened(ann: Caller) -> str:
    request = sessions_pb.CreateSessionRequest(request_id=new_id())
    return (await ann.sessions.CreateSession(request)).session.session_id


async def put(
    ann: Caller, session: str, content: bytes, name: str = "some.csv", description: str = ""
) -> files_pb.File:
    head = files_pb.UploadFileHead(session_id=session, name=name, description=description)
    parts = [files_pb.UploadFileRequest(head=head)]
    parts += [
        files_pb.UploadFileRequest(chunk=data_pb2.FileChunk(data=content[at : at + MEGABYTE]))
        for at in range(0, len(content), MEGABYTE)
    ]
    return (await ann.files.UploadFile(iter(parts))).file


async def reason(call: Awaitable[object]) -> str:
    with pytest.raises(grpc.RpcError) as caught:
        await call
    return from_rpc_error(caught.value).reason.code


async def test_every_error_code_of_the_specification_has_its_name(
    quick: MeshSettings, tmp_path: Path
) -> None:
    async with Caller(quick) as ann:
        session, empty = await opened(ann), await opened(ann)
        table = b"a,b\n" + b"1,2\n" * 3
        assert await reason(put(ann, session, b"x,y\n" + b"1,2\n" * MEGABYTE)) == "FILE_TOO_LARGE"
        picture = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
        assert await reason(put(ann, session, picture, "table.csv")) == "INVALID_FILE_TYPE"
        assert await reason(put(ann, session, b"1,2\n3,4\n5,6\n")) == "NO_HEADERS"
        assert await reason(put(ann, session, table, description="x" * 2001)) == "INVALID_ARGUMENT"
        long = await put(ann, session, table, "n" * 300 + ".csv")
        assert len(long.original_name) == 255 and long.original_name.endswith(".csv")
        for number in range(2):
            await put(ann, session, table, f"{number}.csv")
        assert await reason(put(ann, session, table, "4.csv")) == "MAX_FILES_EXCEEDED"

        orders = write_orders(tmp_path / "orders.csv")
        assert await reason(ann.create(movement(session=empty))) == "NO_FILES_UPLOADED"
        assert await reason(ann.create(movement(orders, metric=""))) == "METRIC_SQL_REQUIRED"
        turned = movement(orders, baseline=("2024-02-29", "2024-02-01"))
        assert await reason(ann.create(turned)) == "INVALID_DATE_RANGE"

        running = of_leaves(write_leaves(tmp_path / "leaves.csv"))
        await ann.create(running)
        about = jobs_pb.AskAboutJobRequest(job_id=running.request_id, question="what did you find?")
        assert await reason(ann.jobs.AskAboutJob(about)) == "INVESTIGATION_NOT_COMPLETE"
        await ann.watched(running.request_id)
        assert (await ann.jobs.AskAboutJob(about)).response.about_job_id == running.request_id


async def test_a_content_is_stored_once_a_user_counted_and_goes_with_its_last_file(
    quick: MeshSettings,
) -> None:
    async with Caller(quick, "counted") as ann, Caller(quick, "bob") as bob:
        first, second = await opened(ann), await opened(ann)
        table = b"a,b\n" + b"1,2\n" * 30
        one = await put(ann, first, table, "one.csv")
        two = await put(ann, second, table, "two.csv")
        bobs = await put(bob, await opened(bob), table, "his.csv")
        assert one.content_hash == two.content_hash == bobs.content_hash
        assert (one.duplicate, two.duplicate, bobs.duplicate) == (False, True, False)
        assert (two.reference_count, bobs.reference_count) == (2, 1)
        await ann.files.DeleteFile(files_pb.DeleteFileRequest(file_id=one.file_id))
        left = (await ann.files.GetFile(files_pb.GetFileRequest(file_id=two.file_id))).file
        assert left.reference_count == 1
        await ann.files.DeleteFile(files_pb.DeleteFileRequest(file_id=two.file_id))
        await bob.files.DeleteFile(files_pb.DeleteFileRequest(file_id=bobs.file_id))
        await gone(lambda: stored(quick.home, one.content_hash))


async def test_when_a_sessions_time_is_over_all_goes_but_what_proves(
    quick: MeshSettings, sales: Path
) -> None:
    async with Caller(quick) as ann:
        session = await opened(ann)
        file = await uploaded(ann, session, sales)
        held = (await ann.files.GetFile(files_pb.GetFileRequest(file_id=file))).file
        wanted = question("total price by region")
        wanted.session_id = session
        wanted.analysis.data_sources.add(file_id=file)
        job = await ann.asked(wanted)
        documents = memory_grpc.MemoryServiceStub(ann.channel("memory"))
        search = memory_pb.SearchDocumentsRequest(query="price", session_id=session)
        assert (await documents.SearchDocuments(search)).documents
        assert stored(quick.home, held.content_hash)

        with closing(sqlite3.connect(quick.home / "gateway" / "gateway.sqlite")) as database:
            over = "UPDATE sessions SET expires_at = created_at WHERE session_id = ?"
            database.execute(over, [session])
            database.commit()
        await gone(lambda: stored(quick.home, held.content_hash))
        assert not (await documents.SearchDocuments(search)).documents
        found = sessions_pb.GetSessionRequest(session_id=session)
        ended = (await ann.sessions.GetSession(found)).session
        assert ended.state == sessions_pb.SESSION_STATE_EXPIRED and ended.file_count == 0
        again = question("total price by region")
        again.session_id = session
        again.analysis.data_sources.add(file_id=file)
        assert await reason(ann.create(again)) == "SESSION_EXPIRED"
        listed = files_pb.ListFilesRequest(session_id=session)
        assert await reason(ann.files.ListFiles(listed)) == "SESSION_EXPIRED"

        verified = await ann.records.VerifyJob(records_pb.VerifyJobRequest(job_id=job.job_id))
        assert verified.ok, verified  # the trail, and what it needs
        about = jobs_pb.AskAboutJobRequest(job_id=job.job_id, question="what was the answer?")
        assert job.answer.text in (await ann.jobs.AskAboutJob(about)).response.answer


def stored(home: Path, digest: str) -> bool:
    """Whether the executor still has a file of that content."""
    return any(path.is_file() for path in (home / "executor").rglob(f"*{digest}*"))


async def gone(there: Callable[[], bool]) -> None:
    """Wait until something is not there any more."""
    async with asyncio.timeout(GONE_WITHIN_SECONDS):
        while there():
            await asyncio.sleep(0.05)
