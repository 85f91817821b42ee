"""A session over gRPC: its files are shown and downloaded, all of it is exported and checked."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from typing import Any

import grpc
import pyarrow.parquet as pq
import pytest
import pytest_asyncio

from assay.gateway.v1 import file_service_pb2 as files_pb
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from clients.python.cli.verifying_sessions import checked_session
from clients.python.client import AssayClient
from clients.python.session_export import export_session
from mesh.config import MeshSettings
from mesh.digest import file_digest, frame_digest
from mesh.errors import INVALID_ARGUMENT, NOT_FOUND, AssayError
from mesh.transport.status import from_rpc_error
from tests.mesh.movements import movement, write_orders
from tests.mesh.support import Caller, question


@pytest_asyncio.fixture
async def client(mesh: MeshSettings) -> AsyncIterator[AssayClient]:
    async with AssayClient(mesh.address("gateway"), "ann") as made:
        yield made


async def test_a_file_is_looked_at_and_downloaded_from_any_byte(
    client: AssayClient, ann: Caller, sales: Path, tmp_path: Path
) -> None:
    session = (await client.sessions.create("sales")).session_id
    file = await client.sessions.upload(session, sales)
    (table,) = (await client.sessions.preview(file.file_id)).tables
    kinds = {
        column.name: (column.inferred_type, column.data_type, column.cardinality, column.nullable)
        for column in table.columns
    }
    assert kinds["sale_id"] == (
        files_pb.COLUMN_INFERRED_TYPE_ID,
        files_pb.COLUMN_DATA_TYPE_INTEGER,
        60,
        False,
    )
    assert kinds["sold_on"][:2] == (
        files_pb.COLUMN_INFERRED_TYPE_TIMESTAMP,
        files_pb.COLUMN_DATA_TYPE_DATE,
    )
    assert kinds["region"][:3] == (
        files_pb.COLUMN_INFERRED_TYPE_DIMENSION,
        files_pb.COLUMN_DATA_TYPE_STRING,
        3,
    )
    assert kinds["price"][:2] == (
        files_pb.COLUMN_INFERRED_TYPE_MEASURE,
        files_pb.COLUMN_DATA_TYPE_FLOAT,
    )
    assert sorted(table.columns[2].sample_values) == ["North", "South", "West"]
    first = [cell.text for cell in table.rows[0].cells]
    assert first[:4] == ["1", "2024-01-01", "North", "chair"] and table.row_count == 60

    whole = tmp_path / "came.csv"
    await client.sessions.download(file, whole)
    assert whole.read_bytes() == sales.read_bytes()
    rest = files_pb.DownloadFileRequest(file_id=file.file_id, first_byte=100)
    came = b"".join([part.chunk.data async for part in ann.files.DownloadFile(rest)])
    assert came == sales.read_bytes()[100:]
    behind = files_pb.DownloadFileRequest(file_id=file.file_id, first_byte=10**9)
    with pytest.raises(grpc.RpcError) as refused:
        await anext(aiter(ann.files.DownloadFile(behind)))
    assert from_rpc_error(refused.value).reason is INVALID_ARGUMENT
    (now,) = await client.sessions.files(session)
    assert now.last_accessed.ToDatetime() > file.last_accessed.ToDatetime()
    assert now.reference_count == 1


async def test_the_types_of_columns_are_numbered_alike_in_both_contracts() -> None:
    from assay.executor.v1 import executor_service_pb2 as executor_pb

    for ours, theirs, prefix in (
        (files_pb.ColumnDataType, executor_pb.DataType, "DATA_TYPE"),
        (files_pb.ColumnInferredType, executor_pb.ColumnRole, "COLUMN_ROLE"),
    ):
        mine = {int(number): name.rpartition("_")[2] for name, number in ours.items()}
        known = {int(number): name.rpartition("_")[2] for name, number in theirs.items()}
        assert mine == known, prefix


async def test_a_session_is_exported_whole_and_checked_from_its_folder_alone(
    client: AssayClient, ann: Caller, sales: Path, tmp_path: Path
) -> None:
    orders = write_orders(tmp_path / "orders.csv")
    session = (await client.sessions.create("both")).session_id
    asked_of = await client.sessions.upload(session, sales)
    await client.sessions.describe(asked_of.file_id, "what was sold")
    moved_in = await client.sessions.upload(session, orders)
    wanted = movement(session=session)
    wanted.investigation.data_sources.add(file_id=moved_in.file_id)
    moved = await ann.asked(wanted)
    assert moved.HasField("investigation_result"), moved.failure
    terms = asked(session, asked_of.file_id)
    said = [one async for one in client.conversations.send("total price by region", terms=terms)]
    answered = said[-1].response
    about = jobs_pb.AskAboutJobRequest(
        job_id=moved.job_id, question=f"{'please ' * 500}which segment explained most?"
    )
    told = await ann.jobs.AskAboutJob(about)

    folder = await export_session(client, session, tmp_path / "out")
    found = checked_session(folder)
    assert all(one.ok for one in found) and len(found) == 3, found

    metadata = read(folder / "metadata.json")
    assert metadata["status"] == "completed" and metadata["file_count"] == 2
    assert metadata["report_ready"] and metadata["gone"] == []
    meta = read(folder / "files" / f"{asked_of.file_id}_meta.json")
    assert meta["description"] == "what was sold" and meta["row_count"] == 60
    assert meta["schema"]["columns"][0]["inferred_type"] == "id"
    assert file_digest(folder / meta["path"]) == meta["content_hash"] == digest_of(sales)

    history = read(folder / "chat" / "history.json")
    assert [one["role"] for one in history] == ["user", "assistant"] * 2
    assert history[1]["content"] == answered.answer and history[1]["artifacts_referenced"]
    assert history[2]["content"] == about.question and len(about.question) > 2_000
    assert history[3]["content"] == told.response.answer
    assert history[3]["conversation_id"] == told.conversation_id
    for one in history:
        assert datetime.strptime(one["timestamp"], "%Y-%m-%d %H:%M:%S")
        assert all((folder / place).is_file() for place in one["artifacts_referenced"])

    context = read(folder / "context.json")
    assert context["metric_sql"] == "sum(revenue)"
    assert context["baseline_period"] == {"start": "2024-02-01", "end": "2024-02-29"}
    ledger = read(folder / "analysis" / "findings_ledger.json")
    outcomes = {one.stem: read(one)["status"] for one in (folder / "analysis/hypotheses").iterdir()}
    assert outcomes == ledger["hypothesis_outcomes"]
    assert len(list((folder / "analysis/iterations").iterdir())) == ledger["total_iterations"]
    for finding in ledger["findings"]:
        output = folder / f"analysis/full_outputs/output_{finding['iteration']:03d}.txt"
        assert output.read_text() and folder / finding["full_output_ref"] == output
    for place in (folder / "jobs").glob("*/analysis/iterations/*.json"):
        assert (folder / read(place)["raw_output"]).is_file()
    for place in (folder / "jobs").glob("*/job.json"):
        files = read(place)["answer"]["artifacts"]
        assert files and all((folder / file["content_ref"]).is_file() for file in files)
    ranks = [one["likelihood"] for one in read(folder / "results/explanations.json")]
    assert ranks[0] == "Most Likely"
    assert (folder / "report.md").read_text().startswith("# ")

    frames = list((folder / "jobs").glob("*/frames/*.parquet"))
    assert frames
    for frame in frames:
        assert frame_digest(pq.read_table(frame)) == frame.stem  # what a claim cites is this
    assert str(tmp_path) not in "".join(p.read_text() for p in folder.rglob("*.json"))


@pytest.mark.parametrize("spoilt", ["files", "proof", "more"])
async def test_what_was_changed_in_an_exported_session_is_named(
    client: AssayClient, ann: Caller, sales: Path, tmp_path: Path, spoilt: str
) -> None:
    session = (await client.sessions.create()).session_id
    file = await client.sessions.upload(session, sales)
    await ann.asked(asked(session, file.file_id))
    folder = await export_session(client, session, tmp_path / "out")
    victim = {
        "files": folder / "files" / f"{file.file_id}.csv",
        "proof": next((folder / "jobs").glob("*/proof/artifacts/**/*.md")),
        "more": folder / "files" / "more.csv",
    }[spoilt]
    victim.write_bytes((victim.read_bytes() if victim.exists() else b"") + b"1\n")
    found = checked_session(folder)
    assert not found[-1].ok and victim.name in found[-1].detail, found


async def test_an_expired_session_says_what_is_gone_and_keeps_its_proofs(
    client: AssayClient, ann: Caller, sales: Path, tmp_path: Path, mesh: MeshSettings
) -> None:
    session = (await client.sessions.create()).session_id
    file = await client.sessions.upload(session, sales)
    job = await ann.asked(asked(session, file.file_id))
    with sqlite3.connect(mesh.home / "gateway" / "gateway.sqlite") as database:
        database.execute("UPDATE sessions SET expires_at = created_at")
    folder = await export_session(client, session, tmp_path / "out")
    metadata = read(folder / "metadata.json")
    assert metadata["status"] == "expired"
    (gone,) = metadata["gone"]
    assert gone["what"] == "files" and gone["why"].startswith("SESSION_EXPIRED")
    assert [one.ok for one in checked_session(folder)] == [True, True]
    assert (folder / "jobs" / job.job_id / "artifacts" / "report.md").exists()


async def test_nothing_of_another_tenants_is_exported_and_nothing_is_written_over(
    client: AssayClient, mesh: MeshSettings, tmp_path: Path
) -> None:
    session = (await client.sessions.create()).session_id
    async with AssayClient(mesh.address("gateway"), "bob") as bob:
        with pytest.raises(AssayError) as refused:
            await export_session(bob, session, tmp_path / "bobs")
    assert refused.value.reason is NOT_FOUND and not list(tmp_path.iterdir())
    (tmp_path / "there").mkdir()
    with pytest.raises(AssayError) as taken:
        await export_session(client, session, tmp_path / "there")
    assert taken.value.reason is INVALID_ARGUMENT and not list((tmp_path / "there").iterdir())


def asked(session: str, file: str) -> jobs_pb.CreateJobRequest:
    wanted = question("total price by region")
    wanted.session_id = session
    wanted.analysis.data_sources.add(file_id=file)
    return wanted


def read(path: Path) -> Any:
    return json.loads(path.read_text())


def digest_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
