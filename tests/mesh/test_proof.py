"""An answer is proven to somebody who trusts nobody here: exported, checked, recomputed, witnessed.

The real services over real gRPC. Cases 14, 15 and 16 of the failure cases.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from assay.audit.v1 import audit_service_pb2 as audit_pb
from assay.common.v1 import job_pb2
from clients.python.cli.verifying import checked, verified
from clients.python.client import AssayClient
from clients.python.verification import layout
from clients.python.verification.reading import Trust
from clients.python.witness.folder import WitnessFolder
from clients.python.witness.round import Witnessed, witness_once
from mesh.clock import SystemClock
from mesh.config import MeshSettings
from mesh.errors import INVALID_ARGUMENT, NOT_FOUND, VERIFICATION_FAILED, AssayError
from mesh.ids import new_id
from mesh.proof.checkpoint import SignedNote, SigningKey, VerifierKey, verify_checkpoint
from mesh.proof.cosignature import WitnessKey
from mesh.testing.mesh import running_mesh
from services.__main__ import factories
from services.audit.adapters.records import decode_record
from services.audit.adapters.segments import FIRST_RECORD, segment_paths
from services.audit.fsck import check_log, read_checkpoint
from tests.mesh import shared
from tests.mesh.support import Caller, question

pytestmark = shared.ON_ONE_LOOP
mesh, ann, bob = shared.mesh, shared.ann, shared.bob

QUESTION = "total quantity by region, as a chart"


def client_of(caller: Caller) -> AssayClient:
    return AssayClient(caller.settings.address("gateway"), caller.tenant)


async def exported(caller: Caller, job: job_pb2.Job, place: Path) -> Path:
    async with client_of(caller) as client:
        return await client.export(await client.get_job(job.job_id), place)


async def seen(caller: Caller, folder: Path) -> Witnessed:
    """One round of a witness whose memory is in `folder`."""
    memory = WitnessFolder(folder)
    async with client_of(caller) as client:
        with memory.locked():
            return await witness_once(client.records, memory, memory.key("w1"), SystemClock())


async def refused(caller: Caller, folder: Path) -> str:
    with pytest.raises(AssayError) as error:
        await seen(caller, folder)
    assert error.value.reason is VERIFICATION_FAILED
    return error.value.message


@asynccontextmanager
async def started(home: Path) -> AsyncIterator[Caller]:
    """A caller of a mesh on a home of its own."""
    async with running_mesh(home, factories) as settings, Caller(settings) as caller:
        yield caller


async def record(caller: Caller, count: int, story: str) -> str:
    """Entries of one chain, as a planner would append them."""
    request_id = new_id()
    entries = [
        audit_pb.NewEntry(
            entry_id=new_id(),
            request_id=request_id,
            event_type="policy_decision",
            event_data_json=json.dumps({"number": number, "story": story}),
            actor="safety",
        )
        for number in range(count)
    ]
    await caller.audit.Append(audit_pb.AppendRequest(entries=entries))
    return request_id


def log_folder(home: Path) -> Path:
    return home / "audit" / "log"


def last_segment(home: Path) -> Path:
    return segment_paths(log_folder(home) / "entries")[-1]


def cut_tail(home: Path, count: int) -> None:
    """Take the last records off, and everything this machine knows of them."""
    path = last_segment(home)
    data, ends, offset = path.read_bytes(), [], FIRST_RECORD
    while offset < len(data):
        offset = decode_record(data, offset).end
        ends.append(offset)
    path.write_bytes(data[: ends[-1 - count]])
    shutil.rmtree(log_folder(home) / "cache")
    checkpoints = home / "audit" / "checkpoints"
    (checkpoints / "checkpoint").unlink()
    shutil.rmtree(checkpoints / "published")
    shutil.rmtree(checkpoints / "cosigned", ignore_errors=True)


async def test_a_bundle_proves_the_answer_when_everything_else_is_gone(
    home: Path, sales: Path, tmp_path: Path
) -> None:
    async with started(home / "mesh") as ann:
        job = await ann.asked(question(QUESTION, sales))
        cosigned = await seen(ann, tmp_path / "witness")
        bundle = await exported(ann, job, tmp_path / "job.zip")
    witness_key = WitnessKey.parse((tmp_path / "witness" / "witness.vkey").read_text())
    log_key = VerifierKey.parse((home / "mesh/audit/checkpoints/log.vkey").read_text())
    shutil.rmtree(home / "mesh")

    found = checked(bundle, Trust(log_key, (witness_key,)))

    assert [(finding.name, finding.ok) for finding in found] == [
        ("chain", True),
        ("tree", True),
        ("artifacts", True),
        ("claims", True),
        ("calls", True),
        ("words", True),
        ("manifest", True),
    ]
    size = cosigned.checkpoint.size
    assert found[1].detail == (
        f"included in checkpoint {size:,}, signed by assay-1, witnessed by w1"
    )
    assert found[3].detail.startswith(f"{len(job.answer.claims)} number")


async def test_a_running_mesh_is_believed_no_more_than_a_bundle(
    mesh: MeshSettings, ann: Caller, sales: Path
) -> None:
    job = await ann.asked(question(QUESTION, sales))
    stranger = SigningKey.generate("assay-1").verifier
    async with client_of(ann) as client:
        found, calls = await verified(client, job, Trust())
        assert [finding for finding in found if not finding.ok] == []
        names = ["chain", "tree", "artifacts", "claims", "calls", "words"]
        assert [finding.name for finding in found] == names
        assert found[1].detail.endswith("signed by assay-1 (key from the mesh)")
        assert len(calls) == len(job.steps)
        found, _ = await verified(client, job, Trust(stranger))
        assert (found[-1].name, found[-1].ok) == ("tree", False)

        with (
            closing(sqlite3.connect(mesh.home / "planner" / "planner.sqlite")) as database,
            database,
        ):
            other = "UPDATE planners SET understood = 'profit by region' WHERE planner_id = ?"
            database.execute(other, [job.job_id])
        found, _ = await verified(client, await client.get_job(job.job_id), Trust())
    assert found[-1].detail == "job.json: its understood is not the one that the chain records"
    assert not found[-1].ok


async def test_exports_of_one_state_are_equal_to_the_byte(
    ann: Caller, sales: Path, tmp_path: Path
) -> None:
    job = await ann.asked(question(QUESTION, sales))
    await seen(ann, tmp_path / "witness")  # else each export comes with a newer checkpoint
    first = await exported(ann, job, tmp_path / "first.zip")
    await ann.asked(question("how many sales are there?", sales))
    second = await exported(ann, job, tmp_path / "second.zip")
    assert first.read_bytes() == second.read_bytes()


async def test_a_failed_job_is_exported_with_the_record_of_its_failure(
    ann: Caller, sales: Path, tmp_path: Path
) -> None:
    job = await ann.asked(question("what is the weather like?", sales, assume=False))
    assert not job.HasField("answer")
    found = checked(await exported(ann, job, tmp_path / "job.zip"), Trust())
    assert [finding for finding in found if not finding.ok] == []


async def test_nobody_exports_or_recomputes_anothers_job(
    ann: Caller, bob: Caller, sales: Path, tmp_path: Path
) -> None:
    job = await ann.asked(question("how many sales are there?", sales))
    async with client_of(bob) as stranger:
        for call in (
            stranger.export(job, tmp_path / "job.zip"),
            anext(stranger.records.recompute(job.job_id)),
        ):
            with pytest.raises(AssayError) as error:
                await call
            assert error.value.reason is NOT_FOUND
    assert not (tmp_path / "job.zip").exists()


async def test_recomputing_gives_the_same_bytes_until_the_source_changes(
    ann: Caller, sales: Path, tmp_path: Path
) -> None:
    own = tmp_path / "sales.csv"
    shutil.copy(sales, own)
    job = await ann.asked(question(QUESTION, own))

    async with client_of(ann) as client:
        steps = [step async for step in client.records.recompute(job.job_id)]
        assert steps[0].task_id == "sources"
        assert steps[-1].task_id == "checks"
        assert {step.task_id for step in steps[1:-1]} == {step.task_id for step in job.steps}
        assert [step.detail for step in steps if not step.same] == []

        own.write_text(own.read_text().replace("North", "Norway", 1))
        (only,) = [step async for step in client.records.recompute(job.job_id)]
    assert not only.same
    assert only.detail.startswith("sales.csv has changed since the question was asked")


async def test_a_database_is_found_where_it_was_or_where_whoever_recomputes_says(
    ann: Caller, tmp_path: Path
) -> None:
    path = tmp_path / "shop.sqlite"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE sales (region TEXT, quantity INTEGER)")
        database.execute("INSERT INTO sales VALUES ('North', 3), ('South', 4), ('North', 5)")
        database.commit()
    asked = question(QUESTION)
    asked.analysis.data_sources.add(connection_string=f"sqlite:///{path}", name="shop.sqlite")
    job = await ann.asked(asked)

    async with client_of(ann) as client:
        where_it_was = [step async for step in client.recompute(job.job_id)]
        moved = f"sqlite:///{path.rename(tmp_path / 'moved.sqlite')}"
        elsewhere = [step async for step in client.recompute(job.job_id, [moved])]
        with pytest.raises(
            AssayError, match=r"asked of shop\.sqlite; 2 addresses were given"
        ) as error:
            await anext(client.recompute(job.job_id, [moved, moved]))
    for steps in (where_it_was, elsewhere):
        assert len(steps) == len(job.steps) + 2, "sources first, checks last"
        assert [step.detail for step in steps if not step.same] == []
    assert error.value.reason is INVALID_ARGUMENT


async def test_case_14_one_flipped_bit_is_named_by_its_sequence_number(home: Path) -> None:
    async with started(home) as ann:
        request_id = await record(ann, 6, "told")
    checkpoint = read_checkpoint(home / "audit" / "checkpoints")
    assert checkpoint is not None
    assert check_log(log_folder(home), checkpoint).fault is None
    data = bytearray(last_segment(home).read_bytes())
    place = data.index(b'"sequence_number": 4')
    place = data.rindex(b'"event_data"', 0, place)
    data[place + 20] ^= 1
    last_segment(home).write_bytes(bytes(data))

    fault = check_log(log_folder(home), checkpoint).fault

    assert fault is not None
    assert (fault.request_id, fault.sequence_number) == (request_id, 4)


async def test_case_15_a_deleted_tail_does_not_pass_who_saw_it(home: Path, tmp_path: Path) -> None:
    async with started(home) as ann:
        await record(ann, 6, "told")
        outside = await seen(ann, tmp_path / "witness")
        assert outside.checkpoint.size == 6
    cut_tail(home, 2)

    fault = check_log(log_folder(home), outside.checkpoint).fault
    assert fault is not None
    assert fault.why == ("the checkpoint says 6 entries, the log holds 4: its tail was deleted")
    async with started(home) as ann:  # with nothing left to compare, it starts
        message = await refused(ann, tmp_path / "witness")
        assert message == "assay-1 was rolled back: it shows 4 entries, 6 were seen before"
        await record(ann, 9, "told otherwise")
        message = await refused(ann, tmp_path / "witness")
        assert "its tree of 13 entries does not continue the one of 6" in message


async def test_case_15_the_log_itself_does_not_start_below_what_it_published(home: Path) -> None:
    async with started(home) as ann:
        await record(ann, 6, "told")
    kept = home / "checkpoints"
    shutil.copytree(home / "audit" / "checkpoints", kept)
    cut_tail(home, 2)
    shutil.rmtree(home / "audit" / "checkpoints")
    kept.rename(home / "audit" / "checkpoints")
    with pytest.raises(AssayError) as error:
        async with started(home):
            raise AssertionError("it started")
    assert error.value.reason is VERIFICATION_FAILED


async def test_case_16_two_logs_of_one_size_with_two_roots_are_a_fork(
    home: Path, tmp_path: Path
) -> None:
    async with started(home / "a") as ann:
        await record(ann, 5, "told")
        await seen(ann, tmp_path / "witness")
    (home / "b" / "audit").mkdir(parents=True, mode=0o700)
    shutil.copy2(home / "a" / "audit" / "signing.key", home / "b" / "audit" / "signing.key")
    async with started(home / "b") as ann:
        await record(ann, 5, "told otherwise")
        message = await refused(ann, tmp_path / "witness")
    assert message.startswith("assay-1 was forked: it shows another tree of 5 entries")
    async with started(home / "a") as ann:
        assert (await seen(ann, tmp_path / "witness")).checkpoint.size == 5


async def test_a_mesh_that_stops_leaves_its_last_checkpoint(home: Path) -> None:
    async with started(home) as ann:
        await record(ann, 3, "told")
    checkpoints = home / "audit" / "checkpoints"
    key = VerifierKey.parse((checkpoints / "log.vkey").read_text())
    assert verify_checkpoint((checkpoints / "checkpoint").read_text(), key).size == 3


async def test_what_a_witness_cosigned_is_published_with_its_line(
    home: Path, tmp_path: Path
) -> None:
    async with started(home) as ann:
        await record(ann, 3, "told")
        found = await seen(ann, tmp_path / "witness")
        async with client_of(ann) as client:
            shown = await client.records.checkpoint()
    assert shown.note == found.note
    key = WitnessKey.parse(shown.witness_keys[0])
    assert key.cosigned_at(SignedNote.parse(shown.note)) > 0


async def test_every_member_of_a_real_bundle_is_listed_with_its_hash(
    ann: Caller, sales: Path, tmp_path: Path
) -> None:
    job = await ann.asked(question(QUESTION, sales))
    folder = await exported(ann, job, tmp_path / "folder")
    listed = set(json.loads((folder / layout.MANIFEST).read_text())["members"])
    frames = {claim.frame_digest for claim in job.answer.claims} | {job.answer.table.digest}
    assert {layout.frame_member(digest) for digest in frames} <= listed
    assert {layout.artifact_member(a.content_ref) for a in job.answer.artifacts} <= listed
    assert {layout.ENTRIES, layout.PROOFS, layout.CHECKPOINT, layout.LOG_KEY} <= listed


async def test_a_damaged_frame_of_a_home_is_a_finding(
    mesh: MeshSettings, ann: Caller, tmp_path: Path
) -> None:
    """However its bytes were changed; the command ends with 5 whenever a finding is not ok."""
    own = tmp_path / "own.csv"  # whose frames no other test has
    own.write_text("region,quantity\nNorth,901\nSouth,902\nNorth,903\n")
    job = await ann.asked(question(QUESTION, own))
    for wanted in ({claim.frame_digest for claim in job.answer.claims}, {job.answer.table.digest}):
        [*places] = [path for path in mesh.home.rglob("*.arrow") if path.stem in wanted]
        assert places
        whole = {path: path.read_bytes() for path in places}
        for damage in DAMAGES:
            for path, content in whole.items():
                path.chmod(0o600)
                path.write_bytes(damage(content))
            async with client_of(ann) as client:
                found, _ = await verified(client, job, Trust())
            assert not found[-1].ok
            assert "frame" in found[-1].detail
            assert "flatbuffers" not in found[-1].detail
        for path, content in whole.items():
            path.write_bytes(content)
        async with client_of(ann) as client:
            found, _ = await verified(client, job, Trust())
        assert found[-1].ok


DAMAGES: tuple[Callable[[bytes], bytes], ...] = (
    lambda content: content[: len(content) // 2],
    lambda content: content[:40] + bytes(60) + content[100:],
    lambda content: b"",
    lambda content: bytes(reversed(content)),
)
