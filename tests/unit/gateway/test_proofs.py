"""Artifacts, frames, audit records and their verification, from a caller's side."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from assay.common.v1 import analysis_pb2, data_pb2, job_pb2
from assay.gateway.v1 import artifact_service_pb2 as artifacts_pb
from assay.gateway.v1 import audit_service_pb2 as pb
from assay.gateway.v1 import catalogue_service_pb2 as catalogue_pb
from assay.gateway.v1 import file_service_pb2 as files_pb
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from assay.gateway.v1 import session_service_pb2 as sessions_pb
from mesh.frames.codec import read_stream
from mesh.ids import new_id
from mesh.proof.checkpoint import SigningKey, VerifierKey, verify_checkpoint
from mesh.proof.merkle import leaf_hash, verify_inclusion
from mesh.text.spelling import shown
from tests.unit.gateway.conftest import Mesh
from tests.unit.gateway.fake_peers import FakePeers
from tests.unit.gateway.test_sessions_and_files import opened, uploaded

TABLE = pa.table(
    {
        "month": pa.array([date(1997, 1, 1), date(1997, 2, 1)]),
        "revenue": pa.array([617085.25, 36363.0]),
        "orders": pa.array([12, None]),
    }
)
REPORT = b"# Revenue was 617,085\n"


@dataclass
class Told:
    """A finished job with its records."""

    job: job_pb2.Job
    digest: str
    content_ref: str


@pytest.fixture
def told(mesh: Mesh) -> Told:
    return a_finished_job(mesh.peers)


def a_finished_job(peers: FakePeers) -> Told:
    job_id = new_id()
    digest = peers.executor.put_frame(TABLE)
    content_ref = f"reports/{job_id}/report.md"
    peers.executor.artifacts[content_ref] = REPORT
    artifact = analysis_pb2.Artifact(
        artifact_id=new_id(),
        job_id=job_id,
        artifact_type=analysis_pb2.ARTIFACT_TYPE_REPORT,
        content_ref=content_ref,
        content_hash=hashlib.sha256(REPORT).hexdigest(),
    )
    cells = [("617085.25", 0, "revenue"), ("1997-01-01", 0, "month"), ("none", 1, "orders")]
    claims = [
        analysis_pb2.Claim(
            claim_id=number,
            value=value,
            text=shown(TABLE.column(column)[row].as_py()),
            frame_digest=digest,
            row=row,
            column=column,
            call_id="c" * 32,
        )
        for number, (value, row, column) in enumerate(cells, start=1)
    ]
    audit = peers.audit
    audit.append(new_id(), "request_submitted", {"intent": "somebody else's"})
    audit.append(job_id, "request_submitted", {"intent": "revenue", "café": 1.5})
    audit.append(job_id, "plan_created", {"steps": 2})
    audit.append(job_id, "tool_called", {"tool": "sql.run"})
    audit.append(
        job_id,
        "artifact_generated",
        {"artifact_id": artifact.artifact_id, "content_hash": artifact.content_hash},
    )
    recorded = [
        {
            "claim_id": claim.claim_id,
            "value": claim.value,
            "text": claim.text,
            "unit": "",
            "frame_digest": claim.frame_digest,
            "row": claim.row,
            "column": claim.column,
            "call_id": claim.call_id,
        }
        for claim in claims
    ]
    audit.append(job_id, "artifact_generated", {"artifact_type": "summary", "claims": recorded})
    job = job_pb2.Job(
        job_id=job_id,
        state=job_pb2.JOB_STATE_COMPLETED,
        answer=analysis_pb2.Answer(
            table=data_pb2.FrameRef(digest=digest), artifacts=[artifact], claims=claims
        ),
    )
    audit.append(new_id(), "request_submitted", {"intent": "another's"})
    return Told(peers.planner.put(job), digest, content_ref)


async def verified(mesh: Mesh, told: Told) -> pb.VerifyJobResponse:
    return await mesh.ann.audit.VerifyJob(pb.VerifyJobRequest(job_id=told.job.job_id))


async def test_what_the_executor_finds_damaged_is_told(mesh: Mesh, told: Told) -> None:
    mesh.peers.executor.damages = ["call 1a2b3c4d: its record is not as it was written"]
    last = (await verified(mesh, told)).checks[-1]
    assert (last.name, last.ok, [last.detail]) == ("artifacts", False, mesh.peers.executor.damages)


async def test_an_untouched_job_passes_all_four_checks(mesh: Mesh, told: Told) -> None:
    found = await verified(mesh, told)
    assert [(check.name, check.ok, check.detail) for check in found.checks] == [
        ("chain", True, "5 entries, unbroken"),
        ("tree", True, "included in checkpoint 7, signed by assay-test"),
        ("artifacts", True, "1 file matches its hash"),
        ("claims", True, "3 numbers found in the frames they cite"),
    ]
    assert found.ok
    assert sorted(mesh.peers.executor.reads) == sorted([told.content_ref, told.digest])


def flip_a_hashed_byte(peers: FakePeers, told: Told) -> str:
    entry = peers.audit.entries[2]
    entry.event_data_json = entry.event_data_json.replace("2", "3")
    return "chain: entry 2: its hash is"


def change_what_only_the_tree_covers(peers: FakePeers, told: Told) -> str:
    peers.audit.entries[3].request_id = new_id()
    return "chain: entry 3: it says it is entry 4"


def break_an_entry(peers: FakePeers, told: Told) -> str:
    peers.audit.entries[3].event_type = "tool_dreamt"
    return "chain: entry 3: "


def lose_the_chain(peers: FakePeers, told: Told) -> str:
    del peers.audit.entries[1:6]
    return "chain: no entry of job"


def sign_with_another_key(peers: FakePeers, told: Told) -> str:
    peers.audit.signer = SigningKey.generate("assay-test")
    return "tree: checkpoint: the note is not signed by assay-test"


def move_the_last_entry(peers: FakePeers, told: Told) -> str:
    peers.audit.entries[5].leaf_index = 4
    return "tree: entry 5, leaf 4: "


def point_beyond_the_tree(peers: FakePeers, told: Told) -> str:
    peers.audit.entries[5].leaf_index = 70
    return "tree: entry 5: "


def change_a_file(peers: FakePeers, told: Told) -> str:
    peers.executor.artifacts[told.content_ref] = REPORT.replace(b"617", b"717")
    return f"artifacts: {told.content_ref}: its content has SHA-256"


def lose_a_file(peers: FakePeers, told: Told) -> str:
    peers.executor.artifacts.clear()
    return f"artifacts: {told.content_ref}: it is not in the artifact store"


def change_a_file_and_its_hash_in_the_answer(peers: FakePeers, told: Told) -> str:
    change_a_file(peers, told)
    content = peers.executor.artifacts[told.content_ref]
    told.job.answer.artifacts[0].content_hash = hashlib.sha256(content).hexdigest()
    return f"artifacts: {told.content_ref}: its content has SHA-256"


def slip_in_a_file(peers: FakePeers, told: Told) -> str:
    told.job.answer.artifacts[0].artifact_id = new_id()
    return f"artifacts: {told.content_ref}: the chain does not record it"


def change_a_number_in_the_answer(peers: FakePeers, told: Told) -> str:
    told.job.answer.claims[0].value = "717085.25"
    return "claims: claim 1 (frame"


def change_a_number_in_the_frame(peers: FakePeers, told: Told) -> str:
    changed = TABLE.set_column(1, "revenue", pa.array([717085.25, 36363.0]))
    peers.executor.frames[told.digest] = changed
    return f"claims: frame {told.digest[:8]}: its rows have digest"


def lose_a_frame(peers: FakePeers, told: Told) -> str:
    peers.executor.frames.clear()
    return f"claims: frame {told.digest[:8]}: it is not in the frame store"


@pytest.mark.parametrize(
    "tamper",
    [
        flip_a_hashed_byte,
        change_what_only_the_tree_covers,
        break_an_entry,
        lose_the_chain,
        move_the_last_entry,
        point_beyond_the_tree,
        sign_with_another_key,
        change_a_file,
        lose_a_file,
        change_a_file_and_its_hash_in_the_answer,
        slip_in_a_file,
        change_a_number_in_the_answer,
        change_a_number_in_the_frame,
        lose_a_frame,
    ],
)
async def test_whatever_is_tampered_with_is_named_and_nothing_follows_it(
    mesh: Mesh, told: Told, tamper: Callable[[FakePeers, Told], str]
) -> None:
    expected = tamper(mesh.peers, told)
    found = await verified(mesh, told)
    assert not found.ok
    assert [check.ok for check in found.checks[:-1]] == [True] * (len(found.checks) - 1)
    last = found.checks[-1]
    assert not last.ok
    assert f"{last.name}: {last.detail}".startswith(expected)


async def test_the_exported_chain_satisfies_the_specifications_own_check(
    mesh: Mesh, told: Told, tmp_path: Path
) -> None:
    export = mesh.ann.audit.ExportChain(pb.ExportChainRequest(job_id=told.job.job_id))
    path = tmp_path / "chain.jsonl"
    path.write_bytes(b"".join([piece.data async for piece in export]))
    assert len(path.read_text().splitlines()) == 5
    assert verify_audit_chain(path)


def verify_audit_chain(log_path: Path) -> bool:
    """Seed 000, section 7, as written there."""
    with open(log_path) as f:  # noqa: PTH123 - kept as the specification has it
        entries = [json.loads(line) for line in f]
    for i, entry in enumerate(entries):
        if entry["sequence_number"] != i + 1:
            return False
        expected_parent = entries[i - 1]["hash"] if i > 0 else "0" * 64
        if entry["parent_hash"] != expected_parent:
            return False
        event_data = json.dumps(entry["event_data"], sort_keys=True)
        payload = f"{entry['parent_hash']}{entry['timestamp']}{entry['event_type']}{event_data}"
        if hashlib.sha256(payload.encode()).hexdigest() != entry["hash"]:
            return False
    return True


async def test_every_entrys_proof_is_against_one_checkpoint(mesh: Mesh, told: Told) -> None:
    call = mesh.ann.audit.ExportProofs(pb.ExportProofsRequest(job_id=told.job.job_id))
    first, *rest = [part async for part in call]
    key = VerifierKey.parse(first.checkpoint.verifier_key)
    checkpoint = verify_checkpoint(first.checkpoint.note, key)
    export = mesh.ann.audit.ExportChain(pb.ExportChainRequest(job_id=told.job.job_id))
    lines = b"".join([piece.data async for piece in export]).splitlines()
    assert [part.proof.sequence_number for part in rest] == [1, 2, 3, 4, 5]
    for line, part in zip(lines, rest, strict=True):
        proof = list(part.proof.hashes)
        leaf = leaf_hash(line)
        verify_inclusion(leaf, part.proof.leaf_index, checkpoint.size, proof, checkpoint.root)


async def test_recomputing_opens_no_path_that_asking_would_not(
    mesh: Mesh, told: Told, refused: Any
) -> None:
    databases = ["sqlite:////etc/secrets.sqlite"]
    wanted = pb.RecomputeJobRequest(job_id=told.job.job_id, connection_strings=databases)
    with refused("FILE_PATH_REFUSED"):
        await mesh.ann.audit.RecomputeJob(wanted).read()


async def test_entries_come_in_pages(mesh: Mesh, told: Told) -> None:
    request = pb.ListEntriesRequest(job_id=told.job.job_id)
    first = await mesh.ann.audit.ListEntries(request)
    request.page_token = first.next_page_token
    second = await mesh.ann.audit.ListEntries(request)
    numbers = [entry.sequence_number for entry in [*first.entries, *second.entries]]
    assert numbers == [1, 2, 3, 4, 5]
    assert second.next_page_token == ""


async def test_an_entrys_proof_is_found_by_its_place_in_the_chain(
    mesh: Mesh, told: Told, refused: Any
) -> None:
    request = pb.GetInclusionProofRequest(job_id=told.job.job_id, sequence_number=5)
    proof = await mesh.ann.audit.GetInclusionProof(request)
    assert (proof.leaf_index, proof.tree_size, len(proof.root)) == (5, 7, 32)
    request.sequence_number = 6
    with refused("NOT_FOUND"):
        await mesh.ann.audit.GetInclusionProof(request)


async def test_an_artifact_and_a_frame_arrive_whole(mesh: Mesh, told: Told, refused: Any) -> None:
    job_id = told.job.job_id
    service = mesh.ann.artifacts
    listed = await service.ListArtifacts(artifacts_pb.ListArtifactsRequest(job_id=job_id))
    wanted = artifacts_pb.DownloadArtifactRequest(
        job_id=job_id, artifact_id=listed.artifacts[0].artifact_id
    )
    content = b"".join([part.chunk.data async for part in service.DownloadArtifact(wanted)])
    assert content == REPORT
    frame = artifacts_pb.ReadFrameRequest(job_id=job_id, digest=told.digest)
    pieces = [part.chunk.data async for part in service.ReadFrame(frame)]
    assert len(pieces) > 1
    assert read_stream(pieces).equals(TABLE)
    frame.digest = mesh.peers.executor.put_frame(pa.table({"secret": [1]}))
    with refused("NOT_FOUND"):
        await service.ReadFrame(frame).read()
    with refused("NOT_FOUND"):
        request = artifacts_pb.GetArtifactRequest(job_id=job_id, artifact_id=new_id())
        await service.GetArtifact(request)


async def test_the_catalogue_shows_tools_and_the_callers_recipes(mesh: Mesh) -> None:
    mesh.peers.planner.recipes = {"a" * 32: "ann", "b" * 32: "bob"}
    tools = await mesh.ann.catalogue.ListTools(catalogue_pb.ListToolsRequest())
    assert [tool.name for tool in tools.tools] == ["sql.run"]
    await mesh.ann.catalogue.DeleteRecipe(catalogue_pb.DeleteRecipeRequest(recipe_id="a" * 32))
    page = await mesh.ann.catalogue.ListRecipes(catalogue_pb.ListRecipesRequest())
    assert list(page.recipes) == []


async def test_what_is_somebody_elses_does_not_exist_on_any_call(
    mesh: Mesh, told: Told, refused: Any
) -> None:
    """Case 26 of the failure cases."""
    session = await opened(mesh.ann)
    file = await uploaded(mesh.ann, session)
    mesh.peers.planner.recipes = {"a" * 32: "ann"}
    bob, job, artifact = mesh.bob, told.job.job_id, told.job.answer.artifacts[0].artifact_id
    question = analysis_pb2.AnalysisRequest(
        data_sources=[data_pb2.DataSource(file_id=file.file_id)]
    )
    unary: list[Any] = [
        bob.jobs.GetJob(jobs_pb.GetJobRequest(job_id=job)),
        bob.jobs.CancelJob(jobs_pb.CancelJobRequest(job_id=job)),
        bob.jobs.AnswerJob(jobs_pb.AnswerJobRequest(job_id=job, option_id="1")),
        bob.jobs.GetTrace(jobs_pb.GetTraceRequest(job_id=job)),
        bob.jobs.CreateJob(
            jobs_pb.CreateJobRequest(request_id=new_id(), analysis=question, session_id=session)
        ),
        bob.jobs.PlanJob(jobs_pb.PlanJobRequest(analysis=question, session_id=session)),
        bob.artifacts.ListArtifacts(artifacts_pb.ListArtifactsRequest(job_id=job)),
        bob.artifacts.GetArtifact(
            artifacts_pb.GetArtifactRequest(job_id=job, artifact_id=artifact)
        ),
        bob.catalogue.DeleteRecipe(catalogue_pb.DeleteRecipeRequest(recipe_id="a" * 32)),
        bob.audit.ListEntries(pb.ListEntriesRequest(job_id=job)),
        bob.audit.VerifyJob(pb.VerifyJobRequest(job_id=job)),
        bob.audit.GetInclusionProof(pb.GetInclusionProofRequest(job_id=job, sequence_number=1)),
        bob.sessions.CreateSession(sessions_pb.CreateSessionRequest(request_id=session)),
        bob.sessions.GetSession(sessions_pb.GetSessionRequest(session_id=session)),
        bob.sessions.DeleteSession(sessions_pb.DeleteSessionRequest(session_id=session)),
        bob.files.GetFile(files_pb.GetFileRequest(file_id=file.file_id)),
        bob.files.UpdateFile(files_pb.UpdateFileRequest(file_id=file.file_id)),
        bob.files.ListFiles(files_pb.ListFilesRequest(session_id=session)),
        bob.files.DeleteFile(files_pb.DeleteFileRequest(file_id=file.file_id)),
        uploaded(bob, session, content=b"a,b\n1,2\n"),
    ]
    for call in unary:
        with refused("NOT_FOUND"):
            await call
    streams: list[Any] = [
        bob.jobs.WatchJob(jobs_pb.WatchJobRequest(job_id=job)),
        bob.artifacts.DownloadArtifact(
            artifacts_pb.DownloadArtifactRequest(job_id=job, artifact_id=artifact)
        ),
        bob.artifacts.ReadFrame(artifacts_pb.ReadFrameRequest(job_id=job, digest=told.digest)),
        bob.audit.ExportChain(pb.ExportChainRequest(job_id=job)),
        bob.audit.ExportProofs(pb.ExportProofsRequest(job_id=job)),
        bob.audit.RecomputeJob(pb.RecomputeJobRequest(job_id=job)),
    ]
    for stream in streams:
        with refused("NOT_FOUND"):
            await stream.read()
    assert mesh.peers.executor.reads == []
    assert set(mesh.peers.executor.sources) == {file.content_hash}
    assert (await bob.jobs.ListJobs(jobs_pb.ListJobsRequest())).jobs == []
    assert (await bob.sessions.ListSessions(sessions_pb.ListSessionsRequest())).sessions == []
