"""Names that are not there become the ones that were meant."""

from __future__ import annotations

import duckdb

from services.planner.domain.analysis.repair import repair
from tests.unit.planner.failures import database, failed, mended

__all__ = ["database"]


def test_a_misspelt_column_becomes_the_one_that_was_meant(
    database: duckdb.DuckDBPyConnection,
) -> None:
    query = 'SELECT categry, COUNT(*) AS n FROM "Categories" GROUP BY categry ORDER BY categry'
    found = mended(
        failed(
            "missing_column",
            {"query": query, "params": []},
            {"column": "categry", "candidates": ["CategoryName", "CategoryID"]},
        )
    )
    assert found.reason == 'column "categry" → "CategoryName"'
    assert "categry" not in found.arguments["query"]
    assert found.arguments["params"] == []
    assert database.execute(found.arguments["query"]).fetchall() == [("Seafood", 1)]


def test_a_qualified_column_is_looked_for_in_its_own_table(
    database: duckdb.DuckDBPyConnection,
) -> None:
    query = (
        'SELECT p.Name FROM "Products" AS p JOIN "Categories" AS c ON p.CategoryID = c.CategoryID'
    )
    details = {"column": "Name", "candidates": ["CategoryName", "ProductName"]}
    found = mended(failed("missing_column", {"query": query}, details))
    assert found.reason == 'column "Name" → "ProductName"'
    assert len(database.execute(found.arguments["query"]).fetchall()) == 3


def test_a_name_that_failed_before_is_not_tried_again() -> None:
    details = {"column": "CategoryNam", "candidates": ["CategoryName", "CategoryID"]}
    found = mended(
        failed(
            "missing_column",
            {"query": 'SELECT CategoryNam FROM "Categories"'},
            details,
            change_reason='column "CategoryName" → "CategoryNam"',
        )
    )
    assert found.reason == 'column "CategoryNam" → "CategoryID"'


def test_an_output_of_the_query_itself_may_be_meant() -> None:
    query = 'SELECT SUM("UnitPrice") AS revenue FROM "Products" ORDER BY revenu'
    found = mended(failed("missing_column", {"query": query}, {"column": "revenu"}))
    assert 'ORDER BY "revenue"' in found.arguments["query"]


def test_a_text_in_double_quotes_becomes_a_text(database: duckdb.DuckDBPyConnection) -> None:
    query = 'SELECT "CategoryID" FROM "Categories" WHERE "CategoryName" = "Zzyx 9"'
    details = {"column": "Zzyx 9", "candidates": []}
    found = mended(failed("missing_column", {"query": query}, details))
    assert "= 'Zzyx 9'" in found.arguments["query"]
    assert database.execute(found.arguments["query"]).fetchall() == []


def test_a_misspelt_table_is_found_and_its_columns_still_mean_it(
    database: duckdb.DuckDBPyConnection,
) -> None:
    query = "SELECT categorys.CategoryName FROM categorys"
    found = mended(
        failed("missing_column", {"query": query}, {"table": "categorys", "candidates": []})
    )
    assert found.reason == 'table "categorys" → "Categories"'
    assert database.execute(found.arguments["query"]).fetchall() == [("Seafood",)]


def test_nothing_like_it_means_no_repair() -> None:
    query = 'SELECT xqzvw FROM "Categories"'
    given_failure = failed("missing_column", {"query": query}, {"column": "xqzvw"})
    assert repair(given_failure) is None


def test_transform_steps_are_mended_from_the_frames_own_columns() -> None:
    steps = [
        {"operation": "select", "columns": ["country"]},
        {
            "operation": "aggregate",
            "by": ["contry"],
            "measures": [{"function": "sum", "column": "sales", "name": "contry"}],
        },
    ]
    details = {"column": "contry", "candidates": ["country", "sales"], "step": 2}
    found = mended(
        failed("missing_column", {"input": "load", "steps": steps}, details, "df.transform")
    )
    second = found.arguments["steps"][1]
    assert second["by"] == ["country"]
    assert second["measures"][0]["name"] == "contry", "a new column's name is no reference"
    assert found.arguments["steps"][0] == steps[0]


def test_an_expression_and_renames_are_mended_too() -> None:
    steps = [
        {"operation": "derive", "column": "net", "expression": "prise * (1 - discount)"},
        {"operation": "select", "rename": {"prise": "Price"}},
        {"operation": "join", "right": "prise", "on": [{"left": "prise", "right": "prise"}]},
    ]
    details = {"column": "prise", "candidates": ["price", "discount"]}
    found = mended(failed("missing_column", {"steps": steps}, details, "df.transform"))
    derive, select, join = found.arguments["steps"]
    assert derive["expression"] == '"price" * (1 - discount)'
    assert select["rename"] == {"price": "Price"}
    assert join == {
        "operation": "join",
        "right": "prise",
        "on": [{"left": "price", "right": "price"}],
    }


def test_a_chart_is_mended_in_its_axes_not_in_its_title() -> None:
    arguments = {"type": "bar", "x_col": "Countri", "y_col": "n", "title": "Countri"}
    details = {"column": "Countri", "candidates": ["Country", "n"]}
    found = mended(failed("missing_column", arguments, details, "plot.render"))
    assert found.arguments == {**arguments, "x_col": "Country"}
