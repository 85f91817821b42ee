"""Repairs: each error category is mended the way a person would, or left alone."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import duckdb
import pytest
import sqlglot
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from services.planner.domain.calls import Observation, ObservationStatus, ToolCall
from services.planner.domain.catalogue import Catalogue, Column, ColumnRole, DataType, Table
from services.planner.domain.decision import Repair, RepairInput
from services.planner.domain.repair import repair
from services.planner.domain.request import AnalysisRequest, DataSource

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def column(name: str, kind: DataType = DataType.STRING) -> Column:
    return Column(name=name, data_type=kind, role=ColumnRole.DIMENSION)


CATALOGUE = Catalogue(
    tables=(
        Table(
            name="Categories",
            source_name="northwind",
            rows=8,
            columns=(column("CategoryID", DataType.INTEGER), column("CategoryName")),
        ),
        Table(
            name="Products",
            source_name="northwind",
            rows=77,
            columns=(
                column("ProductName"),
                column("CategoryID", DataType.INTEGER),
                column("UnitPrice", DataType.FLOAT),
                column("Weight"),
                column("Added"),
            ),
        ),
    )
)


@pytest.fixture
def database() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute(
            'CREATE TABLE "Categories" AS SELECT 1 AS "CategoryID", \'Seafood\' AS "CategoryName"'
        )
        connection.execute(
            'CREATE TABLE "Products" AS SELECT \'Chai\' AS "ProductName", 1 AS "CategoryID", '
            '18.0 AS "UnitPrice", w AS "Weight", \'1997-05-03\' AS "Added" '
            "FROM (VALUES ('10'), ('12.5'), ('n/a')) AS t(w)"
        )
        yield connection


def failed(
    category: str,
    arguments: dict[str, Any],
    details: dict[str, Any],
    tool: str = "sql.run",
    seconds_left: float = 20.0,
    change_reason: str = "",
) -> RepairInput:
    request = AnalysisRequest(
        request_id="r" * 32,
        intent="?",
        data_sources=(DataSource(file_path="northwind.sqlite"),),
        timestamp=NOW,
    )
    call = ToolCall(
        call_id="c" * 32,
        task_id="load",
        tool_name=tool,
        arguments=arguments,
        timestamp=NOW,
        change_reason=change_reason,
    )
    observation = Observation(
        observation_id="o" * 32,
        call_id="c" * 32,
        status=ObservationStatus.ERROR,
        error_message="it failed",
        error_category=category,
        error_details=details,
        execution_time_seconds=0.01,
        timestamp=NOW,
    )
    return RepairInput(
        request=request,
        catalogue=CATALOGUE,
        call=call,
        observation=observation,
        seconds_left=seconds_left,
    )


def mended(given: RepairInput) -> Repair:
    found = repair(given)
    assert found is not None
    assert found.arguments != given.call.arguments
    assert repair(given) == found, "the same failure is mended the same way"
    return found


# -- missing columns and tables -------------------------------------------------------------------


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
    assert join == {"operation": "join", "right": "prise",
                    "on": [{"left": "price", "right": "price"}]}  # fmt: skip


def test_a_chart_is_mended_in_its_axes_not_in_its_title() -> None:
    arguments = {"type": "bar", "x_col": "Countri", "y_col": "n", "title": "Countri"}
    details = {"column": "Countri", "candidates": ["Country", "n"]}
    found = mended(failed("missing_column", arguments, details, "plot.render"))
    assert found.arguments == {**arguments, "x_col": "Country"}


# -- types ----------------------------------------------------------------------------------------


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
    steps = [{"operation": "sort", "by": [{"column": "amount"}]},
             {"operation": "aggregate", "by": [], "measures": [
                 {"function": "sum", "column": "amount"}]}]  # fmt: skip
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


# -- syntax ---------------------------------------------------------------------------------------

GOOD = 'SELECT "CategoryName" FROM "Categories" WHERE "CategoryID" = 1'


@pytest.mark.parametrize(
    "broken",
    [
        "SELECT `CategoryName` FROM `Categories` WHERE `CategoryID` = 1;",
        "```sql\nSELECT CategoryName FROM Categories WHERE (CategoryID = 1\n```",
        "SELECT “CategoryName” FROM “Categories” WHERE “CategoryID” = 1",
        "SELECT CategoryName, FROM Categories WHERE (CategoryID = 1)) ",
        "SELECT [CategoryName] FROM [Categories] WHERE [CategoryID] = 1",
        "SELECT TOP 5 [CategoryName] FROM [Categories]",
        "SELCT CategoryName FROM Categories WHERE CategoryID = 1",
        "SELECT CategoryName FORM Categories WHERE CategoryID = 1",
        "SELECT CategoryName FROM Categories WHERE CategoryName = 'Seafood",
    ],
)
def test_a_statement_that_cannot_be_parsed_is_mended(
    broken: str, database: duckdb.DuckDBPyConnection
) -> None:
    found = mended(failed("sql_syntax", {"query": broken}, {}))
    assert database.execute(found.arguments["query"]).fetchall() == [("Seafood",)]
    assert found.reason


def test_a_column_that_was_not_grouped_is_grouped(database: duckdb.DuckDBPyConnection) -> None:
    query = 'SELECT "CategoryID", "ProductName", COUNT(*) AS n FROM "Products" GROUP BY 1'
    found = mended(failed("sql_syntax", {"query": query}, {"column": "ProductName"}))
    assert found.reason == 'grouped by "ProductName" too'
    assert database.execute(found.arguments["query"]).fetchall() == [(1, "Chai", 3)]


@pytest.mark.parametrize("query", ["what are sales", "SELECT FROM WHERE ((", "", "DROP TABLE x;"])
def test_what_is_no_query_is_left_alone(query: str) -> None:
    assert repair(failed("sql_syntax", {"query": query}, {})) is None


def test_a_good_statement_is_not_repaired_into_itself() -> None:
    assert repair(failed("sql_syntax", {"query": GOOD}, {})) is None
    assert repair(failed("sql_syntax", {"query": GOOD + " ;"}, {})) is None


# -- limits ---------------------------------------------------------------------------------------


def test_too_many_rows_are_cut_in_a_stated_order(database: duckdb.DuckDBPyConnection) -> None:
    query = 'SELECT "Weight" FROM "Products" ORDER BY "Weight" DESC'
    details = {"limit": 2, "seen": 3, "unit": "rows"}
    found = mended(failed("resource_exhausted", {"query": query}, details))
    assert found.caveat == (
        'Only the first 2 rows were used, ordered by "Weight" DESC; there are more.'
    )
    assert database.execute(found.arguments["query"]).fetchall() == [("n/a",), ("12.5",)]


def test_rows_without_an_order_are_ordered_by_all_columns_before_the_cut(
    database: duckdb.DuckDBPyConnection,
) -> None:
    query = 'SELECT "Weight" FROM "Products"'
    details = {"limit": 2, "seen": 3, "unit": "rows"}
    found = mended(failed("resource_exhausted", {"query": query}, details))
    assert "ordered by all columns" in found.caveat
    assert database.execute(found.arguments["query"]).fetchall() == [("10",), ("12.5",)]


def test_a_call_that_limited_itself_below_the_request_gets_the_requests_limit() -> None:
    details = {"limit": 100, "seen": 101, "unit": "rows"}
    found = mended(failed("resource_exhausted", {"query": GOOD, "row_limit": 100}, details))
    assert found.arguments == {"query": GOOD, "row_limit": 200_000}


def test_a_query_with_its_own_limit_is_not_cut_further() -> None:
    details = {"limit": 5, "seen": 6, "unit": "rows"}
    assert repair(failed("resource_exhausted", {"query": GOOD + " LIMIT 9"}, details)) is None


def test_a_short_timeout_is_raised_to_what_is_left() -> None:
    details = {"limit": 2, "unit": "seconds"}
    found = mended(failed("resource_exhausted", {"query": GOOD, "timeout": 2}, details))
    assert found.arguments["timeout"] == 20
    assert repair(failed("resource_exhausted", found.arguments, details, seconds_left=1)) is None
    assert repair(failed("resource_exhausted", {"query": GOOD}, details)) is None


def test_memory_that_ran_out_has_no_repair() -> None:
    assert repair(failed("resource_exhausted", {"query": GOOD}, {"limit": "memory"})) is None


def test_a_wide_pivot_may_be_as_wide_as_its_values_up_to_the_tools_own_limit() -> None:
    steps = [{"operation": "pivot", "columns": "day", "values": "n"}]
    details = {"column": "day", "limit": 100, "seen": 365, "step": 1}
    found = mended(failed("resource_exhausted", {"steps": steps}, details, "df.transform"))
    assert found.arguments["steps"][0]["max_columns"] == 365
    assert repair(failed("resource_exhausted", {"steps": steps}, {**details, "seen": 5_000},
                         "df.transform")) is None  # fmt: skip


@pytest.mark.parametrize("category", ["policy_denied", "internal", "cancelled", "unheard_of"])
def test_other_failures_are_not_repaired(category: str) -> None:
    assert repair(failed(category, {"query": GOOD}, {"column": "CategoryName"})) is None


# -- whatever comes -------------------------------------------------------------------------------

_FRAGMENTS = st.sampled_from(
    ["SELECT", "FORM", "FROM", '"Categories"', "`Products`", "CategoryName", "Weight", "SUM(", ")",
     "(", "'", '"', ",", ";", "WHERE", "= 1", "> 'x'", "GROUP BY", "CAST(Weight AS DOUBLE)",
     "“x”", "LIMIT 3", "UNION ALL", "WITH a AS (", "--", "*"]
)  # fmt: skip
_DETAILS = st.fixed_dictionaries(
    {},
    optional={
        "column": st.sampled_from(["Weight", "categry", "nothing", ""]),
        "table": st.sampled_from(["Categorie", "zz"]),
        "candidates": st.lists(st.sampled_from(["CategoryName", "Weight"]), max_size=2),
        "call": st.just("sum(VARCHAR)"),
        "limit": st.one_of(st.integers(0, 300_000), st.just("memory"), st.floats(0, 9)),
        "unit": st.sampled_from(["rows", "seconds"]),
        "seen": st.integers(0, 10),
    },
)


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
@given(
    words=st.lists(_FRAGMENTS, max_size=12),
    category=st.sampled_from(
        ["missing_column", "type_mismatch", "sql_syntax", "resource_exhausted"]
    ),
    details=_DETAILS,
)
def test_whatever_a_repair_returns_differs_and_parses(
    words: list[str], category: str, details: dict[str, Any]
) -> None:
    arguments = {"query": " ".join(words), "params": []}
    found = repair(failed(category, arguments, details))
    if found is None:
        return
    assert found.arguments != arguments
    assert found.reason
    tree = sqlglot.parse_one(found.arguments["query"], dialect="duckdb")
    assert isinstance(tree, sqlglot.exp.Query)
