"""Translations round and divide by the types that DuckDB has, so these must be known rightly."""

from __future__ import annotations

import duckdb
import pytest
import sqlglot

from mesh.policy import Policy
from services.executor.engines.duckdb.determinism import free_of_order
from services.executor.engines.typed_tree import typed
from services.executor.engines.workspace import FlatTable, flat_tables
from services.executor.sources.prepared import PreparedSource
from tests.engines.spark_world import shop_without_server

EXPRESSIONS = (
    "1.5",
    "-(1.5)",
    "1.5e0",
    "w * 1.5",
    "n * w",
    "w * n",
    "n * d",
    "d * n",
    "w * n * d",
    "n + 0.5",
    "n + w",
    "n - id",
    "w / 2",
    "n / 2",
    "w // 2",
    "w % 2",
    "n % 2",
    "-n",
    "abs(n)",
    "round(n, 1)",
    "round(n)",
    "round(d, 1)",
    "floor(n)",
    "ceil(n)",
    "coalesce(w, n)",
    "nullif(n, w)",
    "nullif(w, n)",
    "greatest(w, n)",
    "greatest(n, d)",
    "CASE WHEN yes THEN w ELSE n END",
    "CASE WHEN yes THEN n ELSE d END",
    "if(yes, w, n)",
    "CAST(w AS DECIMAL(10, 2)) * d",
    "length(t) * 1.5",
    "year(day) * n",
    "sqrt(n)",
    "power(n, 2)",
    "least(1, 2.5)",
    "(w * n)",
    "sum(w)",
    "sum(w) * 1.5",
    "sum(n)",
    "sum(w * n)",
    "sum(n * d)",
    "sum(n) / count(*)",
    "avg(n)",
    "avg(w)",
    "count(*) * 0.5",
    "min(n)",
    "max(n) FILTER (WHERE yes)",
    "sum(DISTINCT n)",
    "sum(CASE WHEN yes THEN 1 ELSE 0 END)",
    "stddev(n)",
    "sum(n) OVER ()",
    "lag(n) OVER (ORDER BY w)",
)
FAMILIES = {
    "INT": "whole",
    "INTEGER": "whole",
    "BIGINT": "whole",
    "HUGEINT": "whole",
    "INT128": "whole",
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> PreparedSource:
    return shop_without_server(tmp_path_factory.mktemp("shop"))


@pytest.fixture(scope="module")
def tables(shop: PreparedSource) -> tuple[FlatTable, ...]:
    return flat_tables([shop], Policy())


def family(name: str) -> str:
    name = name.split("(")[0]
    return FAMILIES.get(name, name)


def test_every_value_has_the_type_that_duckdb_gives_it(
    shop: PreparedSource, tables: tuple[FlatTable, ...]
) -> None:
    with duckdb.connect(str(shop.database), read_only=True) as connection:
        for expression in EXPRESSIONS:
            statement = f"SELECT {expression} AS x FROM edges"
            (given,) = connection.sql(statement).types
            (output,) = typed(sqlglot.parse_one(statement, dialect="duckdb"), tables).selects  # type: ignore[attr-defined]
            assert family(str(output.type)) == family(str(given)), expression


@pytest.mark.parametrize(
    ("statement", "free"),
    [
        ("SELECT sum(n * w) FROM edges", True),
        ("SELECT sum(n * 1.5), avg(w), count(DISTINCT t) FROM edges", True),
        ("SELECT sum(n * d) FROM edges", False),
        ("SELECT avg(CASE WHEN yes THEN n ELSE d END) FROM edges", False),
    ],
)
def test_sums_of_floating_point_are_known_to_depend_on_the_order(
    statement: str, free: bool, tables: tuple[FlatTable, ...]
) -> None:
    assert free_of_order(statement, tables) is free
