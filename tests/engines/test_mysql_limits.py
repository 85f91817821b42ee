"""Time, rows and bytes end a query inside MariaDB; the session goes on.

Starts a MariaDB server: whether it stopped only it can tell.
"""

from __future__ import annotations

import threading

import pytest

from mesh.tool import ErrorCategory
from services.executor.databases.live import only_database
from services.executor.engines.mysql.engine import MysqlEngine
from tests.engines.mysql_world import run
from tests.engines.test_limits import CARTESIAN, SOON, failure
from tests.engines.world import Place

RUNNING = (
    "SELECT COUNT(*) FROM information_schema.processlist WHERE command = 'Query'"
    " AND id <> CONNECTION_ID() AND info LIKE '%orders%'"
)


def still_running(url: str) -> int:
    """Statements that the server still works on, as often as it takes for them to end."""
    for _ in range(100):
        found = int(run(url, "DO SLEEP(0.02)", RUNNING)[0][0])
        if not found:
            break
    return found


def test_a_query_ends_soon_after_its_limit(mariadb: str, mysql_places: dict[str, Place]) -> None:
    error, seconds = failure(mysql_places["mysql"], CARTESIAN, seconds=0.5)
    assert (error.category, error.details["unit"]) == (ErrorCategory.RESOURCE_EXHAUSTED, "seconds")
    assert seconds < 0.5 + SOON
    assert still_running(mariadb) == 0
    rows = mysql_places["mysql"].ask("SELECT count(*) AS n FROM orders").to_pylist()
    assert rows == [{"n": 120}]


def test_a_cancelled_query_ends_inside_the_server(
    mariadb: str, mysql_places: dict[str, Place]
) -> None:
    cancelled = threading.Event()
    timer = threading.Timer(0.3, cancelled.set)
    timer.start()
    error, seconds = failure(mysql_places["mysql"], CARTESIAN, cancelled=cancelled)
    timer.join()
    assert error.category is ErrorCategory.CANCELLED
    assert seconds < 0.3 + SOON
    assert still_running(mariadb) == 0


def test_rows_above_the_cap_are_refused_not_cut(mysql_places: dict[str, Place]) -> None:
    place = mysql_places["mysql"]
    assert place.ask("SELECT * FROM orders", row_limit=120).num_rows == 120
    error, _ = failure(place, "SELECT * FROM orders", row_limit=119)
    assert (error.category, error.details["limit"]) == (ErrorCategory.RESOURCE_EXHAUSTED, 119)


def test_bytes_above_the_cap_end_the_query_in_the_server_too(
    mariadb: str, mysql_places: dict[str, Place]
) -> None:
    database = only_database(mysql_places["mysql"].sources)
    pushed = mysql_places["mysql"].engine
    assert database is not None
    assert isinstance(pushed, MysqlEngine)
    tight = MysqlEngine(pushed.sessions, byte_limit=1 << 18)
    large = "SELECT a.*, b.note AS other FROM orders a, orders b"
    error, _ = failure(Place(tight, [database]), large, row_limit=10_000_000)
    assert error.details["unit"] == "bytes"
    assert still_running(mariadb) == 0


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT CAST(order_id * 1e18 AS BIGINT) FROM orders",
        "SELECT order_id / 0 FROM orders",
        "SELECT CAST('x' || order_id AS DOUBLE) FROM orders",
        "SELECT DATE '9999-12-31' + INTERVAL 5 YEAR FROM orders",
    ],
)
def test_what_the_server_would_make_to_fit_or_nothing_is_told_as_duckdb_tells_it(
    sql: str, mysql_places: dict[str, Place]
) -> None:
    """Clipped numbers, NULL in the place of infinity: the server would only warn of them."""
    answers = []
    for name in ("duckdb", "chosen"):
        try:
            answers.append(mysql_places[name].ask(sql).to_pydict())
        except Exception as error:
            answers.append(str(error))
    assert answers[0] == answers[1]
