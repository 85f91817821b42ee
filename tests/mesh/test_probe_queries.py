"""The planner asks the data about candidate queries, over real gRPC, as its reader will."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime
from pathlib import Path

import grpc
import pytest
import pytest_asyncio
from google.protobuf.duration_pb2 import Duration

from assay.executor.v1 import executor_service_pb2 as pb
from mesh.errors import INVALID_ARGUMENT, AssayError
from mesh.ids import new_id
from mesh.policy import Policy
from services.planner.adapters.executor import ExecutorTools
from services.planner.domain.data_source import DataSource
from services.planner.domain.evidence import ProbedQuery, ProbeLimits, ProbeState
from services.planner.domain.question import AnalysisRequest
from tests.busy import allowing
from tests.mesh.support import Caller

BY_REGION = ProbedQuery(sql="SELECT region, sum(price) AS total FROM sales GROUP BY region")
AS_WELL = ProbedQuery(
    sql='SELECT "s"."region" AS "where", SUM("s"."price") AS "price" FROM "sales" AS "s" '
    'WHERE "s"."sold_on" >= ? GROUP BY 1 ORDER BY 2',
    params=(date(2024, 1, 1),),
)
SLOW = ProbedQuery(
    sql="SELECT sum(a.price * g.price) FROM sales a, sales b, sales c, sales d, sales e, sales f, "
    "sales g, sales h, sales i, sales j"
)
WRONG = ProbedQuery(sql="SELECT regoin FROM sales")


@pytest_asyncio.fixture
async def tools(ann: Caller, sales: Path) -> AsyncIterator[ExecutorTools]:
    """The planner's way to an executor whose process for queries has started."""
    tools = ExecutorTools(ann.channel("executor"))
    await tools.probe(about(sales), [BY_REGION], ProbeLimits(seconds=10.0, each=10.0))
    yield tools
    await tools.close()


def about(sales: Path, *blocked: str) -> AnalysisRequest:
    return AnalysisRequest(
        request_id=new_id(),
        intent="total price by region",
        data_sources=(DataSource(file_path=str(sales)),),
        policy=Policy(blocked_patterns=blocked),
        timestamp=datetime(2025, 1, 1, tzinfo=UTC),
    )


async def test_readings_that_agree_are_seen_to_agree_whatever_becomes_of_others(
    tools: ExecutorTools, sales: Path
) -> None:
    limits = ProbeLimits(seconds=min(10.0, allowing(5.0)), each=0.3)

    one, failed, slow, other = await tools.probe(
        about(sales), [BY_REGION, WRONG, SLOW, AS_WELL], limits
    )

    assert one.multiset_digest == other.multiset_digest
    assert one.ordered_digest != other.ordered_digest
    assert (one.rows, one.more, len(one.glimpse)) == (3, False, 3)
    assert [column.name for column in other.columns] == ["where", "price"]
    assert (failed.state, failed.reason) == (ProbeState.FAILED, "MISSING_COLUMN")
    assert slow.state is ProbeState.CUT_OFF


async def test_values_arrive_as_they_left(tools: ExecutorTools, sales: Path) -> None:
    values = (True, 7, 0.5, "seven", date(2024, 2, 29), None)
    marks = ", ".join(f"? AS v{place}" for place in range(len(values)))

    (found,) = await tools.probe(
        about(sales), [ProbedQuery(sql=f"SELECT {marks}", params=values)], ProbeLimits()
    )

    assert found.glimpse == (values,)
    assert [type(one) for one in found.glimpse[0]] == [type(one) for one in values]


async def test_a_blocked_column_never_leaves(tools: ExecutorTools, sales: Path) -> None:
    queries = [
        ProbedQuery(sql="SELECT customer_email FROM sales"),
        ProbedQuery(sql='SELECT max("sales"."customer_email") AS x FROM "sales"'),
        ProbedQuery(sql="SELECT * FROM sales"),
        ProbedQuery(sql="SELECT sales FROM sales"),
        BY_REGION,
    ]

    named, aggregated, *others = await tools.probe(about(sales, "email"), queries, ProbeLimits())

    assert named.reason == aggregated.reason == "COLUMN_BLOCKED"
    assert "example.com" not in str(others)
    assert others[-1].state is ProbeState.OK


async def test_a_caller_that_goes_away_ends_it(ann: Caller, sales: Path) -> None:
    def wanted(query: ProbedQuery, seconds: float) -> pb.ProbeQueriesRequest:
        span = Duration()
        span.FromNanoseconds(int(seconds * 1e9))
        return pb.ProbeQueriesRequest(
            sources=[pb.Source(file_path=str(sales))],
            queries=[pb.ProbeQuery(sql=query.sql)],
            limits=pb.ProbeLimits(total=span, each=span),
        )

    async def state_within(seconds: float) -> int:
        answer = await ann.executor.ProbeQueries(wanted(BY_REGION, seconds))
        return int(answer.outcomes[0].state)

    endless = [ann.executor.ProbeQueries(wanted(SLOW, 10.0)) for _ in range(2)]
    while await state_within(0.2) != pb.PROBE_STATE_NOT_REACHED:
        assert not any(call.done() for call in endless)  # they have both places soon
    for call in endless:
        assert call.cancel()

    assert await state_within(5.0) == pb.PROBE_STATE_OK


async def test_too_many_queries_are_refused(tools: ExecutorTools, sales: Path) -> None:
    with pytest.raises(AssayError) as refused:
        await tools.probe(about(sales), [BY_REGION] * 201, ProbeLimits())

    assert refused.value.reason is INVALID_ARGUMENT


async def test_sources_of_others_are_not_there(ann: Caller) -> None:
    wanted = pb.ProbeQueriesRequest(
        sources=[pb.Source(content_digest="0" * 64)], queries=[pb.ProbeQuery(sql="SELECT 1")]
    )

    with pytest.raises(grpc.RpcError) as refused:
        await ann.executor.ProbeQueries(wanted)

    assert refused.value.code() is grpc.StatusCode.NOT_FOUND
