"""A first look, through the whole mesh; the questions that it offers are answered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assay.common.v1 import data_pb2, job_pb2, look_pb2
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from assay.gateway.v1 import source_service_pb2 as sources_pb
from tests.mesh.postgres_world import reader
from tests.mesh.support import Caller, question, refusal


def at(*places: Path, **policy: Any) -> jobs_pb.LookAtSourcesRequest:
    return jobs_pb.LookAtSourcesRequest(
        data_sources=[data_pb2.DataSource(file_path=str(place)) for place in places],
        policy=data_pb2.Policy(**policy),
    )


async def test_a_look_tells_what_there_is_and_offers_what_can_be_answered(
    ann: Caller, sales: Path
) -> None:
    seen = (await ann.jobs.LookAtSources(at(sales))).look
    (table,) = seen.tables
    assert (table.name, table.rows, list(table.key)) == ("sales", 60, ["sale_id"])
    assert not table.key_declared
    kinds = {c.name: look_pb2.SemanticKind.Name(c.kind)[14:].lower() for c in table.columns}
    assert kinds["sale_id"] == "id" and kinds["sold_on"] == "time"
    assert kinds["region"] == "category" and kinds["price"] == "intensive"
    price = next(c for c in table.columns if c.name == "price")
    assert 10 < price.mean < 17

    assert 1 <= len(seen.questions) <= 3
    for text in seen.questions:
        job = await ann.asked(question(text, sales, assume=False))
        assert job.state == job_pb2.JOB_STATE_COMPLETED, (text, job.failure, job.clarification)


async def test_policy_holds_for_a_look(ann: Caller, sales: Path) -> None:
    hidden = (await ann.jobs.LookAtSources(at(sales, allowed_columns=["region", "price"]))).look
    assert [column.name for column in hidden.tables[0].columns] == ["region", "price"]
    assert "customer" not in str(hidden)
    masked = (await ann.jobs.LookAtSources(at(sales, blocked_patterns=["email"]))).look
    assert "@example.com" not in str(masked)


async def test_a_look_is_at_a_source_by_name_or_at_the_only_one(ann: Caller, sales: Path) -> None:
    place = data_pb2.DataSource(file_path=str(sales))
    await ann.sources.AddSource(sources_pb.AddSourceRequest(name="shop", source=place))
    only = (await ann.jobs.LookAtSources(jobs_pb.LookAtSourcesRequest())).look
    named = jobs_pb.LookAtSourcesRequest(data_sources=[data_pb2.DataSource(source_name="shop")])
    assert (await ann.jobs.LookAtSources(named)).look == only
    error = await refusal(ann.jobs.LookAtSources(at(sales.with_name("nowhere.csv"))))
    assert error.reason.code == "SOURCE_NOT_FOUND"


async def test_a_server_is_looked_at_where_it_is(ann: Caller, owner: str) -> None:
    place = data_pb2.DataSource(connection_string=reader(owner))
    wanted = jobs_pb.LookAtSourcesRequest(data_sources=[place])
    seen = (await ann.jobs.LookAtSources(wanted)).look
    found = {table.name: table for table in seen.tables}
    assert seen.left_out == "Not looked at to the end, as it takes too long: slow."
    customers = found["customers"]
    assert list(customers.key) == ["id"] and customers.key_declared
