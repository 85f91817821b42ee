"""Time, rows and bytes end a query inside a database that is asked through a target."""

from __future__ import annotations

import threading

import pytest

from mesh.tool import ErrorCategory
from services.executor.pushdown.engine import PushdownEngine
from tests.engines.pushdown.kinds import ENGINES
from tests.engines.test_limits import CARTESIAN, SOON, failure
from tests.engines.world import Place

# What the emulators are told to end they go on with.
_ENDING = pytest.mark.parametrize("engine", ["clickhouse"])


@_ENDING
def test_time_ends_a_query(engine: str, shop: dict[str, Place]) -> None:
    del engine
    error, seconds = failure(shop["there"], CARTESIAN, seconds=0.5)
    assert error.category is ErrorCategory.RESOURCE_EXHAUSTED
    assert error.details["unit"] == "seconds"
    assert seconds < 0.5 + SOON
    rows = shop["there"].ask("SELECT count(*) AS n FROM orders").to_pylist()
    assert rows == [{"n": 120}]


@_ENDING
def test_a_cancelled_query_ends(engine: str, shop: dict[str, Place]) -> None:
    del engine
    cancelled = threading.Event()
    timer = threading.Timer(0.3, cancelled.set)
    timer.start()
    error, seconds = failure(shop["there"], CARTESIAN, seconds=3.0, cancelled=cancelled)
    timer.join()
    assert error.category is ErrorCategory.CANCELLED
    assert seconds < 0.3 + SOON


@pytest.mark.parametrize("engine", ENGINES)
def test_rows_and_bytes_above_the_cap_are_refused_not_cut(
    engine: str, shop: dict[str, Place]
) -> None:
    del engine
    place = shop["there"]
    assert place.ask("SELECT * FROM orders", row_limit=120).num_rows == 120
    error, _ = failure(place, "SELECT * FROM orders", row_limit=119)
    assert (error.category, error.details["limit"]) == (ErrorCategory.RESOURCE_EXHAUSTED, 119)
    assert isinstance(place.engine, PushdownEngine)
    before = place.engine._byte_limit
    place.engine._byte_limit = 1 << 10
    try:
        error, _ = failure(place, "SELECT * FROM orders")
    finally:
        place.engine._byte_limit = before
    assert error.details["unit"] == "bytes"
