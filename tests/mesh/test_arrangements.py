"""Local equals remote: the same calls to one server, to a server each, to five processes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pyarrow as pa
import pytest
from google.protobuf.duration_pb2 import Duration

from assay.common.v1 import analysis_pb2, data_pb2, job_pb2
from assay.executor.v1 import executor_service_pb2 as executor_pb
from assay.gateway.v1 import artifact_service_pb2 as artifacts_pb
from assay.gateway.v1 import audit_service_pb2 as records_pb
from assay.gateway.v1 import catalogue_service_pb2 as catalogue_pb
from assay.gateway.v1 import file_service_pb2 as files_pb
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from assay.gateway.v1 import session_service_pb2 as sessions_pb
from mesh.config import SERVICES, MeshSettings
from mesh.ids import new_id
from mesh.testing.mesh import running_mesh
from mesh.transport.status import from_rpc_error
from services.__main__ import factories
from tests.mesh.support import Caller, comparable, processes, question

UNKNOWN = "0" * 32
# Reports hold times and ids.
SAME_BYTES = (analysis_pb2.ARTIFACT_TYPE_TABLE, analysis_pb2.ARTIFACT_TYPE_CHART)


class Transcript:
    """What a list of calls was answered, made comparable."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.answers: dict[str, Any] = {}

    async def note(self, name: str, call: Awaitable[Any]) -> Any:
        """Write down the answer, or the error with its reason; returns the answer."""
        assert name not in self.answers
        try:
            answer = await call
        except grpc.aio.AioRpcError as error:
            failure = from_rpc_error(error)
            told = (failure.message, failure.remedy, failure.fields, failure.metadata)
            seen = [error.code().name, failure.reason.code, *map(str, told)]
            self.answers[name] = comparable(seen, self.home)
            return None
        self.answers[name] = comparable(answer, self.home)
        return answer


async def _all(stream: AsyncIterable[Any]) -> list[Any]:
    return [item async for item in stream]


async def one_job(caller: Caller, said: Transcript, sales: Path) -> None:
    """A question from its plan to its proof."""
    request = question("total quantity by region as a bar chart", sales)
    await said.note("plan", caller.jobs.PlanJob(jobs_pb.PlanJobRequest(analysis=request.analysis)))
    job = await caller.create(request)
    events = await caller.watched(job.job_id)
    await said.note("create again", caller.jobs.CreateJob(request))
    said.answers["events"] = comparable(events, said.home)
    await said.note("events after 3", _all_events(caller, job.job_id, 3))
    await said.note("get", caller.jobs.GetJob(jobs_pb.GetJobRequest(job_id=job.job_id)))
    part = jobs_pb.GetJobRequest(job_id=job.job_id[:8])
    await said.note("by part of its id", caller.jobs.GetJob(part))
    await said.note("jobs", caller.jobs.ListJobs(jobs_pb.ListJobsRequest()))
    ended = await caller.job(job.job_id)
    assert ended.state == job_pb2.JOB_STATE_COMPLETED, ended.failure
    await what_it_made(caller, said, ended)
    await its_record(caller, said, ended)
    cancel = jobs_pb.CancelJobRequest(job_id=job.job_id)
    await said.note("cancel when finished", caller.jobs.CancelJob(cancel))
    answer = jobs_pb.AnswerJobRequest(job_id=job.job_id, option_id="1")
    await said.note("answer nothing", caller.jobs.AnswerJob(answer))


async def _all_events(caller: Caller, job_id: str, after: int) -> list[int]:
    return [event.sequence for event in await caller.watched(job_id, after)]


