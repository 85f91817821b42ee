"""Two live executors: the gateway asks one of them, the planner the other."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from google.protobuf.duration_pb2 import Duration

from assay.common.v1 import analysis_pb2, data_pb2, job_pb2
from assay.executor.v1 import executor_service_pb2 as executor_pb
from assay.gateway.v1 import artifact_service_pb2 as artifacts_pb
from assay.gateway.v1 import audit_service_pb2 as records_pb
from assay.gateway.v1 import file_service_pb2 as files_pb
from assay.gateway.v1 import session_service_pb2 as sessions_pb
from clients.python import frames
from clients.python.frame_wire import ArtifactStub
from gateway.artifacts import frames as forwarding_frames
from mesh.digest import frame_digest, sha256_hex
from mesh.errors import NOT_FOUND
from mesh.ids import new_id
from mesh.testing.mesh import running_mesh
from mesh.testing.object_server import ObjectServerAbsent, fresh_bucket, object_server
from mesh.transport.server import running
from services.__main__ import factories
from tests.fault.supervised import supervised
from tests.mesh.support import Caller, question, refusal
from tests.mesh.test_frame_collection import stored

QUESTION = "total quantity by region as a bar chart"
KEPT_FOR_JOBS = ("frames", "artifacts", "calls", "files")
QUICK = {
    "ASSAY_EXECUTOR_GRACE_SECONDS": "0",
    "ASSAY_EXECUTOR_COLLECT_SECONDS": "0.2",
    "ASSAY_EXECUTOR_TICKET_KEYS": Fernet.generate_key().decode(),
}


@pytest.fixture(autouse=True)
def another_host(monkeypatch: pytest.MonkeyPatch) -> None:
    """The gateway is on another machine than the executors' files, and sweeps all the time."""
    monkeypatch.setattr(forwarding_frames, "_here", lambda frame: None)
    monkeypatch.setenv("ASSAY_GATEWAY_SWEEP_SECONDS", "0.2")


@dataclass
class Pair:
    """`near` reaches the executor that the gateway asks, `far` the one that the planner asks."""

    near: Caller
    far: Caller
    stored: Callable[[], set[str]]


KEY = "k" * 32
"""What services know one another by that have no home in common."""

Sharing = Callable[[], AbstractAsyncContextManager[Pair]]


@asynccontextmanager
async def pair(
    home: Path, near: dict[str, str], far: dict[str, str], kept: Callable[[], set[str]]
) -> AsyncIterator[Pair]:
    """Both executors, in processes of their own, and a mesh around them."""
    async with AsyncExitStack() as stack:
        around = await stack.enter_async_context(
            running_mesh(home, factories, apart=True, without=["executor", "planner"], mesh_key=KEY)
        )
        beside = around.model_copy(update={"executor_address": f"unix:{home}/far.sock"})
        for settings, own in ((around, near), (beside, far)):
            await stack.enter_async_context(
                supervised(settings, "executor", extra=QUICK | {"ASSAY_MESH_KEY": KEY} | own)
            )
        await stack.enter_async_context(
            running(factories(["planner"]), beside, beside.planner_address)
        )
        yield Pair(
            await stack.enter_async_context(Caller(around)),
            await stack.enter_async_context(Caller(beside)),
            kept,
        )


def files_below(*folders: Path) -> set[str]:
    places = [folder / name for folder in folders for name in KEPT_FOR_JOBS]
    return {str(path) for place in places for path in place.glob("**/*") if path.is_file()}


@pytest.fixture(params=["one folder", "one bucket"])
def sharing(request: pytest.FixtureRequest, home: Path) -> Iterator[Sharing]:
    """Two executors with one store."""
    if request.param == "one folder":
        yield lambda: pair(home, {}, {}, lambda: files_below(home, home / "executor"))
        return
    try:
        with object_server() as server:
            place = fresh_bucket(server)
            shared = {
                "ASSAY_EXECUTOR_DATABASE": f"sqlite:///{home / 'executors.sqlite'}",
                "ASSAY_EXECUTOR_STORE_URL": f"s3://{place.bucket}/{place.prefix}",
                "ASSAY_EXECUTOR_STORE_ENDPOINT": place.endpoint,
                "ASSAY_EXECUTOR_STORE_REGION": place.region,
                "ASSAY_EXECUTOR_STORE_KEY": place.access_key,
                "ASSAY_EXECUTOR_STORE_SECRET": place.secret_key,
            }
            near = shared | {"ASSAY_HOME": str(home / "near")}
            far = shared | {"ASSAY_HOME": str(home / "far")}
            yield lambda: pair(home, near, far, lambda: stored(place))
            assert place.secret_key not in (home / "executor.log").read_text()
    except ObjectServerAbsent as absence:
        pytest.skip(str(absence))


async def opened(caller: Caller) -> str:
    create = sessions_pb.CreateSessionRequest(request_id=new_id())
    return (await caller.sessions.CreateSession(create)).session.session_id


