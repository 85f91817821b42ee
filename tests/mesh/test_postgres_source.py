"""A PostgreSQL database as a source, from the question to the proof."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from google.protobuf.duration_pb2 import Duration

from assay.common.v1 import analysis_pb2, job_pb2
from assay.executor.v1 import executor_service_pb2 as pb
from assay.gateway.v1 import audit_service_pb2 as audit_pb
from mesh.config import MeshSettings
from mesh.testing.mesh import running_mesh
from services.__main__ import factories
from tests.engines.world import run
from tests.mesh.postgres_world import about, execute, reader, said
from tests.mesh.support import Caller


async def test_a_question_is_answered_inside_the_database(owner: str, ann: Caller) -> None:
    job = await ann.asked(about("total amount by region", reader(owner)))
    assert job.state == job_pb2.JOB_STATE_COMPLETED, said(job)
    expected = run(
        owner,
        "SELECT region, sum(amount)::text FROM orders o JOIN customers c ON c.id = customer_id"
        " GROUP BY 1 ORDER BY 1",
    )
    answer = str(job.answer)
    assert all(region in answer for region, _ in expected)


async def test_the_catalogue_tells_keys_comments_schemas_and_roles(owner: str, ann: Caller) -> None:
    source = pb.Source(connection_string=owner)
    told = await ann.executor.DescribeSource(pb.DescribeSourceRequest(sources=[source]))
    tables = {table.name: table for table in told.tables}
    assert set(tables) >= {"customers", "orders", "slow", "archive_orders"}
    assert tables["customers"].comment == "who buys"
    assert list(tables["orders"].primary_key) == ["id"]
    assert tables["orders"].rows == 400
    links = {(r.from_table, r.from_column, r.to_table, r.to_column) for r in told.relationships}
    assert ("orders", "customer_id", "customers", "id") in links
    columns = {column.name: column for column in tables["customers"].columns}
    assert columns["region"].inferred_type == pb.COLUMN_ROLE_DIMENSION
    assert set(columns["region"].sample_values) == {"North", "South"}
    assert columns["id"].cardinality == 50


async def test_values_are_found_in_the_database_and_masked_ones_are_not(
    owner: str, ann: Caller
) -> None:
    source = pb.Source(connection_string=owner)
    wanted = pb.LookupValuesRequest(sources=[source], phrases=["south", "n7@example.org"])
    hits = (await ann.executor.LookupValues(wanted)).hits
    assert {(hit.table, hit.column, hit.value) for hit in hits} >= {
        ("customers", "region", "South"),
        ("customers", "email", "n7@example.org"),
    }
    wanted.policy.blocked_patterns.append(r"[a-z0-9]+@example\.org")
    hits = (await ann.executor.LookupValues(wanted)).hits
    assert not [hit for hit in hits if hit.column == "email"]


async def test_candidates_are_probed_in_the_database_where_little_has_to_be_read(
    owner: str, ann: Caller, sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    queries = [
        "SELECT region, sum(amount) AS total FROM orders JOIN customers ON customers.id ="
        " customer_id GROUP BY 1",
        'SELECT c.region, SUM(o.amount) AS "sum" FROM customers c, orders o WHERE c.id ='
        " o.customer_id GROUP BY c.region ORDER BY 2 DESC",
        "SELECT name FROM customers LIMIT 5",
        "SELECT regoin FROM customers",
        "SELECT count(*) FROM slow",
    ]
    wanted = pb.ProbeQueriesRequest(
        sources=[pb.Source(connection_string=owner)],
        queries=[pb.ProbeQuery(sql=sql) for sql in queries],
        limits=pb.ProbeLimits(rows=3, total=Duration(seconds=10), each=Duration(seconds=10)),
    )

    one, other, many, wrong, view = (await ann.executor.ProbeQueries(wanted)).outcomes

    assert one.state == pb.PROBE_STATE_OK
    assert one.multiset_digest == other.multiset_digest
    assert (many.rows, many.more) == (3, True)
    assert (wrong.state, wrong.reason) == (pb.PROBE_STATE_FAILED, "MISSING_COLUMN")
    assert (view.state, view.reason) == (pb.PROBE_STATE_NOT_PROBED, "SIZE_UNKNOWN")

    monkeypatch.setattr("services.executor.probing.prober.MOST_ROWS_ELSEWHERE", 100)
    found = [(o.state, o.reason) for o in (await ann.executor.ProbeQueries(wanted)).outcomes]
    assert found[0] == (pb.PROBE_STATE_NOT_PROBED, "TOO_LARGE")
    assert found[2][0] == pb.PROBE_STATE_OK

    wanted.sources.append(pb.Source(file_path=str(sales)))
    outcomes = (await ann.executor.ProbeQueries(wanted)).outcomes
    assert {(o.state, o.reason) for o in outcomes} == {(pb.PROBE_STATE_NOT_PROBED, "NEEDS_COPY")}


async def test_a_table_that_may_not_be_read_is_denied_by_name(
    owner: str, mesh: MeshSettings, ann: Caller
) -> None:
    found = await execute(ann, reader(owner), "SELECT sum(amount) FROM orders")
    assert found.status == analysis_pb2.OBSERVATION_STATUS_SUCCESS, found.error_message
    run(owner, "REVOKE SELECT ON orders FROM reader")
    try:
        denied = await execute(ann, reader(owner), "SELECT sum(amount) FROM orders")
    finally:
        run(owner, "GRANT SELECT ON orders TO reader")
    assert denied.error_category == analysis_pb2.ERROR_CATEGORY_POLICY_DENIED
    assert "DATABASE_PERMISSION_DENIED" in denied.error_details_json
    assert "orders" in denied.error_message


async def test_a_server_that_ends_the_connection_mid_query_is_told_and_forgotten(
    owner: str, ann: Caller
) -> None:
    asked = asyncio.create_task(execute(ann, reader(owner), "SELECT waited FROM slow"))
    for _ in range(200):
        ended = run(
            owner,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%slow%'"
            " AND usename = 'reader' AND state = 'active'",
        )
        if ended:
            break
        await asyncio.sleep(0.05)
    found = await asyncio.wait_for(asked, 10)
    assert "DATABASE_UNREACHABLE" in found.error_details_json, found.error_message
    again = await execute(ann, reader(owner), "SELECT count(*) AS n FROM orders")
    assert again.status == analysis_pb2.OBSERVATION_STATUS_SUCCESS, again.error_message


async def test_a_database_and_a_file_are_asked_together(
    owner: str, ann: Caller, tmp_path: Path
) -> None:
    goals = tmp_path / "goals.csv"
    goals.write_text("region,goal\nNorth,100\nSouth,200\n")
    found = await execute(
        ann,
        reader(owner),
        "SELECT g.region, g.goal, count(*) AS n FROM goals g JOIN customers c ON c.region ="
        " g.region GROUP BY ALL ORDER BY 1",
        files=(goals,),
    )
    assert found.status == analysis_pb2.OBSERVATION_STATUS_SUCCESS, found.error_message
    assert found.row_count == 2


async def test_a_recomputation_tells_a_database_that_was_written_to(
    owner: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_EXECUTOR_DATABASE_SECONDS", "0")  # read anew every time
    async with running_mesh(home, factories) as settings, Caller(settings) as ann:
        job = await ann.asked(about("total amount by region", reader(owner)))
        assert job.state == job_pb2.JOB_STATE_COMPLETED, said(job)
        again = await recomputed(ann, job.job_id, reader(owner))
        assert [step.detail for step in again if not step.same] == []
        assert len(again) > 1

        write = "UPDATE orders SET amount = amount WHERE id = 1"
        run(owner, write, "SELECT pg_stat_force_next_flush()")
        (sources,) = await recomputed(ann, job.job_id, reader(owner))

    assert "has changed since the question was asked" in sources.detail
    assert "content" not in sources.detail  # nobody read it: the rows are as they were


async def recomputed(
    caller: Caller, job_id: str, *urls: str
) -> list[audit_pb.RecomputeJobResponse]:
    wanted = audit_pb.RecomputeJobRequest(job_id=job_id, connection_strings=urls)
    return [step async for step in caller.records.RecomputeJob(wanted)]
