"""Bad input of every kind: one clear message with a reason, a record, and nothing half-written."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import grpc
import pytest

from assay.common.v1 import analysis_pb2, data_pb2, job_pb2
from assay.gateway.v1 import audit_service_pb2 as records_pb
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from mesh.config import MeshSettings
from mesh.errors import EXIT_CODES, REASONS, ExitCode
from mesh.transport.status import from_rpc_error
from tests.mesh import shared
from tests.mesh.support import Caller, question

pytestmark = shared.ON_ONE_LOOP
mesh, ann = shared.mesh, shared.ann

Make = Callable[[Path], jobs_pb.CreateJobRequest]


def about(content: bytes, text: str, name: str = "orders.csv") -> Make:
    """A question about a file of these bytes."""

    def make(folder: Path) -> jobs_pb.CreateJobRequest:
        path = folder / name
        path.write_bytes(content)
        return question(text, path)

    return make


def database(url: str) -> Make:
    def make(folder: Path) -> jobs_pb.CreateJobRequest:
        request = question("how many orders")
        place = url.format(folder=folder)
        request.analysis.data_sources.append(data_pb2.DataSource(connection_string=place))
        return request

    return make


GOOD = b"order_id,region,email,amount\n1,North,a@example.com,10\n2,South,b@example.com,20\n"


@dataclass(frozen=True)
class Refused:
    """What must come of it; `recorded` when a request existed, `policy` when a rule refused it."""

    make: Make
    reason: str
    exit_code: ExitCode
    recorded: bool = True
    policy: bool = False


def with_terms(**terms: object) -> Make:
    def make(folder: Path) -> jobs_pb.CreateJobRequest:
        request = about(GOOD, "total amount by region")(folder)
        wanted = question(request.analysis.intent, **terms)  # type: ignore[arg-type]
        wanted.analysis.data_sources.extend(request.analysis.data_sources)
        return wanted

    return make


def by_engine(number: int) -> Make:
    def make(folder: Path) -> jobs_pb.CreateJobRequest:
        request = about(GOOD, "total amount by region")(folder)
        request.analysis.constraints.engine = data_pb2.Engine.ValueType(number)
        return request

    return make


def blocked(text: str) -> Make:
    def make(folder: Path) -> jobs_pb.CreateJobRequest:
        request = about(GOOD, text)(folder)
        request.analysis.policy.blocked_patterns.append("email")
        return request

    return make


def folder_without_data(folder: Path) -> jobs_pb.CreateJobRequest:
    (folder / "nothing").mkdir()
    return question("how many orders", folder / "nothing")


def a_text_called_database(folder: Path) -> jobs_pb.CreateJobRequest:
    (folder / "shop.sqlite").write_text("this is no database")
    return database("sqlite:///{folder}/shop.sqlite")(folder)


def a_database_without_tables(folder: Path) -> jobs_pb.CreateJobRequest:
    sqlite3.connect(folder / "shop.sqlite").close()
    return database("sqlite:///{folder}/shop.sqlite")(folder)


COULD_NOT, WRONG, REFUSED = ExitCode.COULD_NOT_ANSWER, ExitCode.WRONG_USE, ExitCode.REFUSED
BAD = {
    "a missing file": Refused(
        lambda folder: question("how many orders", folder / "absent.csv"), "SOURCE_NOT_FOUND", WRONG
    ),
    "an empty file": Refused(about(b"", "how many orders"), "SOURCE_EMPTY", COULD_NOT),
    "a header only": Refused(about(b"region,amount\n", "total amount"), "SOURCE_EMPTY", COULD_NOT),
    "a folder without data": Refused(folder_without_data, "SOURCE_NOT_FOUND", WRONG),
    "a database that is not there": Refused(
        database("sqlite:///{folder}/absent.sqlite"), "SOURCE_NOT_FOUND", WRONG
    ),
    "a database that is none": Refused(a_text_called_database, "SOURCE_NOT_READABLE", COULD_NOT),
    "a database without tables": Refused(a_database_without_tables, "SOURCE_EMPTY", COULD_NOT),
    "a question of 2,001 characters": Refused(
        about(GOOD, "x" * 2_001), "QUESTION_TOO_LONG", WRONG, recorded=False
    ),
    "an empty question": Refused(about(GOOD, " "), "QUESTION_EMPTY", WRONG, recorded=False),
    "a question about something else": Refused(
        about(GOOD, "who won the cup final on the moon"), "NOTHING_UNDERSTOOD", COULD_NOT
    ),
    "200,001 rows": Refused(
        with_terms(row_limit=200_001), "LIMIT_OUT_OF_RANGE", WRONG, recorded=False
    ),
    "minus one row": Refused(with_terms(row_limit=-1), "LIMIT_OUT_OF_RANGE", WRONG, recorded=False),
    "181 seconds": Refused(with_terms(timeout=181), "LIMIT_OUT_OF_RANGE", WRONG, recorded=False),
    "an unknown engine": Refused(by_engine(99), "INVALID_ARGUMENT", WRONG, recorded=False),
    "an unknown deliverable": Refused(
        with_terms(deliverables=(9,)), "UNKNOWN_DELIVERABLE", WRONG, recorded=False
    ),
    "no source": Refused(
        lambda folder: question("how many orders"), "NO_DATA_SOURCES", WRONG, recorded=False
    ),
    "a blocked column by name": Refused(
        blocked("how many orders by email"), "COLUMN_BLOCKED", REFUSED, policy=True
    ),
    "personal data in the question": Refused(
        blocked("total amount of a@example.com"), "QUESTION_BLOCKED", REFUSED, policy=True
    ),
    "a column that is not allowed": Refused(
        with_terms(allowed=("region",)), "COLUMN_BLOCKED", REFUSED, policy=True
    ),
    "a pattern that is none": Refused(
        with_terms(blocked=("(",)), "INVALID_ARGUMENT", WRONG, recorded=False
    ),
}


@pytest.mark.parametrize("name", sorted(BAD))
async def test_bad_input_gets_one_clear_message_and_leaves_nothing_behind(
    ann: Caller, mesh: MeshSettings, tmp_path: Path, name: str
) -> None:
    case = BAD[name]
    request = case.make(tmp_path)
    before = kept(mesh)
    try:
        job = await ann.asked(request)
        assert job.state == job_pb2.JOB_STATE_FAILED, job.answer.text
        reason, message, hint = job.failure.reason, job.failure.message, job.failure.hint
    except grpc.aio.AioRpcError as error:
        refused = from_rpc_error(error)
        reason, message, hint = refused.reason.code, refused.message, refused.remedy
        assert not case.recorded
    assert (reason, EXIT_CODES[REASONS[reason].kind]) == (case.reason, case.exit_code), message
    assert message
    assert hint
    assert "Traceback" not in message
    assert kept(mesh) == before
    assert not list((mesh.home / "executor" / "sources").glob(".building-*"))
    if case.recorded:
        await assert_recorded(ann, request.request_id, policy=case.policy)


def kept(mesh: MeshSettings) -> set[Path]:
    """The files of all answers."""
    return {path for path in (mesh.home / "artifacts").rglob("*") if path.is_file()}


async def assert_recorded(caller: Caller, job_id: str, *, policy: bool) -> None:
    listing = records_pb.ListEntriesRequest(job_id=job_id)
    entries = (await caller.records.ListEntries(listing)).entries
    kinds = [entry.event_type for entry in entries]
    assert kinds[0] == "request_submitted"
    told = [(e.event_type, json.loads(e.event_data_json)) for e in entries]
    decided = [data["decision"] for kind, data in told if kind == "policy_decision"]
    assert decided == (["refused"] if policy else [])
    ends = [data["state"] for kind, data in told if kind == "observation_recorded"]
    assert ends == ([] if policy else ["failed"])
    assert not {"plan_created", "tool_called"} & set(kinds)
    assert (await caller.records.VerifyJob(records_pb.VerifyJobRequest(job_id=job_id))).ok


WIDE = ",".join(f"measure_{n}" for n in range(2_000)).encode() + b"\n"
WIDE += b"\n".join(",".join(str(n * row) for n in range(2_000)).encode() for row in (1, 2))
ODD = {
    "duplicate column names": (
        about(b"region,amount,amount\nNorth,1,2\nSouth,3,4\n", "sum of amount_2"),
        "6",
    ),
    "2,000 columns": (about(WIDE, "total measure_1999"), "5,997"),
    "nulls only": (about(b"region,amount\nNorth,\nSouth,\n", "how many orders by region"), "1"),
    "mixed types": (
        about(b"region,amount\nNorth,1\nSouth,many\nWest,3\n", "how many orders by region"),
        "1",
    ),
    "bytes that are not UTF-8": (
        about("region,amount\nZürich,1\nGenève,2\n".encode("latin-1"), "sum of amount"),
        "3",
    ),
}


@pytest.mark.parametrize("name", sorted(ODD))
async def test_odd_data_gets_a_right_answer(ann: Caller, tmp_path: Path, name: str) -> None:
    make, expected = ODD[name]
    request = make(tmp_path)
    request.analysis.constraints.timeout.seconds = 150  # a busy machine reads 2,000 columns slowly
    job = await ann.asked(request)
    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    assert expected in job.answer.text
    found = await ann.records.VerifyJob(records_pb.VerifyJobRequest(job_id=job.job_id))
    assert found.ok, found


async def test_a_plan_alone_is_refused_like_a_job(ann: Caller, tmp_path: Path) -> None:
    request = BAD["a missing file"].make(tmp_path)
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await ann.jobs.PlanJob(jobs_pb.PlanJobRequest(analysis=request.analysis))
    assert from_rpc_error(refused.value).reason.code == "SOURCE_NOT_FOUND"


async def test_an_empty_answer_says_that_no_row_matched(ann: Caller, tmp_path: Path) -> None:
    make = about(GOOD, "total amount where amount is above 1000 by region")
    job = await ann.asked(make(tmp_path))
    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    assert job.answer.empty_reason == analysis_pb2.EMPTY_REASON_NO_ROWS
    assert job.answer.text