async def what_it_made(caller: Caller, said: Transcript, job: job_pb2.Job) -> None:
    listing = artifacts_pb.ListArtifactsRequest(job_id=job.job_id)
    made = await said.note("artifacts", caller.artifacts.ListArtifacts(listing))
    for artifact in made.artifacts:
        name = artifact.content_ref.rpartition("/")[2]
        wanted = {"job_id": job.job_id, "artifact_id": artifact.artifact_id}
        get = artifacts_pb.GetArtifactRequest(**wanted)
        await said.note(f"artifact {name}", caller.artifacts.GetArtifact(get))
        if artifact.artifact_type in SAME_BYTES:
            call = caller.artifacts.DownloadArtifact(artifacts_pb.DownloadArtifactRequest(**wanted))
            content = b"".join([piece.chunk.data async for piece in call])
            said.answers[f"bytes {name}"] = content
    frame = artifacts_pb.ReadFrameRequest(job_id=job.job_id, digest=job.answer.table.digest)
    pieces = [piece.chunk.data async for piece in caller.artifacts.ReadFrame(frame)]
    table = pa.ipc.open_stream(b"".join(pieces)).read_all()
    said.answers["frame"] = table.to_pylist()
    frame.digest = "f" * 64
    await said.note("no frame", _all(caller.artifacts.ReadFrame(frame)))
    none = artifacts_pb.GetArtifactRequest(job_id=job.job_id, artifact_id=UNKNOWN)
    await said.note("no artifact", caller.artifacts.GetArtifact(none))


async def its_record(caller: Caller, said: Transcript, job: job_pb2.Job) -> None:
    listing = records_pb.ListEntriesRequest(job_id=job.job_id)
    entries = (await caller.records.ListEntries(listing)).entries
    said.answers["entries"] = sorted(entry.event_type for entry in entries)
    export = records_pb.ExportChainRequest(job_id=job.job_id)
    lines = b"".join([part.data async for part in caller.records.ExportChain(export)]).splitlines()
    said.answers["chain"] = sorted(json.loads(line)["event_type"] for line in lines)
    verify = records_pb.VerifyJobRequest(job_id=job.job_id)
    found = await caller.records.VerifyJob(verify)
    said.answers["verified"] = [(check.name, check.ok) for check in found.checks]
    assert found.ok, found
    proof = records_pb.GetInclusionProofRequest(job_id=job.job_id, sequence_number=10_000)
    await said.note("no such entry", caller.records.GetInclusionProof(proof))


async def a_session(caller: Caller, said: Transcript, sales: Path) -> None:
    """A file goes up, is asked about, and is taken away."""
    create = sessions_pb.CreateSessionRequest(request_id=new_id())
    session = (await said.note("session", caller.sessions.CreateSession(create))).session
    content = await asyncio.to_thread(sales.read_bytes)
    head = files_pb.UploadFileHead(session_id=session.session_id, name="sales.csv")
    parts = [
        files_pb.UploadFileRequest(head=head),
        files_pb.UploadFileRequest(chunk=data_pb2.FileChunk(data=content)),
    ]
    file = (await said.note("upload", caller.files.UploadFile(iter(parts)))).file
    listing = files_pb.ListFilesRequest(session_id=session.session_id)
    await said.note("files", caller.files.ListFiles(listing))
    request = question("average price by product", deliverables=(1,))
    request.analysis.data_sources.append(data_pb2.DataSource(file_id=file.file_id))
    request.session_id = session.session_id
    job = await caller.create(request)
    await caller.watched(job.job_id)
    await said.note("job on upload", caller.jobs.GetJob(jobs_pb.GetJobRequest(job_id=job.job_id)))
    away = files_pb.DeleteFileRequest(file_id=file.file_id)
    await said.note("file away", caller.files.DeleteFile(away))
    await said.note(
        "file gone", caller.files.GetFile(files_pb.GetFileRequest(file_id=file.file_id))
    )
    closing = sessions_pb.DeleteSessionRequest(session_id=session.session_id)
    await said.note("session away", caller.sessions.DeleteSession(closing))


