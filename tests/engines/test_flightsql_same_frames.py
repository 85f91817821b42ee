"""A DuckDB behind a Flight SQL server gives the frames that the one here gives, or is not asked."""

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
from tests.engines.test_edges import refused
from tests.engines.test_same_frames import assert_same
from tests.engines.world import Place
from tests.thorough import some


@pytest.mark.parametrize("sql", PLANS)
def test_a_plan_gives_the_same_frame(sql: str, flight_places: dict[str, Place]) -> None:
    expected = flight_places["duckdb"].ask(sql)
    found = flight_places["chosen"].ask(sql)
    assert_same(expected, found)
    assert found.schema.metadata[ENGINE_KEY] == b"flightsql"


@pytest.mark.parametrize(("sql", "parameters"), ASKED)
def test_parameters_mean_the_same(
    sql: str, parameters: list[Any], flight_places: dict[str, Place]
) -> None:
    expected = flight_places["duckdb"].ask(sql, parameters)
    assert_same(expected, flight_places["flightsql"].ask(sql, parameters))


@pytest.mark.parametrize("sql", EDGES)
def test_the_edges_are_the_same(sql: str, flight_places: dict[str, Place]) -> None:
    assert_same(flight_places["duckdb"].ask(sql), flight_places["flightsql"].ask(sql))


@pytest.mark.parametrize("sql", EDGES[::4])
def test_copies_hold_the_same(sql: str, flight_places: dict[str, Place]) -> None:
    assert_same(flight_places["duckdb"].ask(sql), flight_places["copies"].ask(sql))


@pytest.mark.parametrize("sql", some(CASES, 80))
def test_a_function_means_the_same(sql: str, flight_places: dict[str, Place]) -> None:
    assert_same(flight_places["duckdb"].ask(sql), flight_places["flightsql"].ask(sql))


@pytest.mark.parametrize("sql", WRONG)
def test_a_value_that_does_not_fit_is_told_the_same_way(
    sql: str, flight_places: dict[str, Place]
) -> None:
    try:
        flight_places["duckdb"].ask(sql)
    except ToolError as error:
        assert error.category is ErrorCategory.TYPE_MISMATCH
        assert refused(flight_places["flightsql"], sql) is ErrorCategory.TYPE_MISMATCH


def test_every_honest_query_runs_behind_the_server(flight_places: dict[str, Place]) -> None:
    copied = []
    for sql in BENIGN[::4]:
        try:
            flight_places["flightsql"].ask(sql)
        except NotExpressible as reason:
            copied.append(f"{reason}: {sql}")
    assert copied == []
