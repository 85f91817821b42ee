"""Time, rows and bytes end a query inside the Flight SQL server; the server goes on."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from mesh.tool import ErrorCategory
from services.executor.engines.flightsql.engine import FlightEngine
from tests.engines.flight_server import DuckDBFlightServer, flight_server
from tests.engines.flight_world import opened
from tests.engines.test_limits import CARTESIAN, ENDLESS, LARGE, SOON, failure
from tests.engines.world import Place


@pytest.mark.parametrize("sql", [ENDLESS, CARTESIAN])
def test_time_ends_a_query_inside_the_server(
    sql: str, flight_places: dict[str, Place], flight_shop: DuckDBFlightServer
) -> None:
    error, seconds = failure(flight_places["flightsql"], sql, seconds=0.5)
    assert error.category is ErrorCategory.RESOURCE_EXHAUSTED
    assert error.details["unit"] == "seconds"
    assert seconds < 0.5 + SOON
    flight_shop.idle(SOON)
    rows = flight_places["flightsql"].ask("SELECT count(*) AS n FROM orders").to_pylist()
    assert rows == [{"n": 120}]


def test_a_cancelled_query_ends_inside_the_server(
    flight_places: dict[str, Place], flight_shop: DuckDBFlightServer
) -> None:
    cancelled = threading.Event()
    timer = threading.Timer(0.3, cancelled.set)
    timer.start()
    error, seconds = failure(flight_places["flightsql"], CARTESIAN, cancelled=cancelled)
    timer.join()
    assert error.category is ErrorCategory.CANCELLED
    assert seconds < 0.3 + SOON
    flight_shop.idle(SOON)


def test_a_server_that_computes_before_it_answers_is_stopped_too(
    flightsql: None, tmp_path: Path
) -> None:
    with flight_server(tmp_path / "early.duckdb", early=True) as server:
        server.database.execute("CREATE TABLE orders AS SELECT range AS price FROM range(200)")
        place = opened(server, tmp_path)
        error, seconds = failure(place, CARTESIAN, seconds=0.5)
        server.idle(SOON)
    assert error.details["unit"] == "seconds"
    assert seconds < 0.5 + SOON


def test_rows_and_bytes_above_the_cap_are_refused_not_cut(
    flight_places: dict[str, Place], flight_shop: DuckDBFlightServer
) -> None:
    place = flight_places["flightsql"]
    assert place.ask("SELECT * FROM orders", row_limit=120).num_rows == 120
    error, _ = failure(place, "SELECT * FROM orders", row_limit=119)
    assert (error.category, error.details["limit"]) == (ErrorCategory.RESOURCE_EXHAUSTED, 119)
    assert isinstance(place.engine, FlightEngine)
    tight = FlightEngine(place.engine.sessions, byte_limit=1 << 20)
    error, _ = failure(Place(tight, place.sources), LARGE, row_limit=10_000_000)
    assert error.details["unit"] == "bytes"
    flight_shop.idle(SOON)