async def what_is_refused(caller: Caller, said: Transcript, sales: Path) -> None:
    """Errors of every kind, from every service."""
    wrong = {
        "no words": question("  ", sales),
        "too long": question("x" * 2_001, sales),
        "no source": question("how many"),
        "rows": question("how many", sales, row_limit=200_001),
        "seconds": question("how many", sales, timeout=181),
        "deliverable": question("how many", sales, deliverables=(9,)),
    }
    wrong["bad id"] = question("how many", sales)
    wrong["bad id"].request_id = "job-1"
    for name, request in wrong.items():
        await said.note(f"refused: {name}", caller.jobs.CreateJob(request))
    for name, request in {
        "absent": question("how many", sales.with_name("absent.csv")),
        "blocked": question("how many by customer_email", sales, blocked=("email",)),
        "unrelated": question("who won the cup final on the moon", sales),
    }.items():
        job = await caller.asked(request)
        said.answers[f"failed: {name}"] = comparable(job.failure, said.home)
    await said.note("no job", caller.jobs.GetJob(jobs_pb.GetJobRequest(job_id=UNKNOWN)))
    await said.note("no tool", _all(caller.executor.Execute(_call("no.tool", {}))))
    select = {"query": "SELECT colour FROM sales"}
    failed = await _all(caller.executor.Execute(_call("sql.run", select, sales)))
    said.answers["no column"] = comparable(failed[-1], said.home)
    stop = executor_pb.CancelCallRequest(call_id=UNKNOWN)
    await said.note("no call", caller.executor.CancelCall(stop))


def _call(tool: str, arguments: Mapping[str, object], *places: Path) -> executor_pb.ExecuteRequest:
    call = analysis_pb2.ToolCall(
        call_id=new_id(),
        task_id="load",
        tool_name=tool,
        arguments_json=json.dumps(dict(arguments)),
        attempt_number=1,
    )
    return executor_pb.ExecuteRequest(
        call=call,
        request_id=new_id(),
        sources=[executor_pb.Source(file_path=str(place)) for place in places],
        constraints=data_pb2.Constraints(row_limit=100, timeout=Duration(seconds=30)),
    )


async def conversation(settings: MeshSettings, sales: Path) -> dict[str, Any]:
    """The whole list of calls, and what was answered."""
    said = Transcript(settings.home)
    async with Caller(settings) as caller:
        tools = catalogue_pb.ListToolsRequest()
        await said.note("tools", caller.catalogue.ListTools(tools))
        await one_job(caller, said, sales)
        await a_session(caller, said, sales)
        await what_is_refused(caller, said, sales)
        recipes = catalogue_pb.ListRecipesRequest()
        known = await said.note("recipes", caller.catalogue.ListRecipes(recipes))
        forget = catalogue_pb.DeleteRecipeRequest(recipe_id=known.recipes[0].recipe_id)
        await said.note("forget", caller.catalogue.DeleteRecipe(forget))
        await said.note("recipes left", caller.catalogue.ListRecipes(recipes))
    return said.answers


Arrangement = Callable[[Path], AbstractAsyncContextManager[MeshSettings]]


@asynccontextmanager
async def one_server_each(home: Path) -> AsyncIterator[MeshSettings]:
    async with running_mesh(home, factories, apart=True) as settings:
        yield settings


@asynccontextmanager
async def five_processes(home: Path) -> AsyncIterator[MeshSettings]:
    addresses: dict[str, Any] = {f"{n}_address": f"unix:{home}/{n}.sock" for n in SERVICES}
    settings = MeshSettings(home=home, drain_seconds=5.0, **addresses)
    async with processes(settings, [[name] for name in SERVICES]):
        yield settings


@pytest.mark.parametrize("arrangement", [one_server_each, five_processes])
async def test_the_same_calls_get_the_same_answers_however_the_services_are_spread(
    home: Path, sales: Path, arrangement: Arrangement
) -> None:
    here, there = home / "a", home / "b"
    here.mkdir()
    there.mkdir()
    async with running_mesh(here, factories) as settings:
        local = await conversation(settings, sales)
    async with arrangement(there) as settings:
        remote = await conversation(settings, sales)
    assert list(local) == list(remote)
    for name in local:
        assert remote[name] == local[name], name
