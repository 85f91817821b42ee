"""Whatever goes wrong leaves with a reason, and tells nobody what they may not know."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import grpc
import pytest
import pytest_asyncio
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from assay.common.v1 import job_pb2
from assay.gateway.v1 import artifact_service_pb2 as artifacts_pb
from assay.gateway.v1 import audit_service_pb2 as records_pb
from assay.gateway.v1 import file_service_pb2 as files_pb
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from assay.gateway.v1 import session_service_pb2 as sessions_pb
from mesh.config import MeshSettings
from mesh.errors import REASONS
from mesh.ids import new_id
from mesh.testing.mesh import running_mesh
from services.__main__ import factories
from services.planner.adapters.job_store import SqlJobStore
from services.planner.domain.question import MAX_INTENT_CHARACTERS
from tests.mesh import shared
from tests.mesh.support import Caller, question

pytestmark = shared.ON_ONE_LOOP
ann, bob = shared.ann, shared.bob

Ask = Callable[[Caller, str], Any]

# Every call of the gateway that takes a job's id.
ON_A_JOB: dict[str, Ask] = {
    "GetJob": lambda who, job: who.jobs.GetJob(jobs_pb.GetJobRequest(job_id=job)),
    "WatchJob": lambda who, job: who.jobs.WatchJob(jobs_pb.WatchJobRequest(job_id=job)),
    "CancelJob": lambda who, job: who.jobs.CancelJob(jobs_pb.CancelJobRequest(job_id=job)),
    "AnswerJob": lambda who, job: who.jobs.AnswerJob(
        jobs_pb.AnswerJobRequest(job_id=job, option_id="1")
    ),
    "GetTrace": lambda who, job: who.jobs.GetTrace(jobs_pb.GetTraceRequest(job_id=job)),
    "ListArtifacts": lambda who, job: who.artifacts.ListArtifacts(
        artifacts_pb.ListArtifactsRequest(job_id=job)
    ),
    "GetArtifact": lambda who, job: who.artifacts.GetArtifact(
        artifacts_pb.GetArtifactRequest(job_id=job, artifact_id=new_id())
    ),
    "DownloadArtifact": lambda who, job: who.artifacts.DownloadArtifact(
        artifacts_pb.DownloadArtifactRequest(job_id=job, artifact_id=new_id())
    ),
    "ReadFrame": lambda who, job: who.artifacts.ReadFrame(
        artifacts_pb.ReadFrameRequest(job_id=job, digest="a" * 64)
    ),
    "ListEntries": lambda who, job: who.records.ListEntries(
        records_pb.ListEntriesRequest(job_id=job)
    ),
    "ExportChain": lambda who, job: who.records.ExportChain(
        records_pb.ExportChainRequest(job_id=job)
    ),
    "VerifyJob": lambda who, job: who.records.VerifyJob(records_pb.VerifyJobRequest(job_id=job)),
    "GetInclusionProof": lambda who, job: who.records.GetInclusionProof(
        records_pb.GetInclusionProofRequest(job_id=job, sequence_number=1)
    ),
}
OF_A_SESSION: dict[str, Ask] = {
    "GetSession": lambda who, name: who.sessions.GetSession(
        sessions_pb.GetSessionRequest(session_id=name)
    ),
    "DeleteSession": lambda who, name: who.sessions.DeleteSession(
        sessions_pb.DeleteSessionRequest(session_id=name)
    ),
    "ListFiles": lambda who, name: who.files.ListFiles(files_pb.ListFilesRequest(session_id=name)),
    "GetFile": lambda who, name: who.files.GetFile(files_pb.GetFileRequest(file_id=name)),
    "UpdateFile": lambda who, name: who.files.UpdateFile(files_pb.UpdateFileRequest(file_id=name)),
    "DeleteFile": lambda who, name: who.files.DeleteFile(files_pb.DeleteFileRequest(file_id=name)),
}


async def error_of(call: Awaitable[object] | AsyncIterable[object]) -> grpc.aio.AioRpcError:
    """The status a call must end with."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        if isinstance(call, AsyncIterable):
            [item async for item in call]
        else:
            await call
    return caught.value


def info_of(error: grpc.aio.AioRpcError) -> error_details_pb2.ErrorInfo:
    """The ErrorInfo that every error carries."""
    status = rpc_status.from_call(error)  # type: ignore[arg-type]
    assert status is not None, error
    assert status.code == error.code().value[0]
    info = error_details_pb2.ErrorInfo()
    assert status.details[0].Unpack(info)
    return info


