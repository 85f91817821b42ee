"""Time, rows, bytes and memory end a query inside its engine; the engine goes on."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import psutil
import pytest

from mesh.tool import ErrorCategory, ToolError
from services.executor.databases.live import only_database
from services.executor.engines.duckdb.engine import DuckDBEngine
from services.executor.engines.duckdb.query_processes import QueryProcesses
from services.executor.engines.postgres.engine import PostgresEngine
from tests.engines.world import Place, run

ENDLESS = "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r) SELECT count(*) FROM r"
CARTESIAN = (
    "SELECT count(*) FROM orders a, orders b, orders c, orders d, orders e, orders f"
    " WHERE a.price + b.price + c.price + d.price + e.price + f.price = 7"
)
# Each of these would run for hours; a busy machine may take seconds to hand a thread its turn.
SOON = 10.0
LARGE = "SELECT a.*, b.note AS other FROM orders a, orders b, orders c"


def failure(place: Place, sql: str, **limits: object) -> tuple[ToolError, float]:
    begun = time.monotonic()
    with pytest.raises(ToolError) as caught:
        place.ask(sql, **limits)  # type: ignore[arg-type]
    return caught.value, time.monotonic() - begun


@pytest.mark.parametrize("sql", [ENDLESS, CARTESIAN], ids=["endless", "cartesian"])
@pytest.mark.parametrize("engine", ["duckdb", "postgres"])
def test_a_query_ends_soon_after_its_limit(
    sql: str, engine: str, uri: str, places: dict[str, Place]
) -> None:
    error, seconds = failure(places[engine], sql, seconds=0.5)
    assert error.category is ErrorCategory.RESOURCE_EXHAUSTED
    assert error.details["unit"] == "seconds"
    assert seconds < 0.5 + SOON
    assert still_running(uri) == 0
    assert places[engine].ask("SELECT count(*) AS n FROM orders").to_pylist() == [{"n": 120}]


@pytest.mark.parametrize("engine", ["duckdb", "postgres"])
def test_a_cancelled_query_ends_inside_its_engine(
    engine: str, uri: str, places: dict[str, Place]
) -> None:
    cancelled = threading.Event()
    timer = threading.Timer(0.3, cancelled.set)
    timer.start()
    error, seconds = failure(places[engine], CARTESIAN, cancelled=cancelled)
    timer.join()
    assert error.category is ErrorCategory.CANCELLED
    assert seconds < 0.3 + SOON
    assert still_running(uri) == 0


@pytest.mark.parametrize("engine", ["duckdb", "postgres"])
def test_rows_and_bytes_above_the_cap_are_refused_not_cut(
    engine: str, places: dict[str, Place]
) -> None:
    assert places[engine].ask("SELECT * FROM orders", row_limit=120).num_rows == 120
    error, _ = failure(places[engine], "SELECT * FROM orders", row_limit=119)
    assert (error.category, error.details["limit"]) == (ErrorCategory.RESOURCE_EXHAUSTED, 119)


def test_bytes_above_the_cap_are_refused(places: dict[str, Place], uri: str) -> None:
    processes = QueryProcesses("512MB", 1)
    small = DuckDBEngine(processes=processes, byte_limit=1 << 20)
    error, _ = failure(Place(small, places["duckdb"].sources), LARGE, row_limit=10_000_000)
    small.close()
    assert error.details["unit"] == "bytes"
    database = only_database(places["postgres"].sources)
    assert database is not None
    pushed: PostgresEngine = places["postgres"].engine  # type: ignore[assignment]
    tight = PostgresEngine(pushed.sessions, byte_limit=1 << 20)
    error, _ = failure(Place(tight, [database]), LARGE, row_limit=10_000_000)
    assert error.details["unit"] == "bytes"


@pytest.mark.parametrize(
    "greedy",
    [
        "SELECT sum(len(x)) FROM (SELECT list(i) AS x FROM range(1000000000) t(i))",
        "SELECT length(repeat('abcdefgh', 400000000))",
        "SELECT string_agg(repeat('x', 1000000), '') FROM range(100000)",
        "SELECT i, repeat('x', 100000) AS x FROM range(100000) t(i)",
    ],
)
def test_a_query_that_takes_all_memory_hurts_nobody(greedy: str, places: dict[str, Place]) -> None:
    before = psutil.Process().memory_info().rss
    error, _ = failure(places["duckdb"], greedy, row_limit=200_000)
    assert error.category is ErrorCategory.RESOURCE_EXHAUSTED
    assert psutil.Process().memory_info().rss - before < 200 << 20
    assert places["duckdb"].ask("SELECT count(*) AS n FROM orders").to_pylist() == [{"n": 120}]


@pytest.mark.usefixtures("from_nothing")
def test_a_process_that_dies_takes_its_query_along_and_no_other(
    places: dict[str, Place], tmp_path: Path
) -> None:
    processes = QueryProcesses("512MB", 1)
    place = Place(DuckDBEngine(processes=processes), places["duckdb"].sources)
    others = {child.pid for child in psutil.Process().children()}
    place.ask("SELECT count(*) FROM orders")
    (child,) = (one.pid for one in psutil.Process().children() if one.pid not in others)
    killer = threading.Timer(0.3, os.kill, (child, signal.SIGKILL))
    killer.start()
    error, _ = failure(place, ENDLESS, seconds=10.0)
    killer.join()
    assert error.category is ErrorCategory.RESOURCE_EXHAUSTED
    assert place.ask("SELECT count(*) AS n FROM orders").to_pylist() == [{"n": 120}]
    processes.close()


def still_running(uri: str) -> int:
    """Statements that the server still works on, half a second after it was told to stop."""
    question = (
        "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND backend_type ="
        " 'client backend' AND pid <> pg_backend_pid() AND query LIKE '%orders%'"
    )
    for _ in range(20):
        found = int(run(uri, question)[0][0])
        if not found:
            break
    return found
