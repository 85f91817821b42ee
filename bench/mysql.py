"""What does MariaDB cost? `python -m bench.mysql [--json FILE]`

A read of rows, and a sum of them by groups, by the push-down engine against PyMySQL alone, in
turns. Target: at least 0.9 of PyMySQL's rate where many rows are read.
"""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymysql

from bench.measure import arguments, keep, milliseconds, print_table
from mesh.policy import Policy
from mesh.testing.mariadb import fresh_database, mariadb_server
from services.executor.databases.library import DatabaseLibrary
from services.executor.databases.session import Sessions
from services.executor.domain.source import DataSource
from services.executor.engines.mysql.engine import MysqlEngine
from services.executor.sources.prepared import PreparedSource

READ_TARGET = 0.9
ROWS = 200_000
ROUNDS = 3
_TABLE = (
    "CREATE TABLE sales (id bigint PRIMARY KEY, weight double, product varchar(40),"
    " sold_at datetime, returned tinyint(1))"
)
_ROWS = (
    "INSERT INTO sales SELECT seq, seq / 3e0, CONCAT('product ', seq % 500),"
    f" TIMESTAMP'2022-01-01 00:00:00' + INTERVAL seq MINUTE, seq % 2 = 0 FROM seq_1_to_{ROWS}"
)
_QUESTIONS = {
    "rows": ("SELECT * FROM sales",) * 2,
    "groups": (
        "SELECT product, sum(weight) AS w FROM sales GROUP BY product",
        "SELECT product, SUM(weight) AS w FROM sales GROUP BY product ORDER BY product, w",
    ),
}


def mysql() -> dict[str, dict[str, Any]]:
    """For each question milliseconds by PyMySQL alone and by the engine, and the ratio."""
    with mariadb_server() as server, tempfile.TemporaryDirectory(prefix="bench-") as folder:
        url = fresh_database(server)
        port, _, database = url.rpartition(":")[2].partition("/")
        library = DatabaseLibrary(Path(folder), own_surroundings=True)
        with (
            pymysql.connect(
                host="127.0.0.1", port=int(port), user="root", database=database
            ) as connection,
            connection.cursor() as cursor,
        ):
            cursor.execute(_TABLE)
            cursor.execute(_ROWS)
            connection.commit()
            source = library.open(DataSource(connection_string=url))
            ask = _asking(library.sessions, source)
            found = {}
            for name, (asked, plain) in _QUESTIONS.items():
                alone: list[float] = []
                pushed: list[float] = []
                for _ in range(ROUNDS + 1):
                    begun = time.perf_counter()
                    cursor.execute(plain)
                    cursor.fetchall()
                    middle = time.perf_counter()
                    ask(asked)
                    alone.append(middle - begun)
                    pushed.append(time.perf_counter() - middle)
                one, other = milliseconds(alone[1:]), milliseconds(pushed[1:])
                rate = one["median_ms"] / other["median_ms"]
                found[name] = {"pymysql": one, "engine": other, "rate": rate}
        library.close()
    return found


def _asking(sessions: Sessions, source: PreparedSource) -> Callable[[str], Any]:
    engine = MysqlEngine(sessions, byte_limit=4 << 30)
    return lambda sql: engine.query(
        [source],
        sql,
        (),
        row_limit=2 * ROWS,
        seconds=600,
        cancelled=threading.Event(),
        policy=Policy(),
    )


def main() -> None:
    """Measure, and say whether the target was met."""
    options = arguments("mysql", __doc__).parse_args()
    found = mysql()
    print_table(
        f"{ROWS:,} rows in MariaDB (target: rows at {READ_TARGET:g} of PyMySQL alone)",
        ("", "PyMySQL ms", "engine ms", "of PyMySQL's rate"),
        [
            (name, one["pymysql"]["median_ms"], one["engine"]["median_ms"], one["rate"])
            for name, one in found.items()
        ],
    )
    print("  met" if found["rows"]["rate"] >= READ_TARGET else "  MISSED")
    keep(found, options.json)


if __name__ == "__main__":
    main()
