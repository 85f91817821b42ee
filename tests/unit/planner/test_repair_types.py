"""Texts that are computed with are read as numbers or dates where they are some."""

from __future__ import annotations

import duckdb

from services.planner.domain.analysis.repair import repair
from tests.unit.planner.failures import database, failed, mended

__all__ = ["database"]


def test_a_text_that_is_summed_is_read_as_numbers(database: duckdb.DuckDBPyConnection) -> None:
    query = 'SELECT SUM("Weight") AS total, COUNT("Weight") AS n FROM "Products"'
    found = mended(failed("type_mismatch", {"query": query}, {"call": "sum(VARCHAR)"}))
    assert found.reason == 'read "Weight" as numbers'
    assert found.caveat == 'Values of "Weight" that are not numbers were left out.'
    assert database.execute(found.arguments["query"]).fetchall() == [(22.5, 3)]


def test_a_text_compared_with_a_number_is_read_as_a_number(
    database: duckdb.DuckDBPyConnection,
) -> None:
    query = 'SELECT COUNT(*) FROM "Products" WHERE "Weight" > 11'
    found = mended(failed("type_mismatch", {"query": query}, {"type": "INT32"}))
    assert database.execute(found.arguments["query"]).fetchall() == [(1,)]


def test_a_text_in_a_time_function_is_read_as_a_time(
    database: duckdb.DuckDBPyConnection,
) -> None:
    query = 'SELECT YEAR("Added") AS y FROM "Products" GROUP BY y'
    found = mended(failed("type_mismatch", {"query": query}, {"call": "year(VARCHAR)"}))
    assert found.reason == 'read "Added" as dates'
    assert database.execute(found.arguments["query"]).fetchall() == [(1997,)]


def test_a_cast_that_fails_on_a_value_gives_null_instead(
    database: duckdb.DuckDBPyConnection,
) -> None:
    query = 'SELECT CAST("Weight" AS DOUBLE) AS w FROM "Products" ORDER BY w'
    found = mended(failed("type_mismatch", {"query": query}, {"type": "DOUBLE"}))
    assert database.execute(found.arguments["query"]).fetchall() == [(10.0,), (12.5,), (None,)]


def test_a_transform_gets_a_derive_step_before_the_one_that_failed() -> None:
    steps = [
        {"operation": "sort", "by": [{"column": "amount"}]},
        {"operation": "aggregate", "by": [], "measures": [{"function": "sum", "column": "amount"}]},
    ]
    details = {"column": "amount", "type": "VARCHAR", "operation": "sum", "step": 2}
    found = mended(failed("type_mismatch", {"steps": steps}, details, "df.transform"))
    assert found.arguments["steps"][1] == {
        "operation": "derive",
        "column": "amount",
        "expression": 'TRY_CAST("amount" AS DOUBLE)',
    }
    again = failed("type_mismatch", found.arguments, {**details, "step": 3}, "df.transform")
    assert repair(again) is None


def test_a_chart_of_texts_has_no_repair() -> None:
    details = {"column": "name", "type": "string"}
    arguments = {"type": "bar", "x_col": "a", "y_col": "name", "title": "t"}
    assert repair(failed("type_mismatch", arguments, details, "plot.render")) is None
