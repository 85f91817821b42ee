"""Questions that analysts ask are not refused: of 200 at most one in a hundred."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pytest

from mesh.policy import Policy
from mesh.tool import ErrorCategory, ToolError
from services.executor.engines.expressible import NotExpressible
from services.executor.engines.plan import Twins, planned
from services.executor.engines.spark.translate import spark_sql
from tests.engines.plans import PLANS
from tests.engines.test_same_frames import assert_same
from tests.engines.world import Place
from tests.thorough import some
from tests.unit.executor.sql_benign import BENIGN

_MEASURES = ("sum(amount)", "avg(price)", "count(*)", "max(quantity)", "median(amount)")
_GROUPS = (
    "date_trunc('month', ordered_at)",
    "note",
    "quantity",
    "year(ordered_at)",
    "strftime(ordered_at, '%Y-%m')",
    "city",
    "vip",
    "CASE WHEN amount > 10 THEN 'big' END",
)
_CONDITIONS = ("", " WHERE amount > 5 AND note IS NOT NULL", " WHERE ordered_at >= '2021-02-01'")
ANALYSTS = tuple(
    f"SELECT {group} AS grp, {measure} AS value FROM orders JOIN customers USING (customer_id)"
    f"{condition} GROUP BY 1 ORDER BY value DESC NULLS LAST LIMIT 10"
    for group, measure, condition in itertools.product(_GROUPS, _MEASURES, _CONDITIONS)
)


QUERIES = tuple(dict.fromkeys(BENIGN + PLANS + ANALYSTS))[:260]
PARTS, AT_ONCE = 4, 4
MOST = 60


def test_two_hundred_benign_queries_pass_the_walls(spark_places: dict[str, Place]) -> None:
    """A statement that Spark cannot say goes to DuckDB: no refusal, but it is counted."""
    assert len(QUERIES) >= 200
    place, twins = spark_places["spark"], Twins()
    refused, elsewhere = [], []
    for query in QUERIES:
        try:
            plan = planned(place.sources, query, (), policy=Policy(), row_limit=1_000, twins=twins)
            spark_sql(plan, {table.name.casefold(): "v" for table in plan.used})
        except NotExpressible:
            elsewhere.append(query)
        except ToolError as refusal:
            assert refusal.category is ErrorCategory.POLICY_DENIED, query
            refused.append(query)
    assert len(refused) <= len(QUERIES) // 100, refused
    assert len(elsewhere) <= len(QUERIES) // 5, elsewhere


def outcome(place: Place, query: str) -> pa.Table | ErrorCategory | None:
    """The frame, how a value was refused, or None for what is computed elsewhere."""
    try:
        return place.ask(query)
    except ToolError as refusal:
        return refusal.category
    except NotExpressible:
        return None


@pytest.mark.parametrize("part", range(PARTS))
def test_spark_answers_them_as_duckdb_does(part: int, spark_places: dict[str, Place]) -> None:
    # The plans have a test of their own, each.
    queries = some([query for query in QUERIES if query not in PLANS], MOST)[part::PARTS]
    with ThreadPoolExecutor(AT_ONCE) as threads:
        found = list(threads.map(lambda query: outcome(spark_places["spark"], query), queries))
    for query, answer in zip(queries, found, strict=True):
        expected = outcome(spark_places["duckdb"], query)
        if isinstance(answer, pa.Table) and isinstance(expected, pa.Table):
            assert_same(expected, answer)
        elif answer is not None:
            assert answer == expected, query
    assert sum(isinstance(answer, pa.Table) for answer in found) >= 0.75 * len(queries)
