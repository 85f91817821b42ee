"""A semantic model through the mesh: by RPC, with a named source, and in the record."""

from __future__ import annotations

import json
from pathlib import Path

from assay.common.v1 import data_pb2, job_pb2, look_pb2
from assay.gateway.v1 import audit_service_pb2 as audit_pb
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from assay.gateway.v1 import source_service_pb2 as sources_pb
from tests.mesh.support import Caller, question, refusal

MODEL = """
tables:
  sales:
    metrics:
      takings: {formula: price * quantity, unit: EUR}
      price paid: {formula: sum(takings) / sum(quantity), unit: EUR}
    columns:
      region: {synonyms: [territory], values: {North: [Nord]}}
      customer_email: {hidden: true}
"""


def told(text: str = MODEL) -> data_pb2.SemanticModel:
    return data_pb2.SemanticModel(name="sales.assay.yaml", text=text)


def asking(text: str, path: Path, model: str = MODEL) -> jobs_pb.CreateJobRequest:
    request = question(text, path)
    request.analysis.data_sources[0].semantic_models.append(told(model))
    return request


async def test_a_question_is_read_by_its_model_and_the_record_says_by_which(
    ann: Caller, sales: Path
) -> None:
    job = await ann.asked(asking("takings by territory", sales))
    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    assert job.understood.startswith("total takings = price × quantity by region")
    assert "EUR" in job.answer.text
    (model,) = job.analysis.data_sources[0].semantic_models
    assert model.text == MODEL, "what was asked comes back so that it can be asked again"

    wanted = audit_pb.ListEntriesRequest(job_id=job.job_id)
    entries = (await ann.records.ListEntries(wanted)).entries
    submitted = json.loads(entries[0].event_data_json)
    (named,) = submitted["data_sources"][0]["semantic_models"]
    assert named["name"] == "sales.assay.yaml" and len(named["sha256"]) == 64
    assert MODEL not in str(entries), "the text itself is no part of the log"

    one = await ann.asked(asking("price paid for Nord", sales))
    assert one.state == job_pb2.JOB_STATE_COMPLETED, one.failure
    assert "price paid" in one.understood and "North" in one.understood


async def test_another_model_does_not_find_the_recipe_of_the_first(
    ann: Caller, sales: Path
) -> None:
    first = await ann.asked(asking("takings by region", sales))
    again = await ann.asked(asking("takings by region", sales))
    halved = MODEL.replace("price * quantity", "price * quantity / 2")
    other = await ann.asked(asking("takings by region", sales, halved))

    assert again.answer.table.digest == first.answer.table.digest
    assert other.state == job_pb2.JOB_STATE_COMPLETED, other.failure
    assert other.answer.table.digest != first.answer.table.digest
    assert (again.answer.recipe, other.answer.recipe) == ("recipe used", "recipe saved")


async def test_a_model_that_does_not_fit_is_refused_with_the_place(
    ann: Caller, sales: Path
) -> None:
    error = await refusal(ann.create(asking("takings", sales, "tabels: {}")))
    assert error.reason.code == "SEMANTIC_MODEL_INVALID"
    assert error.message.startswith("sales.assay.yaml, line 1, column 1: ")

    bad = MODEL.replace("price * quantity", "prize * quantity")
    job = await ann.asked(asking("takings by region", sales, bad))
    assert job.failure.reason == "SEMANTIC_MODEL_INVALID"
    assert 'sales has no column "prize"; did you mean "price"?' in job.failure.message

    cannot = MODEL.replace("price * quantity", "region * quantity")
    wanted = jobs_pb.LookAtSourcesRequest(data_sources=[_source(sales, cannot)])
    error = await refusal(ann.jobs.LookAtSources(wanted))
    assert "cannot be computed over sales as a number" in error.message, "metrics are tried"


async def test_a_formula_is_under_the_guard_and_the_policy_of_every_query(
    ann: Caller, sales: Path
) -> None:
    outside = MODEL.replace("price * quantity", "price * length(getenv('HOME'))")
    wanted = jobs_pb.LookAtSourcesRequest(data_sources=[_source(sales, outside)])
    error = await refusal(ann.jobs.LookAtSources(wanted))
    assert error.reason.code == "SEMANTIC_MODEL_INVALID" and "SQL_REFUSED" in error.message
    job = await ann.asked(asking("takings by region", sales, outside))
    assert job.state == job_pb2.JOB_STATE_FAILED and job.failure.reason == "SQL_REFUSED"

    request = asking("takings by region", sales)
    request.analysis.policy.blocked_patterns.append("^price$")
    hidden = await ann.asked(request)
    assert hidden.state == job_pb2.JOB_STATE_FAILED, "what needs a hidden column is not there"
    assert hidden.failure.reason == "NOTHING_UNDERSTOOD"


async def test_a_named_source_keeps_the_newest_model_that_fits(ann: Caller, sales: Path) -> None:
    adding = sources_pb.AddSourceRequest(name="shop", source=_source(sales, MODEL))
    added = await ann.sources.AddSource(adding)
    assert added.source.source.semantic_models[0].text == MODEL
    on = question("takings by territory")
    on.analysis.data_sources.add(source_name="shop")
    job = await ann.asked(on)
    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure

    bad = sources_pb.AddSourceRequest(name="shop", source=_source(sales, "tables: {sails: {}}"))
    error = await refusal(ann.sources.AddSource(bad))
    assert 'did you mean "sales"?' in error.message
    renamed = MODEL.replace("territory", "area")
    await ann.sources.AddSource(
        sources_pb.AddSourceRequest(name="shop", source=_source(sales, renamed))
    )
    kept = (await ann.sources.GetSource(sources_pb.GetSourceRequest(name="shop"))).source
    assert [m.text for m in kept.source.semantic_models] == [renamed]
    (listed,) = (await ann.sources.ListSources(sources_pb.ListSourcesRequest())).sources
    assert [m.text for m in listed.source.semantic_models] == [""], "lists leave texts out"


async def test_a_look_tells_metrics_and_proposes_what_changes_nothing(
    ann: Caller, sales: Path
) -> None:
    wanted = jobs_pb.LookAtSourcesRequest(data_sources=[_source(sales, MODEL)])
    (table,) = (await ann.jobs.LookAtSources(wanted)).look.tables
    takings = next(c for c in table.columns if c.name == "takings")
    assert (takings.formula, takings.unit) == ("price * quantity", "EUR")
    assert takings.kind == look_pb2.SEMANTIC_KIND_AMOUNT
    assert "customer_email" not in [c.name for c in table.columns]

    bare = jobs_pb.LookAtSourcesRequest(
        data_sources=[data_pb2.DataSource(file_path=str(sales))], propose=True
    )
    proposal = (await ann.jobs.LookAtSources(bare)).look.proposal
    assert "  sales:  # 60 rows\n" in proposal
    plain = await ann.asked(question("average price by region", sales))
    proposed = await ann.asked(asking("average price by region", sales, proposal))
    assert proposed.answer.table.digest == plain.answer.table.digest


def _source(path: Path, model: str) -> data_pb2.DataSource:
    return data_pb2.DataSource(file_path=str(path), semantic_models=[told(model)])
