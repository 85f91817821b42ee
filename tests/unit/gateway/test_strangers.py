"""Naming what is another tenant's gives nothing away, and is on the record."""

from __future__ import annotations

import json
from typing import Any

import grpc
import pytest

from assay.common.v1 import analysis_pb2, data_pb2, job_pb2
from assay.gateway.v1 import artifact_service_pb2 as artifacts_pb
from assay.gateway.v1 import audit_service_pb2 as records_pb
from assay.gateway.v1 import catalogue_service_pb2 as catalogue_pb
from assay.gateway.v1 import file_service_pb2 as files_pb
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from assay.gateway.v1 import session_service_pb2 as sessions_pb
from mesh.ids import new_id
from tests.unit.gateway.conftest import Caller, Mesh
from tests.unit.gateway.test_sessions_and_files import opened, uploaded


async def a_job(mesh: Mesh) -> str:
    """A job of ann's, with the chain that every job has."""
    job_id = new_id()
    mesh.peers.planner.put(job_pb2.Job(job_id=job_id), "ann")
    mesh.peers.audit.append(job_id, "request_submitted", {"intent": "revenue"})
    return job_id


async def recorded(mesh: Mesh) -> list[dict[str, Any]]:
    """Everything refused so far."""
    await mesh.gateway._strangers.settled()
    texts = [json.loads(entry.event_data_json) for entry in mesh.peers.audit.entries]
    return [
        json.loads(text["text"]) for text in texts if "not the caller's" in text.get("text", "")
    ]


async def told(call: Any) -> str:
    """What a caller is told who is refused."""
    with pytest.raises(grpc.RpcError) as refusal:
        if hasattr(call, "__aiter__"):
            async for _ in call:
                pass
        else:
            await call
    assert isinstance(refusal.value, grpc.aio.AioRpcError)
    assert refusal.value.code() is grpc.StatusCode.NOT_FOUND
    return str(refusal.value.details())


def naming_a_job(caller: Caller, job: str) -> list[Any]:
    """Every call that names a job."""
    return [
        caller.jobs.GetJob(jobs_pb.GetJobRequest(job_id=job)),
        caller.jobs.CancelJob(jobs_pb.CancelJobRequest(job_id=job)),
        caller.jobs.AnswerJob(jobs_pb.AnswerJobRequest(job_id=job, option_id="1")),
        caller.jobs.GetTrace(jobs_pb.GetTraceRequest(job_id=job)),
        caller.jobs.WatchJob(jobs_pb.WatchJobRequest(job_id=job)),
        caller.artifacts.ListArtifacts(artifacts_pb.ListArtifactsRequest(job_id=job)),
        caller.artifacts.GetArtifact(
            artifacts_pb.GetArtifactRequest(job_id=job, artifact_id="a" * 32)
        ),
        caller.artifacts.DownloadArtifact(
            artifacts_pb.DownloadArtifactRequest(job_id=job, artifact_id="a" * 32)
        ),
        caller.artifacts.ReadFrame(artifacts_pb.ReadFrameRequest(job_id=job, digest="a" * 64)),
        caller.audit.ListEntries(records_pb.ListEntriesRequest(job_id=job)),
        caller.audit.VerifyJob(records_pb.VerifyJobRequest(job_id=job)),
        caller.audit.ExportChain(records_pb.ExportChainRequest(job_id=job)),
        caller.audit.ExportProofs(records_pb.ExportProofsRequest(job_id=job)),
        caller.audit.RecomputeJob(records_pb.RecomputeJobRequest(job_id=job)),
    ]


def naming_a_session(caller: Caller, session: str) -> list[Any]:
    """Every call that names a session."""
    question = analysis_pb2.AnalysisRequest(intent="total")
    head = artifacts_pb.WriteFrameHead(session_id=session, name="sales")
    return [
        caller.sessions.GetSession(sessions_pb.GetSessionRequest(session_id=session)),
        caller.sessions.DeleteSession(sessions_pb.DeleteSessionRequest(session_id=session)),
        caller.files.ListFiles(files_pb.ListFilesRequest(session_id=session)),
        caller.jobs.CreateJob(
            jobs_pb.CreateJobRequest(request_id=new_id(), analysis=question, session_id=session)
        ),
        caller.jobs.PlanJob(jobs_pb.PlanJobRequest(analysis=question, session_id=session)),
        uploaded(caller, session),
        caller.artifacts.WriteFrame(iter([artifacts_pb.WriteFrameRequest(head=head)])),
    ]


