"""What do the engines cost? `python -m bench.engines [--json FILE] [LARGE_ROWS]`

A read of a million rows from PostgreSQL by the push-down engine against ADBC alone, and group-by
queries over Parquet files by the executor's engine (in its own limited process) against DuckDB
alone. Targets: PostgreSQL at least 0.9 of ADBC's rate; group-by at most 1.1 times the time and 1.2
times the memory. Memory is the peak of the process that runs the query. A file is taken in once,
before the clock starts; what that takes is shown, too.
"""

from __future__ import annotations

import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from bench.measure import arguments, keep, milliseconds, part, print_table, repeated, tell

READ_TARGET, TIME_TARGET, MEMORY_TARGET = 0.9, 1.1, 1.2
POSTGRES_ROWS = 1_000_000
PARQUET_ROWS = (10_000_000,)
ROUNDS = 5
QUERIES = {
    "whole numbers": "SELECT region, product, count(*) AS n, sum(quantity) AS q, max(quantity) AS m"
    " FROM {table} GROUP BY region, product ORDER BY region, product",
    "decimals by day": "SELECT sold_on, count(*) AS n, sum(price) AS revenue FROM {table}"
    " GROUP BY sold_on ORDER BY sold_on",
    "floating point": "SELECT region, sum(weight) AS w, avg(weight) AS a FROM {table}"
    " GROUP BY region ORDER BY region",
}
_ROWS = """
SELECT ['North', 'South', 'East', 'West'][1 + (hash(i * 7) % 4)::INTEGER] AS region,
       'product ' || (hash(i * 13) % 500) AS product,
       DATE '2022-01-01' + (hash(i) % 1000)::INTEGER AS sold_on,
       (hash(i * 17) % 9)::BIGINT AS quantity,
       ((hash(i * 19) % 20000) / 100.0)::DECIMAL(10, 2) AS price,
       (hash(i * 23) % 100000) / 7.0 AS weight
FROM range({rows}) AS numbers(i)
"""


def write_parquet(path: Path, rows: int) -> None:
    """A file of sales."""
    import duckdb

    with duckdb.connect() as connection:
        connection.execute(f"COPY ({_ROWS.format(rows=rows)}) TO '{path}' (FORMAT parquet)")


def plain_part(path: Path) -> None:
    """DuckDB alone, each query in rounds."""
    import duckdb

    times: dict[str, Any] = {}
    with duckdb.connect() as connection:
        for name, query in QUERIES.items():
            sql = query.format(table=f"read_parquet('{path}')")

            def ask(sql: str = sql) -> object:
                return connection.execute(sql).to_arrow_table()

            times[name] = milliseconds(repeated(ask, ROUNDS, 1))
    tell({"queries": times, "peak_bytes": _peak("self")})


def engine_part(path: Path) -> None:
    """The executor's engine; the peak is that of the process that runs its queries."""
    import psutil

    from mesh.policy import Policy
    from services.executor.domain.source import DataSource
    from services.executor.engines.duckdb_engine import DuckDBEngine
    from services.executor.engines.query_processes import QueryProcesses
    from services.executor.sources.library import SourceLibrary

    library = SourceLibrary(path.parent / "home", memory_limit="8GB", seconds=3_600)
    begun = time.perf_counter()
    source = library.open(DataSource(file_path=str(path)))
    taken_in = time.perf_counter() - begun
    library.close()
    engine = DuckDBEngine(processes=QueryProcesses("8GB", 1))
    times: dict[str, Any] = {}
    for name, query in QUERIES.items():
        sql = query.format(table=source.tables[0].name)

        def ask(sql: str = sql) -> object:
            return engine.query(
                [source], sql, (), row_limit=200_000, seconds=600,
                cancelled=threading.Event(), policy=Policy(),
            )  # fmt: skip

        times[name] = milliseconds(repeated(ask, ROUNDS, 1))
    peaks = [_peak(str(child.pid)) for child in psutil.Process().children()]
    engine.close()
    tell({"queries": times, "peak_bytes": max(peaks), "taken_in_seconds": round(taken_in, 1)})


def _peak(process: str) -> int:
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("this system does not tell peak memory")


def postgres() -> dict[str, Any]:
    """Rows a second by ADBC alone and by the engine, in turns."""
    from adbc_driver_postgresql import dbapi

    from mesh.policy import Policy
    from mesh.testing.postgres import postgres_server
    from services.executor.databases.library import DatabaseLibrary
    from services.executor.domain.source import DataSource
    from services.executor.engines.postgres_engine import PostgresEngine

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
                    [source], "SELECT * FROM sales", (), row_limit=2 * POSTGRES_ROWS,
                    seconds=600, cancelled=threading.Event(), policy=Policy(),
                )  # fmt: skip
                alone.append(middle - begun)
                pushed.append(time.perf_counter() - middle)
            library.close()
    one, other = milliseconds(alone[1:]), milliseconds(pushed[1:])
    return {"adbc": one, "engine": other, "rate": one["median_ms"] / other["median_ms"]}


def main() -> None:
    """Run everything and say which targets were met."""
    options = arguments("engines", __doc__).parse_args()
    if options.part == "plain":
        return plain_part(Path(options.rest[0]))
    if options.part == "engine":
        return engine_part(Path(options.rest[0]))
    figures: dict[str, Any] = {"postgres": postgres()}
    read = figures["postgres"]
    print_table(
        f"{POSTGRES_ROWS:,} rows from PostgreSQL (target: {READ_TARGET:g} of ADBC alone)",
        ("", "median ms", "of ADBC's rate"),
        [("ADBC alone", read["adbc"]["median_ms"], 1.0),
         ("the engine", read["engine"]["median_ms"], read["rate"])],
    )  # fmt: skip
    print("  met" if read["rate"] >= READ_TARGET else "  MISSED")
    for rows in (*PARQUET_ROWS, *map(int, options.rest)):
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            path = Path(folder) / "sales.parquet"
            write_parquet(path, rows)
            plain = part("engines", "plain", str(path)).told
            engine = part("engines", "engine", str(path)).told
        figures[f"parquet {rows}"] = {"plain": plain, "engine": engine}
        show(rows, plain, engine)
    keep(figures, options.json)


def show(rows: int, plain: dict[str, Any], engine: dict[str, Any]) -> None:
    """Times and memory of one size."""
    lines = []
    for name, alone in plain["queries"].items():
        here = engine["queries"][name]["median_ms"]
        ratio = here / alone["median_ms"]
        met = "met" if ratio <= TIME_TARGET else "MISSED"
        lines.append((name, alone["median_ms"], here, ratio, met))
    share = engine["peak_bytes"] / plain["peak_bytes"]
    met = "met" if share <= MEMORY_TARGET else "MISSED"
    lines.append(("peak MB", plain["peak_bytes"] / 2**20, engine["peak_bytes"] / 2**20, share, met))
    print_table(
        f"group-by over {rows:,} rows of Parquet (targets: {TIME_TARGET:g} times the time, "
        f"{MEMORY_TARGET:g} times the memory; taken in once in {engine['taken_in_seconds']:g} s)",
        ("", "DuckDB alone", "the engine", "times", ""),
        lines,
    )


if __name__ == "__main__":
    main()
