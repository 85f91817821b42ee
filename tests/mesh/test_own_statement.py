"""A statement of one's own, through the whole mesh: the rules and the proof of a question."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.common.v1 import analysis_pb2, job_pb2
from assay.gateway.v1 import artifact_service_pb2 as artifacts_pb
from assay.gateway.v1 import audit_service_pb2 as records_pb
from assay.gateway.v1 import catalogue_service_pb2 as catalogue_pb
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from clients.python.cli.verifying import verified
from clients.python.client import AssayClient
from clients.python.verification.reading import Trust
from tests.mesh import shared
from tests.mesh.support import Caller, question, refusal

pytestmark = shared.ON_ONE_LOOP
ann = shared.ann

BY_REGION = "select region, sum(quantity) as n from sales where price > 12 group by region"


def statement(text: str, *places: Path, **terms: object) -> jobs_pb.CreateJobRequest:
    request = question("", *places, **terms)  # type: ignore[arg-type]
    request.analysis.statement = text
    return request


async def test_a_statement_is_answered_with_its_rows_and_proved(ann: Caller, sales: Path) -> None:
    job = await ann.asked(statement(BY_REGION, sales))

    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    assert job.answer.text == (
        "N where price > 12 was 129. It was highest for North (48, 37 %) and lowest for South "
        "(39, 30 %)."
    )
    ran, *_ = [step.statement for step in job.steps if step.HasField("statement")]
    assert ran.query == BY_REGION, "it runs as it was written"
    assert job.analysis.statement == BY_REGION and not job.analysis.intent
    kinds = [artifact.artifact_type for artifact in job.answer.artifacts]
    assert analysis_pb2.ARTIFACT_TYPE_TABLE in kinds
    assert analysis_pb2.ARTIFACT_TYPE_CHART in kinds, "as of a question that means the same"
    read = artifacts_pb.ReadFrameRequest(job_id=job.job_id, digest=job.answer.table.digest)
    assert [piece async for piece in ann.artifacts.ReadFrame(read)]
    proof = await ann.records.VerifyJob(records_pb.VerifyJobRequest(job_id=job.job_id))
    assert proof.ok, proof.checks
    learnt = await ann.catalogue.ListRecipes(catalogue_pb.ListRecipesRequest())
    assert not learnt.recipes, "nothing was understood that could be learnt"


async def test_what_no_question_means_is_told_by_its_rows(ann: Caller, sales: Path) -> None:
    told = {
        "select region, round(avg(price), 1) as mean from sales group by region": (
            "3 rows of your statement: region, mean. Mean ranges from "
        ),
        "select round(min(price), 1) as low, round(max(price), 1) as high from sales": "Low is ",
    }
    for text, begins in told.items():
        job = await ann.asked(statement(text, sales))

        assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
        assert job.answer.text.startswith(begins), job.answer.text
        kinds = [artifact.artifact_type for artifact in job.answer.artifacts]
        assert analysis_pb2.ARTIFACT_TYPE_CHART not in kinds
        proof = await ann.records.VerifyJob(records_pb.VerifyJobRequest(job_id=job.job_id))
        assert proof.ok, proof.checks
    assert ", high is " in job.answer.text


async def test_what_a_statement_cannot_do_is_told_in_words(ann: Caller, sales: Path) -> None:
    refused = {
        "drop table sales": ("SQL_REFUSED", "only a SELECT is run, not DROP"),
        "insert into sales select * from sales": ("SQL_REFUSED", "not INSERT"),
        "select 1; delete from sales": ("SQL_REFUSED", "one statement is run at a time"),
        f"select * from read_csv('{sales}')": ("SQL_REFUSED", "read_csv()"),
        "select regio from sales": ("STATEMENT_FAILED", 'Did you mean "region"?'),
        "select * from sale": ("STATEMENT_FAILED", 'There is "sales"'),
        "selec 1": ("STATEMENT_FAILED", 'near "selec"'),
    }
    for text, (reason, message) in refused.items():
        job = await ann.asked(statement(text, sales))
        assert (job.failure.reason, message in job.failure.message) == (reason, True), job.failure
        (attempt,) = {step.attempt for step in job.steps if step.tool_name == "sql.run"}
        assert attempt == 1, "what a person wrote is not changed and tried again"

    many = await ann.asked(statement("select * from sales", sales, row_limit=10))
    assert many.failure.reason == "ROW_LIMIT"
    none = await ann.asked(statement("select * from sales where quantity > 1000", sales))
    assert none.answer.text == "No rows: your statement matches nothing."
    assert none.answer.empty_reason == analysis_pb2.EMPTY_REASON_NO_ROWS


async def test_policy_holds_for_statements(ann: Caller, sales: Path) -> None:
    terms = {"allowed": ["region", "quantity"]}
    job = await ann.asked(statement("select Customer_Email from sales", sales, **terms))
    assert job.failure.reason == "COLUMN_BLOCKED"
    assert job.failure.message == "not permitted: column sales.customer_email is blocked by policy"
    # A name of one's own that is like a hidden column's is no column.
    free = await ann.asked(statement("select max(quantity) as price from sales", sales, **terms))
    assert free.answer.text == "Price is 5.", free.failure
    masked = statement("select * from sales where product = 'ann@example.com'", sales)
    masked.analysis.policy.blocked_patterns.append("email")
    job = await ann.asked(masked)
    assert job.failure.reason == "QUESTION_BLOCKED"
    assert "ann@example.com" not in job.analysis.statement


async def test_one_asks_in_words_or_by_a_statement(ann: Caller, sales: Path) -> None:
    both = statement("select 1", sales)
    both.analysis.intent = "how many sales"
    for request, reason in (
        (both, "INVALID_ARGUMENT"),
        (statement(" \n", sales), "QUESTION_EMPTY"),
        (statement(f"select {'1' * 50_000}", sales), "QUESTION_TOO_LONG"),
    ):
        assert (await refusal(ann.create(request))).reason.code == reason


@pytest.mark.parametrize(
    "condition",
    [
        "region = region",
        "region is not null",
        "price between 3 and 18",
        "price > (select avg(price) from sales)",
        "price >= quantity * 2",
        "quantity <> price and region <> 'North'",
        "region not in ('North')",
    ],
)
async def test_what_is_told_of_any_condition_is_borne_out(
    ann: Caller, sales: Path, condition: str
) -> None:
    """Its words are our own ("region is not empty"), and not those of the statement: that they are
    what it was read as stands in the plan, which a verifier holds the answer against."""
    text = f"select region, sum(quantity) as n from sales where {condition} group by region"
    summary = [analysis_pb2.DELIVERABLE_TABLES, analysis_pb2.DELIVERABLE_SUMMARY]
    job = await ann.asked(statement(text, sales, deliverables=summary))
    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    async with AssayClient(ann.settings.address("gateway"), ann.tenant) as client:
        found, _ = await verified(client, job, Trust())
    assert [one for one in found if not one.ok] == [], job.answer.text
