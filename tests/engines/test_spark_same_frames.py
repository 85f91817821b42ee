"""The same plan gives the same frame on Spark as on DuckDB; what Spark cannot say is named here."""

from __future__ import annotations

from typing import Any

import pytest

from services.executor.engines.expressible import NotExpressible
from tests.engines.plans import ASKED, PLANS
from tests.engines.test_same_frames import assert_same
from tests.engines.world import Place

# What makes a statement one that Spark is not asked: there it would mean something else, or give
# another value from run to run. The engine that is chosen by itself is then DuckDB.
NAMED = {
    "percentile_cont": "quantiles of decimals are given in another type",
    "amount::VARCHAR": "floating-point numbers are written in another way (1e+20, 1.0E20)",
    "'a' || amount": "floating-point numbers are written in another way",
    "date_diff('week'": "weeks between dates are counted in another way",
    "concat(name, NULL": "an empty value has no type there",
    "mode(": "ties are broken by the order of rows",
    "list(": "lists are not made",
    "any_value(": "which value it is depends on the order of rows",
    "RECURSIVE": "recursion is not sent to a shared server",
    "regexp_replace(note, '[a-z]', 'x'),": "Spark always replaces every match",
    "HAVING grouping(": "grouping() of a condition is not resolved there",
    "DISTINCT ON": "which row is kept depends on the order of rows",
    "unnest(": "lists are not made",
}


@pytest.mark.parametrize("sql", PLANS)
def test_spark_gives_the_same_frame(sql: str, spark_places: dict[str, Place]) -> None:
    expected = spark_places["duckdb"].ask(sql)
    try:
        found = spark_places["spark"].ask(sql)
    except NotExpressible:
        assert any(part in sql for part in NAMED)
    else:
        assert_same(expected, found)


@pytest.mark.parametrize(("sql", "parameters"), ASKED)
def test_parameters_mean_the_same(
    sql: str, parameters: list[Any], spark_places: dict[str, Place]
) -> None:
    assert_same(
        spark_places["duckdb"].ask(sql, parameters), spark_places["spark"].ask(sql, parameters)
    )
