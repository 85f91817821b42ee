"""What does PostgreSQL cost? `python -m bench.postgres [--json FILE]`

A read of a million rows by the push-down engine against ADBC alone, in turns. Target: at least 0.9
of ADBC's rate.
"""

from __future__ import annotations

import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from adbc_driver_postgresql import dbapi

from bench.measure import arguments, keep, milliseconds, print_table
from mesh.policy import Policy
from mesh.testing.postgres import postgres_server
from services.executor.databases.library import DatabaseLibrary
from services.executor.domain.source import DataSource
from services.executor.engines.postgres.engine import PostgresEngine

READ_TARGET = 0.9
POSTGRES_ROWS = 1_000_000
ROUNDS = 5


def postgres() -> dict[str, Any]:
    """Rows a second by ADBC alone and by the engine, in turns."""
    with postgres_server() as url, tempfile.TemporaryDirectory(prefix="bench-") as folder:
        socket = url.partition("unix_sock=")[2].rpartition("/")[0]
        uri = f"postgresql://postgres@/postgres?host={socket}"
        with dbapi.connect(uri, autocommit=True) as connection, connection.cursor() as cursor:
            cursor.execute(
                "CREATE TABLE sales AS SELECT i AS id, i::float8 / 3 AS weight, 'product ' ||"
                " i % 500 AS product, timestamp '2022-01-01' + i * interval '1 minute' AS sold_at,"
                f" i % 2 = 0 AS returned FROM generate_series(1, {POSTGRES_ROWS}) i"
            )
            cursor.execute("ANALYZE sales")
            library = DatabaseLibrary(Path(folder), own_surroundings=True)
            source = library.open(DataSource(connection_string=uri))
            engine = PostgresEngine(library.sessions, byte_limit=4 << 30)
            alone: list[float] = []
            pushed: list[float] = []
            for _ in range(ROUNDS + 1):
                begun = time.perf_counter()
                cursor.execute("SELECT * FROM sales")
                cursor.fetch_arrow_table()
                middle = time.perf_counter()
                engine.query(
                    [source],
                    "SELECT * FROM sales",
                    (),
                    row_limit=2 * POSTGRES_ROWS,
                    seconds=600,
                    cancelled=threading.Event(),
                    policy=Policy(),
                )
                alone.append(middle - begun)
                pushed.append(time.perf_counter() - middle)
            library.close()
    one, other = milliseconds(alone[1:]), milliseconds(pushed[1:])
    return {"adbc": one, "engine": other, "rate": one["median_ms"] / other["median_ms"]}


def main() -> None:
    """Measure, and say whether the target was met."""
    options = arguments("postgres", __doc__).parse_args()
    read = postgres()
    show(read)
    keep(read, options.json)


def show(read: dict[str, Any]) -> None:
    """Rates of reading."""
    print_table(
        f"{POSTGRES_ROWS:,} rows from PostgreSQL (target: {READ_TARGET:g} of ADBC alone)",
        ("", "median ms", "of ADBC's rate"),
        [
            ("ADBC alone", read["adbc"]["median_ms"], 1.0),
            ("the engine", read["engine"]["median_ms"], read["rate"]),
        ],
    )
    print("  met" if read["rate"] >= READ_TARGET else "  MISSED")


if __name__ == "__main__":
    main()
