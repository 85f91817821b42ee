"""Questions that analysts ask are not refused: of 200 at most one in a hundred."""

from __future__ import annotations

import itertools

from mesh.policy import Policy
from mesh.tool import ErrorCategory, ToolError
from services.executor.databases.relation import NotExpressible
from services.executor.engines.plan import Twins, planned
from services.executor.engines.spark_sql import spark_sql
from tests.engines.plans import PLANS
from tests.engines.world import Place
from tests.unit.executor.sql_benign import BENIGN

_MEASURES = ("sum(amount)", "avg(price)", "count(*)", "max(quantity)", "median(amount)")
_GROUPS = (
    "date_trunc('month', ordered_at)", "note", "quantity", "year(ordered_at)",
    "strftime(ordered_at, '%Y-%m')", "city", "vip", "CASE WHEN amount > 10 THEN 'big' END",
)  # fmt: skip
_CONDITIONS = ("", " WHERE amount > 5 AND note IS NOT NULL", " WHERE ordered_at >= '2021-02-01'")
ANALYSTS = tuple(
    f"SELECT {group} AS grp, {measure} AS value FROM orders JOIN customers USING (customer_id)"
    f"{condition} GROUP BY 1 ORDER BY value DESC NULLS LAST LIMIT 10"
    for group, measure, condition in itertools.product(_GROUPS, _MEASURES, _CONDITIONS)
)


def test_two_hundred_benign_queries_pass_the_walls(spark_places: dict[str, Place]) -> None:
    """A statement that Spark cannot say goes to DuckDB: no refusal, but it is counted."""
    queries = (BENIGN + PLANS + ANALYSTS)[:260]
    assert len(queries) >= 200
    place, twins = spark_places["spark"], Twins()
    refused, elsewhere = [], []
    for query in queries:
        try:
            plan = planned(place.sources, query, (), policy=Policy(), row_limit=1_000, twins=twins)
            spark_sql(plan, {table.name.casefold(): "v" for table in plan.used})
        except NotExpressible:
            elsewhere.append(query)
        except ToolError as refusal:
            assert refusal.category is ErrorCategory.POLICY_DENIED, query
            refused.append(query)
    assert len(refused) <= len(queries) // 100, refused
    assert len(elsewhere) <= len(queries) // 5, elsewhere


def test_spark_takes_what_the_walls_let_through(spark_places: dict[str, Place]) -> None:
    for query in ANALYSTS[::6]:
        spark_places["spark"].ask(query)