async def asked_about_upload(caller: Caller, session_id: str, sales: Path) -> job_pb2.Job:
    """A question about a file that went up through the gateway, once its job has ended."""
    content = await asyncio.to_thread(sales.read_bytes)
    head = files_pb.UploadFileHead(session_id=session_id, name="sales.csv")
    parts = [
        files_pb.UploadFileRequest(head=head),
        files_pb.UploadFileRequest(chunk=data_pb2.FileChunk(data=content)),
    ]
    file = (await caller.files.UploadFile(iter(parts))).file
    request = question(QUESTION)
    request.analysis.data_sources.append(data_pb2.DataSource(file_id=file.file_id))
    request.session_id = session_id
    job = await caller.create(request)
    await caller.watched(job.job_id)
    return await caller.job(job.job_id)


async def downloaded(caller: Caller, job: job_pb2.Job, artifact: analysis_pb2.Artifact) -> bytes:
    wanted = artifacts_pb.DownloadArtifactRequest(
        job_id=job.job_id, artifact_id=artifact.artifact_id
    )
    return b"".join([piece.chunk.data async for piece in caller.artifacts.DownloadArtifact(wanted)])


async def read(caller: Caller, job: job_pb2.Job) -> str:
    """The digest of the answer's table as it comes through the gateway."""
    stub = ArtifactStub(caller.channel("gateway"))
    return frame_digest(await frames.read_frame(stub, job.job_id, job.answer.table.digest))


async def observed(caller: Caller, request: executor_pb.ExecuteRequest) -> analysis_pb2.Observation:
    updates = [update async for update in caller.executor.Execute(request)]
    return updates[-1].observation


async def test_executors_with_one_store_are_one_executor(sharing: Sharing, sales: Path) -> None:
    async with sharing() as both:
        caller: Caller = both.near
        session_id = await opened(caller)
        job = await asked_about_upload(caller, session_id, sales)
        assert job.state == job_pb2.JOB_STATE_COMPLETED, job
        assert await read(caller, job) == job.answer.table.digest
        for artifact in job.answer.artifacts:
            assert sha256_hex(await downloaded(caller, job, artifact)) == artifact.content_hash
        verify = records_pb.VerifyJobRequest(job_id=job.job_id)
        assert (await caller.records.VerifyJob(verify)).ok

        call = analysis_pb2.ToolCall(
            call_id=new_id(),
            task_id="load",
            tool_name="sql.run",
            arguments_json=json.dumps({"query": "SELECT count(*) AS n FROM sales"}),
            attempt_number=1,
        )
        request = executor_pb.ExecuteRequest(
            call=call,
            request_id=job.job_id,
            sources=[executor_pb.Source(file_path=str(sales), name="sales")],
            constraints=data_pb2.Constraints(row_limit=100, timeout=Duration(seconds=60)),
        )
        first = await observed(both.far, request)
        assert first.status == analysis_pb2.OBSERVATION_STATUS_SUCCESS, first
        assert await observed(both.near, request) == first, "made twice"

        request.call.call_id, request.call.task_id = new_id(), "repaired"
        request.call.arguments_json = json.dumps({"query": "SELECT nothing FROM sales"})
        failed = await observed(both.far, request)
        assert failed.status == analysis_pb2.OBSERVATION_STATUS_ERROR
        request.call.CopyFrom(call)
        request.call.call_id, request.call.task_id = new_id(), "repaired"
        request.call.attempt_number = 2
        second = await observed(both.near, request)
        assert second.status == analysis_pb2.OBSERVATION_STATUS_SUCCESS, (
            "one knows what the other saw"
        )

        assert both.stored()
        closing = sessions_pb.DeleteSessionRequest(session_id=session_id)
        await caller.sessions.DeleteSession(closing)
        async with asyncio.timeout(20):
            while left := await asyncio.to_thread(both.stored):
                await asyncio.sleep(0.1)
        assert not left
        gone = await caller.records.VerifyJob(verify)
        assert [(check.name, check.ok) for check in gone.checks] == [
            ("chain", True),
            ("tree", True),
            ("artifacts", False),
        ]
        assert "session" in gone.checks[-1].detail


async def test_executors_with_stores_of_their_own_pass_frames_on_and_nothing_else(
    home: Path, sales: Path
) -> None:
    near, far = {"ASSAY_HOME": str(home / "near")}, {"ASSAY_HOME": str(home / "far")}
    async with pair(home, near, far, set) as both:
        caller = both.near
        job = await caller.asked(question(QUESTION, sales))
        assert job.state == job_pb2.JOB_STATE_COMPLETED, job
        assert {place.kind for place in job.answer.table.locations} == {
            data_pb2.FRAME_LOCATION_KIND_PATH,
            data_pb2.FRAME_LOCATION_KIND_FLIGHT,
        }
        assert await read(caller, job) == job.answer.table.digest

        refused = await refusal(downloaded(caller, job, job.answer.artifacts[0]))
        assert refused.reason is NOT_FOUND
        failed = await asked_about_upload(caller, await opened(caller), sales)
        assert failed.state == job_pb2.JOB_STATE_FAILED
        assert failed.failure.reason == NOT_FOUND.code, failed.failure
        assert "upload it again" in failed.failure.hint, failed.failure