def naming_a_file(caller: Caller, file: str) -> list[Any]:
    """Every call that names a file."""
    question = analysis_pb2.AnalysisRequest(data_sources=[data_pb2.DataSource(file_id=file)])
    return [
        caller.files.GetFile(files_pb.GetFileRequest(file_id=file)),
        caller.files.UpdateFile(files_pb.UpdateFileRequest(file_id=file)),
        caller.files.DeleteFile(files_pb.DeleteFileRequest(file_id=file)),
        caller.artifacts.ReadFrame(artifacts_pb.ReadFrameRequest(file_id=file)),
        caller.jobs.CreateJob(jobs_pb.CreateJobRequest(request_id=new_id(), analysis=question)),
    ]


async def test_whoever_names_what_is_anothers_is_recorded_once_whatever_the_call(
    mesh: Mesh,
) -> None:
    session, job = await opened(mesh.ann), await a_job(mesh)
    file = (await uploaded(mesh.ann, session)).file_id
    for kind, identifier, naming in (
        ("job", job, naming_a_job),
        ("session", session, naming_a_session),
        ("file", file, naming_a_file),
    ):
        for call in naming(mesh.bob, identifier):
            await told(call)
        entry = (await recorded(mesh))[-1]
        assert (entry["caller"], entry[kind]) == ("bob", identifier)
        assert entry["decision"] == "refused"
    assert len(await recorded(mesh)) == 3


async def test_each_call_alone_is_enough_to_be_recorded(mesh: Mesh) -> None:
    calls = len(naming_a_job(mesh.bob, new_id()))
    for number in range(calls):
        job = await a_job(mesh)
        await told(naming_a_job(mesh.bob, job)[number])
        assert (await recorded(mesh))[-1]["job"] == job


async def test_what_is_named_by_an_id_that_nobody_guesses_is_recorded_without_a_look(
    mesh: Mesh,
) -> None:
    mine, artifact, frame, recipe = new_id(), new_id(), "a" * 64, new_id()
    mesh.peers.planner.put(job_pb2.Job(job_id=mine), "bob")
    mesh.peers.planner.recipes[recipe] = "ann"
    files, get = mesh.bob.artifacts, artifacts_pb.GetArtifactRequest
    fetch, read = artifacts_pb.DownloadArtifactRequest, artifacts_pb.ReadFrameRequest
    delete = catalogue_pb.DeleteRecipeRequest(recipe_id=recipe)
    for call in (
        files.GetArtifact(get(job_id=mine, artifact_id=artifact)),
        files.DownloadArtifact(fetch(job_id=mine, artifact_id=artifact)),
        files.ReadFrame(read(job_id=mine, digest=frame)),
        mesh.bob.catalogue.DeleteRecipe(delete),
    ):
        await told(call)
    entries = await recorded(mesh)
    assert {entry["caller"] for entry in entries} == {"bob"}
    kinds = ("artifact", "frame", "recipe")
    found = [(kind, entry[kind]) for entry in entries for kind in kinds if kind in entry]
    assert sorted(found) == [("artifact", artifact), ("frame", frame), ("recipe", recipe)], "once"


async def test_what_exists_nowhere_is_refused_in_the_same_words_and_not_recorded(
    mesh: Mesh,
) -> None:
    session, job = await opened(mesh.ann), await a_job(mesh)
    file = (await uploaded(mesh.ann, session)).file_id
    for naming, theirs in (
        (naming_a_job, job),
        (naming_a_session, session),
        (naming_a_file, file),
    ):
        nowhere = new_id()
        there = [await told(call) for call in naming(mesh.bob, theirs)]
        before = await recorded(mesh)
        not_there = [await told(call) for call in naming(mesh.bob, nowhere)]
        assert await recorded(mesh) == before
        assert [text.replace(theirs[:8], nowhere[:8]) for text in there] == not_there


async def test_the_owners_chain_and_one_that_the_caller_names_stay_as_they_were(
    mesh: Mesh,
) -> None:
    job = await a_job(mesh)
    request = jobs_pb.GetJobRequest(job_id=job)
    await told(mesh.bob.jobs.GetJob(request, metadata=(("x-assay-request", job),)))
    assert await recorded(mesh)
    chain = [entry for entry in mesh.peers.audit.entries if entry.request_id == job]
    assert [entry.event_type for entry in chain] == ["request_submitted"]


async def test_ones_own_refused_request_has_a_chain_but_is_nobodys_job(mesh: Mesh) -> None:
    refused = new_id()
    mesh.peers.audit.append(refused, "policy_decision", {"decision": "refused"}, "bob")
    await told(mesh.bob.jobs.GetJob(jobs_pb.GetJobRequest(job_id=refused)))
    assert await recorded(mesh) == []
