"""Which frames of a session a statement reads, and which it may."""

from __future__ import annotations

import pytest

from assay.common.v1 import data_pb2, job_pb2
from assay.gateway.v1 import job_service_pb2 as pb
from gateway.jobs.frames import Frames, read_by
from mesh.errors import COLUMN_BLOCKED, JOB_NOT_COMPLETE, NOT_FOUND, AssayError, Reason

FIRST, SECOND = "1" * 32, "2" * 32


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        ("select * from f1", ["f1"]),
        ("select * from F2 join f1 using (a)", ["f2", "f1"]),
        ("with f1 as (select 1) select * from f1", []),
        ("select f1, 'f2' from orders as f3", []),
        ("select * from other.f1", []),
        ("select * from f0, f01, f1234567, form1", []),
        ("select * from (", []),
        ("select (select max(a) from f3) from orders", ["f3"]),
    ],
)
def test_frames_are_tables_of_a_statement(statement: str, names: list[str]) -> None:
    assert read_by(statement) == names


def frames(policy: data_pb2.Policy | None = None, digest: str = "ab" * 32) -> Frames:
    async def job(job_id: str) -> job_pb2.Job:
        found = job_pb2.Job(job_id=job_id)
        found.analysis.policy.CopyFrom(policy or data_pb2.Policy())
        found.answer.table.digest = digest
        return found

    async def numbers(session_id: str) -> dict[int, str]:
        return {1: FIRST, 2: SECOND}

    return Frames(job, numbers)


def asked(statement: str, *named: str) -> pb.CreateJobRequest:
    request = pb.CreateJobRequest()
    request.analysis.statement = statement
    for one in named:
        request.analysis.data_sources.add(frame=one)
    return request


async def test_what_a_statement_reads_is_put_in_once() -> None:
    request = asked("select * from f1 join f2 using (a)", "f1")

    found = await frames().resolve_tables(request, "s")

    placed = request.analysis.data_sources
    assert [(one.frame, one.name) for one in placed] == [(FIRST, "f1"), (SECOND, "f2")]
    assert all(one.read_options.raw for one in placed), "a result is not repaired"
    assert list(found) == [FIRST, SECOND]
    assert {one.content_digest for one in found.values()} == {"ab" * 32}


async def test_outside_a_session_a_short_name_is_a_table_of_the_data() -> None:
    request = asked("select * from f1")

    assert not await frames().resolve_tables(request, "")
    assert not request.analysis.data_sources


@pytest.mark.parametrize(
    ("given", "request_", "reason"),
    [
        (frames(), asked("select 1", "f9"), NOT_FOUND),
        (frames(digest=""), asked("select * from f1"), JOB_NOT_COMPLETE),
        (
            frames(data_pb2.Policy(allowed_columns=["a"])),
            asked("select * from f1"),
            COLUMN_BLOCKED,
        ),
    ],
)
async def test_what_may_not_be_read(
    given: Frames, request_: pb.CreateJobRequest, reason: Reason
) -> None:
    with pytest.raises(AssayError) as told:
        await given.resolve_tables(request_, "s")

    assert told.value.reason is reason
