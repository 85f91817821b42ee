"""A database that is asked through a target gives the frames that DuckDB gives, or is not asked."""

from __future__ import annotations

from typing import Any

import pytest

from mesh.tool import ErrorCategory, ToolError
from services.executor.engines.engine import ENGINE_KEY
from services.executor.engines.expressible import NotExpressible
from tests.engines.benign import BENIGN
from tests.engines.edges import EDGES, WRONG
from tests.engines.kinds import CASES
from tests.engines.plans import ASKED, PLANS
from tests.engines.pushdown.kinds import DIFFERS, ENGINES, LEAST_PUSHED_DOWN
from tests.engines.test_edges import refused
from tests.engines.test_same_frames import assert_same
from tests.engines.world import Place
from tests.thorough import some

pytestmark = pytest.mark.parametrize("engine", ENGINES)


def same_or_not_asked(sql: str, engine: str, shop: dict[str, Place]) -> bool:
    """Whether it was asked there, where the frame is the same."""
    if any(word in sql for word in DIFFERS[engine]):
        return True
    expected = shop["duckdb"].ask(sql)
    try:
        found = shop["there"].ask(sql)
    except NotExpressible:
        return False
    assert_same(expected, found)
    return True


@pytest.mark.parametrize("sql", some(PLANS, 25))
def test_a_plan_gives_the_same_frame_wherever_it_runs(
    sql: str, engine: str, shop: dict[str, Place]
) -> None:
    if not any(word in sql for word in DIFFERS[engine]):
        assert_same(shop["duckdb"].ask(sql), shop["chosen"].ask(sql))


@pytest.mark.parametrize(("sql", "parameters"), ASKED)
def test_parameters_mean_the_same(
    sql: str, parameters: list[Any], engine: str, shop: dict[str, Place]
) -> None:
    found = shop["there"].ask(sql, parameters)
    assert_same(shop["duckdb"].ask(sql, parameters), found)
    assert found.schema.metadata[ENGINE_KEY] == engine.encode()


@pytest.mark.parametrize("sql", some(EDGES, 25))
def test_the_edges_are_the_same_or_not_asked(sql: str, engine: str, shop: dict[str, Place]) -> None:
    same_or_not_asked(sql, engine, shop)


@pytest.mark.parametrize("sql", EDGES[::18])
def test_copies_hold_the_same(sql: str, engine: str, shop: dict[str, Place]) -> None:
    del engine
    assert_same(shop["duckdb"].ask(sql), shop["copies"].ask(sql))


@pytest.mark.parametrize("sql", some(CASES, 30))
def test_a_function_means_the_same_or_is_not_asked(
    sql: str, engine: str, shop: dict[str, Place]
) -> None:
    same_or_not_asked(sql, engine, shop)


@pytest.mark.parametrize("sql", WRONG[::2])
def test_a_value_that_does_not_fit_is_told_the_same_way(
    sql: str, engine: str, shop: dict[str, Place]
) -> None:
    del engine
    try:
        shop["duckdb"].ask(sql)
    except ToolError as error:
        assert error.category is ErrorCategory.TYPE_MISMATCH
        assert refused(shop["there"], sql) in (ErrorCategory.TYPE_MISMATCH, None)


def test_most_honest_queries_run_there(engine: str, shop: dict[str, Place]) -> None:
    asked = BENIGN[::7]
    there = [sql for sql in asked if same_or_not_asked(sql, engine, shop)]
    assert len(there) >= LEAST_PUSHED_DOWN[engine] * len(asked)