def told(error: grpc.aio.AioRpcError) -> str:
    """Everything a client can read of it."""
    return f"{error.details()} {error.trailing_metadata()} {info_of(error)}"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def asking_back(
    shared_mesh: MeshSettings, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[tuple[Caller, job_pb2.Job]]:
    """A job that can still be answered and cancelled, and whose it is."""
    orders = tmp_path_factory.mktemp("orders") / "orders.csv"
    orders.write_text("region,net_amount,gross_amount\nNorth,10.5,12.6\nSouth,20,24\n")
    async with Caller(shared_mesh, f"owner-{new_id()[:8]}") as owner:
        yield owner, await owner.asked(question("total amount", orders, assume=False))


@pytest.mark.parametrize("name", sorted(ON_A_JOB))
async def test_a_job_of_somebody_else_is_not_there(
    asking_back: tuple[Caller, job_pb2.Job], bob: Caller, name: str
) -> None:
    owner, job = asking_back
    theirs = await error_of(ON_A_JOB[name](bob, job.job_id))
    nobodys = await error_of(ON_A_JOB[name](bob, "0" * 32))
    for error in (theirs, nobodys):
        assert error.code() is grpc.StatusCode.NOT_FOUND
        assert info_of(error).reason == "NOT_FOUND"
        assert info_of(error).domain == "assay.internal"
    same = str(theirs.details()).replace(job.job_id, "?")
    assert same == str(nobodys.details()).replace("0" * 32, "?")
    assert (await owner.job(job.job_id)).state == job_pb2.JOB_STATE_WAITING


@pytest.mark.parametrize("name", sorted(OF_A_SESSION))
async def test_nothing_of_an_unknown_session_is_there(bob: Caller, name: str) -> None:
    error = await error_of(OF_A_SESSION[name](bob, new_id()))
    assert error.code() is grpc.StatusCode.NOT_FOUND
    assert info_of(error).reason == "NOT_FOUND"


async def test_a_request_that_is_sent_again_makes_nothing_twice(ann: Caller, sales: Path) -> None:
    request = question("total quantity", sales)
    made = [await ann.create(request), await ann.create(request)]
    await ann.watched(request.request_id)
    made.append(await ann.create(request))
    assert {job.job_id for job in made} == {request.request_id}
    assert len((await ann.jobs.ListJobs(jobs_pb.ListJobsRequest())).jobs) == 1
    listing = records_pb.ListEntriesRequest(job_id=request.request_id)
    kinds = [entry.event_type for entry in (await ann.records.ListEntries(listing)).entries]
    assert kinds.count("request_submitted") == kinds.count("plan_created") == 1
    request.analysis.intent = "average price"
    error = await error_of(ann.jobs.CreateJob(request))
    assert error.code() is grpc.StatusCode.ALREADY_EXISTS
    assert info_of(error).reason == "ID_REUSED"


async def test_a_request_id_of_somebody_else_makes_no_job_and_shows_none(
    ann: Caller, bob: Caller, sales: Path
) -> None:
    request = question("total quantity", sales)
    await ann.create(request)
    error = await error_of(bob.jobs.CreateJob(request))
    assert info_of(error).reason == "NOT_FOUND"
    listed = await bob.jobs.ListJobs(jobs_pb.ListJobsRequest())
    assert not listed.jobs


@pytest.mark.parametrize("apart", [False, True], ids=["together", "apart"])
async def test_a_fault_of_assays_own_names_the_request_and_nothing_else(
    home: Path,
    sales: Path,
    apart: bool,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def broken(*_: object) -> None:
        raise RuntimeError(f"secret of {home}")

    monkeypatch.setattr(SqlJobStore, "page", broken)
    async with running_mesh(home, factories, apart=apart) as settings, Caller(settings) as caller:
        error = await error_of(caller.jobs.ListJobs(jobs_pb.ListJobsRequest()))
    assert error.code() is grpc.StatusCode.INTERNAL
    info = info_of(error)
    assert info.reason == "INTERNAL"
    request_id = info.metadata["request_id"]
    assert len(request_id) == 32
    assert request_id in str(error.details())
    for secret in ("secret", "Traceback", "RuntimeError", str(home), ".py"):
        assert secret not in told(error)
    assert request_id in caplog.text
    assert "secret" in caplog.text


async def test_a_job_that_meets_a_fault_fails_with_its_id_and_no_traceback(
    ann: Caller, sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object) -> None:
        raise RuntimeError("secret")

    monkeypatch.setattr("services.planner.adapters.reasoner_rules.RulesReasoner.plan", broken)
    job = await ann.asked(question("total quantity", sales))
    assert job.state == job_pb2.JOB_STATE_FAILED
    assert job.failure.reason == "INTERNAL"
    assert job.job_id[:8] in job.failure.message
    assert "secret" not in str(job)


async def test_every_refusal_carries_a_known_reason_and_what_to_do(
    ann: Caller, sales: Path
) -> None:
    asked = [
        question("", sales),
        question("x" * (MAX_INTENT_CHARACTERS + 1), sales),
        question("how many"),
        question("how many", sales, timeout=181),
    ]
    for request in asked:
        error = await error_of(ann.jobs.CreateJob(request))
        info = info_of(error)
        assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
        assert info.domain == "assay.internal"
        assert info.reason in REASONS
        assert info.metadata["remedy"]


async def test_a_service_that_is_away_is_named(apart: MeshSettings) -> None:
    async with Caller(apart) as caller:
        error = await error_of(caller.jobs.ListJobs(jobs_pb.ListJobsRequest(), timeout=5))
    assert error.code() is grpc.StatusCode.UNAVAILABLE
