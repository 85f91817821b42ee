"""MariaDB gives the frames that DuckDB gives, or is not asked.

Starts a MariaDB server: what it means by a function only it can tell.
"""

from __future__ import annotations

from typing import Any

import pytest
import sqlglot
from sqlglot import exp

from mesh.policy import Policy
from mesh.tool import ErrorCategory, ToolError
from services.executor.engines.dialect import Faithful
from services.executor.engines.expressible import NotExpressible
from services.executor.engines.mysql.limits import collation_of
from services.executor.engines.mysql.translate import mysql_sql
from services.executor.engines.plan import Twins, planned
from tests.engines.benign import BENIGN
from tests.engines.edges import EDGES, WRONG
from tests.engines.kinds import CASES
from tests.engines.plans import ASKED, PLANS
from tests.engines.test_edges import compare, refused
from tests.engines.test_meaning import documented
from tests.engines.test_same_frames import assert_same
from tests.engines.world import Place
from tests.thorough import some

# There are no medians, and some statements need what it has not.
LEAST_PUSHED_DOWN = 0.8


@pytest.mark.parametrize("sql", PLANS)
def test_a_plan_gives_the_same_frame_wherever_it_runs(
    sql: str, mysql_places: dict[str, Place]
) -> None:
    assert_same(mysql_places["duckdb"].ask(sql), mysql_places["chosen"].ask(sql))


@pytest.mark.parametrize(("sql", "parameters"), ASKED)
def test_parameters_mean_the_same(
    sql: str, parameters: list[Any], mysql_places: dict[str, Place]
) -> None:
    expected = mysql_places["duckdb"].ask(sql, parameters)
    assert_same(expected, mysql_places["mysql"].ask(sql, parameters))


@pytest.mark.parametrize("sql", EDGES)
def test_the_edges_are_the_same_or_not_asked(sql: str, mysql_places: dict[str, Place]) -> None:
    compare(sql, mysql_places["duckdb"], "mysql", mysql_places["mysql"])


@pytest.mark.parametrize("sql", EDGES[::4])
def test_copies_hold_the_same(sql: str, mysql_places: dict[str, Place]) -> None:
    assert_same(mysql_places["duckdb"].ask(sql), mysql_places["copies"].ask(sql))


@pytest.mark.parametrize("sql", some(CASES, 250))
def test_a_function_means_the_same_or_is_not_asked(
    sql: str, mysql_places: dict[str, Place]
) -> None:
    expected = mysql_places["duckdb"].ask(sql)
    try:
        found = mysql_places["mysql"].ask(sql)
    except NotExpressible:
        return
    assert_same(expected, found)


@pytest.mark.parametrize("sql", WRONG)
def test_a_value_that_does_not_fit_is_told_the_same_way(
    sql: str, mysql_places: dict[str, Place]
) -> None:
    try:
        mysql_places["duckdb"].ask(sql)
    except ToolError as error:
        assert error.category is ErrorCategory.TYPE_MISMATCH
        assert refused(mysql_places["mysql"], sql) in (ErrorCategory.TYPE_MISMATCH, None)


def test_the_documentation_names_what_runs_there(mysql_places: dict[str, Place]) -> None:
    there, twins = set(), Twins()
    for sql in CASES:
        try:
            sources = mysql_places["mysql"].sources
            plan = planned(sources, sql, (), policy=Policy(), row_limit=10, twins=twins)
            mysql_sql(plan, collation_of(is_mariadb=True), {})
        except NotExpressible:
            continue
        tree = sqlglot.parse_one(sql, dialect=Faithful)
        there |= {str(node.this).lower() for node in tree.find_all(exp.Anonymous)}
    assert documented("In MySQL and MariaDB, too:") == there


def test_most_honest_queries_run_inside_the_database(mysql_places: dict[str, Place]) -> None:
    copied, asked = [], BENIGN[::2]
    for sql in asked:
        try:
            mysql_places["mysql"].ask(sql)
        except NotExpressible as reason:
            copied.append(f"{reason}: {sql}")
    assert len(copied) <= (1 - LEAST_PUSHED_DOWN) * len(asked), copied
