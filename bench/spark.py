"""What does Spark cost? `python -m bench.spark [--json FILE] [ROWS]`

The same statements over the same Parquet file by the Spark engine, on a server of this machine's
cores, and by the embedded engine in its own limited process, in turns. There is no target: Spark is
for tables that one machine cannot take. The ratios show what a statement costs there at least, and
how that shrinks as the table grows. The frames of both are compared.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import pyarrow as pa

from bench.engines import BYTES_PER_ROW, QUERIES, write_parquet
from bench.measure import arguments, keep, milliseconds, print_table
from mesh.policy import Policy
from mesh.testing.spark import SparkAbsent, spark_server
from services.executor.domain.source import DataSource
from services.executor.engines.duckdb.engine import DuckDBEngine
from services.executor.engines.duckdb.query_processes import QueryProcesses
from services.executor.engines.engine import Engine
from services.executor.engines.spark.engine import SparkEngine
from services.executor.sources.library import SourceLibrary
from services.executor.sources.prepared import PreparedSource

ROWS = 10_000_000
ROUNDS = 3
CLOSE = 1e-9
STATEMENTS = {
    "one number": "SELECT count(*) AS n FROM {table}",
    **QUERIES,
    "ranked": "SELECT product, revenue FROM (SELECT product, sum(price) AS revenue, row_number()"
    " OVER (ORDER BY sum(price) DESC, product) AS place FROM {table} GROUP BY product)"
    " WHERE place <= 10 ORDER BY revenue DESC, product",
}


def asked(engine: Engine, source: PreparedSource, sql: str) -> tuple[pa.Table, float]:
    """The frame, and the seconds it took."""
    begun = time.perf_counter()
    table = engine.query(
        [source],
        sql,
        (),
        row_limit=200_000,
        seconds=600,
        cancelled=threading.Event(),
        policy=Policy(),
    )
    return table, time.perf_counter() - begun


def alike(one: pa.Table, other: pa.Table) -> bool:
    """Whether two frames hold the same, but for the last digits of floating-point sums."""
    if one.num_rows != other.num_rows or one.schema.names != other.schema.names:
        return False
    for left, right in zip(one.itercolumns(), other.itercolumns(), strict=True):
        if not pa.types.is_floating(left.type):
            if left.to_pylist() != right.to_pylist():
                return False
            continue
        pairs = zip(left.to_pylist(), right.to_pylist(), strict=True)
        if any(abs(a - b) > CLOSE * max(abs(a), abs(b)) for a, b in pairs):
            return False
    return True


def compared(source: PreparedSource, engines: dict[str, Engine]) -> dict[str, Any]:
    """Every statement by both engines in turns; the first round warms up."""
    figures: dict[str, Any] = {}
    for name, statement in STATEMENTS.items():
        sql = statement.format(table=source.tables[0].name)
        taken: dict[str, list[float]] = {engine: [] for engine in engines}
        for number in range(ROUNDS + 1):
            frames = []
            for key, engine in engines.items():
                frame, seconds = asked(engine, source, sql)
                frames.append(frame)
                if number:
                    taken[key].append(seconds)
            if not alike(*frames):
                raise SystemExit(f"{name}: the engines disagree")
        figures[name] = {key: milliseconds(seconds) for key, seconds in taken.items()}
    return figures


def main() -> None:
    """Measure one size."""
    options = arguments("spark", __doc__).parse_args()
    rows = int(options.rest[0]) if options.rest else ROWS
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        folder = Path(name)
        if shutil.disk_usage(folder).free < rows * BYTES_PER_ROW:
            raise SystemExit(f"{folder} has no room for {rows:,} rows")
        path = folder / "sales.parquet"
        write_parquet(path, rows)
        library = SourceLibrary(folder / "home", seconds=3_600)
        source = library.open(DataSource(file_path=str(path)))
        library.close()
        try:
            with spark_server() as server:
                engines: dict[str, Engine] = {
                    "duckdb": DuckDBEngine(processes=QueryProcesses("4GB", 1)),
                    "spark": SparkEngine(server.address, folder / "copies"),
                }
                figures = compared(source, engines)
                for engine in engines.values():
                    engine.close()
        except SparkAbsent as absent:
            raise SystemExit(f"there is no Spark here: {absent}") from None
    print_table(
        f"{rows:,} rows of Parquet by both engines, on equal cores",
        ("", "duckdb ms", "spark ms", "times"),
        [
            (
                name,
                value["duckdb"]["median_ms"],
                value["spark"]["median_ms"],
                value["spark"]["median_ms"] / value["duckdb"]["median_ms"],
            )
            for name, value in figures.items()
        ],
    )
    keep(figures, options.json)


if __name__ == "__main__":
    main()
