"""Every function and operator that the guard allows means what the engine itself means by it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlglot
from sqlglot import exp

from mesh.policy import Policy
from mesh.tool import ErrorCategory, ToolError
from services.executor.engines.allowed import FUNCTIONS, GRAMMAR, SHAPES
from services.executor.engines.dialect import Faithful
from services.executor.engines.expressible import NotExpressible
from services.executor.engines.guard import guard
from services.executor.engines.known import KnownTable
from services.executor.engines.plan import Twins, planned
from services.executor.engines.postgres.translate import postgres_sql
from tests.engines.kinds import CASES, REFUSED, TABLE, of_rows
from tests.engines.test_same_frames import assert_same
from tests.engines.world import Place
from tests.thorough import some

KINDS = KnownTable("kinds", ("id", "i", "d", "n", "t", "day", "moment", "yes"))
# Met in statements of other tests: parameters, and names after a point.
ELSEWHERE = {"Placeholder"}


@pytest.fixture(scope="module")
def kinds() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute("SET threads = 1")
        connection.execute("SET TimeZone = 'UTC'")
        for statement in TABLE:
            connection.execute(statement)
        yield connection


def answer(connection: duckdb.DuckDBPyConnection, sql: str) -> Any:
    """Types and rows, or the kind of the error."""
    try:
        cursor = connection.execute(sql)
        kinds = [str(column[1]) for column in cursor.description or ()]
        # What was sorted by has lost the sign of a zero, and so has the original where it sorts.
        return kinds, re.sub(r"-0\.0\b(?!\d)", "0.0", repr(cursor.fetchall()))
    except duckdb.Error as error:
        return type(error).__name__


@pytest.mark.parametrize("sql", CASES)
def test_what_runs_answers_as_what_was_written(sql: str, kinds: duckdb.DuckDBPyConnection) -> None:
    expected = answer(kinds, sql)
    assert not isinstance(expected, str), f"not a case: {expected}"
    assert answer(kinds, guard(sql, [KINDS])) == expected


@pytest.mark.parametrize(("expression", "named"), REFUSED)
def test_what_is_not_run_is_named(expression: str, named: str) -> None:
    with pytest.raises(ToolError) as refusal:
        guard(of_rows(expression), [KINDS])
    assert refusal.value.category is ErrorCategory.POLICY_DENIED
    assert named in refusal.value.message


def test_everything_on_the_allow_list_has_a_case() -> None:
    called: set[str] = set()
    parts: set[str] = set()
    for sql in CASES:
        for node in sqlglot.parse_one(sql, dialect=Faithful).walk():
            parts.add(type(node).__name__)
            if isinstance(node, exp.Anonymous):
                called.add(str(node.this).lower())
    assert called >= FUNCTIONS, sorted(FUNCTIONS - called)
    assert parts | ELSEWHERE >= GRAMMAR | SHAPES, sorted((GRAMMAR | SHAPES) - parts)


def documented(heading: str) -> set[str]:
    """The names in a paragraph of docs/engines.md."""
    text = (Path(__file__).parents[2] / "docs" / "engines.md").read_text(encoding="utf-8")
    return set(re.findall(r"`(\w+)`", text.partition(f"**{heading}**")[2].partition("\n\n")[0]))


def test_the_documentation_names_what_is_allowed_and_where_it_is_computed(
    places: dict[str, Place],
) -> None:
    there, twins = set(), Twins()
    for sql in CASES:
        try:
            sources = places["postgres"].sources
            plan = planned(sources, sql, (), policy=Policy(), row_limit=10, twins=twins)
            postgres_sql(plan, {})
        except NotExpressible:
            continue
        tree = sqlglot.parse_one(sql, dialect=Faithful)
        there |= {str(node.this).lower() for node in tree.find_all(exp.Anonymous)}
    assert documented("In PostgreSQL, too:") == there
    assert documented("By DuckDB alone:") == FUNCTIONS - there


@pytest.mark.parametrize("sql", some(CASES, 250))
def test_postgres_answers_alike_or_is_not_asked(sql: str, places: dict[str, Place]) -> None:
    expected = places["duckdb"].ask(sql)
    try:
        found = places["postgres"].ask(sql)
    except NotExpressible:
        return
    assert_same(expected, found)
