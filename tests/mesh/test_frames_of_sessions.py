"""Tables of a session's statements: read by later ones under short names, with their lineage."""

from __future__ import annotations

import json
from pathlib import Path

from assay.common.v1 import data_pb2, job_pb2
from assay.gateway.v1 import audit_service_pb2 as records_pb
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from assay.gateway.v1 import session_service_pb2 as sessions_pb
from assay.gateway.v1 import text_service_pb2 as texts_pb
from mesh.errors import COLUMN_BLOCKED, NOT_FOUND
from mesh.ids import new_id
from tests.mesh import shared
from tests.mesh.support import Caller, refusal
from tests.mesh.test_own_statement import statement

pytestmark = shared.ON_ONE_LOOP
ann, bob = shared.ann, shared.bob

BY_REGION = "select region, sum(quantity) as sold from sales group by region"


async def opened(caller: Caller) -> str:
    request = sessions_pb.CreateSessionRequest(request_id=new_id())
    return (await caller.sessions.CreateSession(request)).session.session_id


def within(session: str, text: str, *places: Path) -> jobs_pb.CreateJobRequest:
    request = statement(text, *places)
    request.session_id = session
    return request


async def test_a_later_statement_reads_a_frame_by_its_short_name(ann: Caller, sales: Path) -> None:
    session = await opened(ann)
    first = await ann.asked(within(session, BY_REGION, sales))
    assert (first.state, first.analysis.frame) == (job_pb2.JOB_STATE_COMPLETED, "f1")

    second = await ann.asked(
        within(session, "select max(sold) as most from F1 where region <> 'South'")
    )

    assert second.state == job_pb2.JOB_STATE_COMPLETED, second.failure
    assert (
        second.analysis.frame == "f2"
        and second.answer.text == "Most where region is not South was 60."
    )
    [source] = second.analysis.data_sources
    assert (source.frame, source.name) == (first.job_id, "f1")
    export = records_pb.ExportChainRequest(job_id=second.job_id)
    chain = b"".join([part.data async for part in ann.records.ExportChain(export)])
    [recorded] = json.loads(chain.splitlines()[0])["event_data"]["data_sources"]
    assert recorded["job_id"] == first.job_id
    assert recorded["frame_digest"] == first.answer.table.digest
    proof = await ann.records.VerifyJob(records_pb.VerifyJobRequest(job_id=second.job_id))
    assert proof.ok, proof.checks
    assert proof.checks[-1].name == "lineage"
    assert proof.checks[-1].detail.startswith("tables of 1 earlier job whose records hold")
    again = records_pb.RecomputeJobRequest(job_id=second.job_id)
    steps = [step async for step in ann.records.RecomputeJob(again)]
    assert steps and all(step.same for step in steps), steps


async def test_a_frame_stands_beside_its_sources(ann: Caller, sales: Path) -> None:
    session = await opened(ann)
    await ann.asked(within(session, BY_REGION, sales))
    joined = "select count(*) as n from sales s join f1 using (region) where f1.sold > 40"

    job = await ann.asked(within(session, joined, sales))

    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    assert [source.name for source in job.analysis.data_sources][1:] == ["f1"]


async def test_one_name_with_two_meanings_is_told_when_it_happens(ann: Caller, sales: Path) -> None:
    session = await opened(ann)
    await ann.asked(within(session, BY_REGION, sales))
    failed = within(session, "select sum(quantity + 1) as sold, nothing from sales", sales)
    assert (await ann.asked(failed)).state == job_pb2.JOB_STATE_FAILED
    other = "select sum(quantity) as sold from sales where price > 12"

    job = await ann.asked(within(session, other, sales))
    elsewhere = await ann.asked(within(await opened(ann), other, sales))

    [found] = [one for one in job.plan.proposal.findings if one.code == "M02"]
    assert found.said == "sold of f1 counts all rows, and here only sales.price > 12"
    assert any(one.startswith("M02: sold of f1 counts") for one in job.answer.caveats)
    assert not [one for one in elsewhere.plan.proposal.findings if one.code == "M02"]


async def test_frames_of_others_and_of_other_sessions_are_not_there(
    ann: Caller, bob: Caller, sales: Path
) -> None:
    session = await opened(ann)
    job = await ann.asked(within(session, BY_REGION, sales))
    named = statement("select * from f1")
    named.analysis.data_sources.append(data_pb2.DataSource(frame=job.job_id, name="f1"))
    short = within(await opened(ann), "select * from f1")
    short.analysis.data_sources.append(data_pb2.DataSource(frame="f1"))

    assert (await ann.asked(named)).answer.table.rows == 3
    named.request_id = new_id()
    assert (await refusal(bob.create(named))).reason is NOT_FOUND
    assert (await refusal(ann.create(short))).reason is NOT_FOUND


async def test_a_frame_is_read_under_its_own_policy_alone(ann: Caller, sales: Path) -> None:
    session = await opened(ann)
    await ann.asked(within(session, "select price as p from sales", sales))
    later = within(session, "select * from f1", sales)
    later.analysis.policy.blocked_patterns.append("price")

    assert (await refusal(ann.create(later))).reason is COLUMN_BLOCKED


async def test_a_text_cites_frames_of_a_session_by_their_names(
    ann: Caller, bob: Caller, sales: Path
) -> None:
    session = await opened(ann)
    await ann.asked(within(session, BY_REGION, sales))
    wanted = texts_pb.CheckTextRequest(text="Sold: {61|f1.sold[North]}.", session_id=session)

    found = await ann.texts.CheckText(wanted)

    assert [one.kind for one in found.failures] == [texts_pb.TEXT_FAILURE_KIND_NUMBER_WRONG]
    assert (await refusal(bob.texts.CheckText(wanted))).reason is NOT_FOUND


async def test_a_frame_with_the_columns_of_its_source_is_no_part_of_it(
    ann: Caller, sales: Path
) -> None:
    session = await opened(ann)
    whole = await ann.asked(within(session, "select * from sales", sales))
    assert whole.analysis.frame == "f1"
    joined = "select count(*) as n from f1 join sales using (sale_id)"
    for _ in range(2):  # facts are measured beside the first, and known to the second
        again = await ann.asked(within(session, joined, sales))
        assert again.state == job_pb2.JOB_STATE_COMPLETED, again.failure
    assert not [one for one in again.plan.proposal.findings if one.code == "D04"]
