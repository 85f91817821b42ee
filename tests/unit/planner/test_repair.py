"""Caps that were reached, failures of other kinds, and what holds for every repair."""

from __future__ import annotations

from typing import Any

import duckdb
import pytest
import sqlglot
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from services.planner.domain.analysis.repair import repair
from tests.thorough import times
from tests.unit.planner.failures import database, failed, mended

__all__ = ["database"]

GOOD = 'SELECT "CategoryName" FROM "Categories" WHERE "CategoryID" = 1'


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


def test_a_wide_pivot_may_be_as_wide_as_its_values_up_to_what_is_read() -> None:
    steps = [{"operation": "pivot", "columns": "day", "values": "n"}]
    details = {"column": "day", "limit": 100, "seen": 365, "step": 1}
    found = mended(failed("resource_exhausted", {"steps": steps}, details, "df.transform"))
    assert found.arguments["steps"][0]["max_columns"] == 365
    assert (
        repair(
            failed("resource_exhausted", {"steps": steps}, {**details, "seen": 776}, "df.transform")
        )
        is None
    )


@pytest.mark.parametrize("category", ["policy_denied", "internal", "cancelled"])
def test_other_failures_are_not_repaired(category: str) -> None:
    assert repair(failed(category, {"query": GOOD}, {"column": "CategoryName"})) is None


_FRAGMENTS = st.sampled_from(
    [
        "SELECT",
        "FORM",
        "FROM",
        '"Categories"',
        "`Products`",
        "CategoryName",
        "Weight",
        "SUM(",
        ")",
        "(",
        "'",
        '"',
        ",",
        ";",
        "WHERE",
        "= 1",
        "> 'x'",
        "GROUP BY",
        "CAST(Weight AS DOUBLE)",
        "“x”",
        "LIMIT 3",
        "UNION ALL",
        "WITH a AS (",
        "--",
        "*",
    ]
)
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
    max_examples=times(25, 300),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=True,
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
