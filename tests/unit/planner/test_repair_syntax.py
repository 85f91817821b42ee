"""Statements that cannot be parsed are mended, and what is no query is left alone."""

from __future__ import annotations

import duckdb
import pytest

from services.planner.domain.analysis.repair import repair
from tests.unit.planner.failures import database, failed, mended

__all__ = ["database"]

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
