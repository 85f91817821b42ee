"""A statement beside what its author declares, through the whole mesh."""

from __future__ import annotations

from pathlib import Path

from assay.common.v1 import checks_pb2, job_pb2, proposals_pb2
from assay.gateway.v1 import audit_service_pb2 as records_pb
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from mesh.errors import INVALID_ARGUMENT
from tests.mesh import shared
from tests.mesh.support import Caller, refusal
from tests.mesh.test_own_statement import statement

pytestmark = shared.ON_ONE_LOOP
ann = shared.ann

BY_REGION = "select region, sum(quantity) as sold from sales group by region"


def declared(text: str, *places: Path, **means: object) -> jobs_pb.CreateJobRequest:
    request = statement(text, *places)
    request.analysis.means.CopyFrom(proposals_pb2.Meaning(**means))  # type: ignore[arg-type]
    return request


async def test_what_means_the_same_is_proven_twice(ann: Caller, sales: Path) -> None:
    job = await ann.asked(declared(BY_REGION, sales, metric="sum(quantity)", by=["region"]))

    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    [twin] = job.plan.proposal.others
    assert (twin.proposer, twin.compared) == ("twin", proposals_pb2.AGREEMENT_SAME), twin
    assert twin.interpretation == "sum(quantity) by region"
    assert not job.plan.proposal.not_checked
    assert job.analysis.means.metric == "sum(quantity)", "it can be asked again"
    proof = await ann.records.VerifyJob(records_pb.VerifyJobRequest(job_id=job.job_id))
    assert proof.ok, proof.checks


async def test_what_is_declared_otherwise_is_told_with_both_numbers(
    ann: Caller, sales: Path
) -> None:
    wrong = "select sum(quantity) as sold from sales where region <> 'North'"
    job = await ann.asked(declared(wrong, sales, metric="sum(quantity)"))

    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    [twin] = job.plan.proposal.others
    assert twin.compared == proposals_pb2.AGREEMENT_DIFFERS
    assert twin.clause == "only it has sales.region <> 'North'"
    [found] = [one for one in job.plan.proposal.findings if one.code == "M01"]
    assert found.severity == checks_pb2.CHECK_SEVERITY_DOUBT
    assert found.sizes["declared"] > found.sizes["stated"]
    assert found.fix == twin.statement
    assert any(one.startswith("M01: what is declared gives ") for one in job.answer.caveats)


async def test_what_cannot_be_checked_is_always_told(ann: Caller, sales: Path) -> None:
    nothing = await ann.asked(statement(BY_REGION, sales))
    unknown = await ann.asked(declared(BY_REGION, sales, metric="revenue", by=["region"]))

    assert list(nothing.plan.proposal.not_checked) == [
        "meaning: none is declared, so no second statement was compiled"
    ]
    assert list(unknown.plan.proposal.not_checked) == [
        'meaning: "revenue" is neither a declared metric nor an aggregate such as sum(…)'
    ]
    assert not unknown.plan.proposal.others


async def test_a_metric_of_the_semantic_model_is_computed_as_it_declares(
    ann: Caller, sales: Path
) -> None:
    right = "select region, sum(price * quantity) as t from sales group by region"
    wrong = right.replace("price * quantity", "price")
    for text, agreement in (
        (right, proposals_pb2.AGREEMENT_SAME),
        (wrong, proposals_pb2.AGREEMENT_DIFFERS),
    ):
        request = declared(text, sales, metric="takings", by=["region"])
        model = "tables: {sales: {metrics: {takings: {formula: price * quantity}}}}"
        request.analysis.data_sources[0].semantic_models.add(name="model", text=model)
        job = await ann.asked(request)

        assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
        [twin] = job.plan.proposal.others
        assert twin.compared == agreement, twin


async def test_a_question_declares_no_meaning(ann: Caller, sales: Path) -> None:
    request = declared("", sales, metric="sum(quantity)")
    request.analysis.intent = "total quantity"

    assert (await refusal(ann.create(request))).reason is INVALID_ARGUMENT
