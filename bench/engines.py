"""What do the engines cost? `python -m bench.engines [--json FILE] [ROWS …]`

Group-by queries over Parquet files of 10 million rows (and of as many as are named; 100 million
take 1.1 GB twice and some minutes) by a real executor over gRPC, against DuckDB alone on the same
file, in turns.

Time is from the call to its observation, the result stored as a frame. A file is taken in once,
before the clock starts; what that takes is shown, too. Processor time is that of all processes of a
side: it tells of the work where the machine is shared. Memory is the peak of the process that runs
the query; that of all the executor's processes together is shown beside it.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.measure import (
    REPOSITORY,
    arguments,
    keep,
    milliseconds,
    peak_bytes,
    print_table,
    tell,
)

if TYPE_CHECKING:
    from bench.support_executor import ExecutorAlone

TIME_TARGET, MEMORY_TARGET = 1.1, 1.2
PARQUET_ROWS = 10_000_000
ROUNDS, MOST_SECONDS = 7, 90.0
BYTES_PER_ROW = 40  # the file, its copy, and room to write them
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
    """DuckDB alone: runs the query whose name it reads, and tells what that took."""
    import duckdb

    with duckdb.connect() as connection:
        for line in sys.stdin:
            sql = QUERIES[line.strip()].format(table=f"read_parquet('{path}')")
            wall, processor = time.perf_counter(), time.process_time()
            rows = connection.execute(sql).to_arrow_table().num_rows
            tell(
                {
                    "seconds": time.perf_counter() - wall,
                    "processor": time.process_time() - processor,
                    "rows": rows,
                    "peak_bytes": peak_bytes("self"),
                }
            )


@contextmanager
def _plain(path: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "bench.engines", "--part", "plain", str(path)]
    with subprocess.Popen(
        command, cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


async def group_by(path: Path, home: Path) -> dict[str, Any]:
    """Both sides in turns over one file."""
    # Not above: DuckDB alone is a process that has loaded nothing else.
    from bench.support_executor import ExecutorAlone

    figures: dict[str, Any] = {"queries": {}}
    async with ExecutorAlone(home) as executor:
        begun = time.perf_counter()
        table = (await executor.described(path)).tables[0].name
        figures["taken_in_seconds"] = round(time.perf_counter() - begun, 1)
        with _plain(path) as plain:
            for name, query in QUERIES.items():
                figures["queries"][name] = await _in_turns(
                    executor, plain, path, name, query.format(table=table)
                )
            alone = _asked(plain, name)["peak_bytes"]
        one, every = executor.peaks()
    return figures | {"peak_bytes": {"alone": alone, "query process": one, "executor": every}}


async def _in_turns(
    executor: ExecutorAlone, plain: subprocess.Popen[str], path: Path, name: str, sql: str
) -> dict[str, Any]:
    seconds: dict[str, list[float]] = {"alone": [], "mesh": []}
    processor = {"alone": 0.0, "mesh": 0.0}
    end = time.monotonic() + MOST_SECONDS
    for number in range(ROUNDS + 1):
        values = _asked(plain, name)
        before, begun = executor.processor_seconds(), time.perf_counter()
        observed = await executor.sql(path, sql)
        taken, used = time.perf_counter() - begun, executor.processor_seconds() - before
        if observed.row_count != values["rows"]:
            raise SystemExit(f"{name}: {observed.row_count} rows, and {values['rows']} of DuckDB")
        if number:
            seconds["alone"].append(values["seconds"])
            seconds["mesh"].append(taken)
            processor["alone"] += values["processor"]
            processor["mesh"] += used
        if number > 1 and time.monotonic() > end:
            break
    return {
        "alone": milliseconds(seconds["alone"]),
        "mesh": milliseconds(seconds["mesh"]),
        "times": _ratio(seconds, statistics.median),
        "times_fastest": _ratio(seconds, min),
        "processor_times": processor["mesh"] / processor["alone"],
    }


def _ratio(seconds: dict[str, list[float]], of: Any) -> float:
    return float(of(seconds["mesh"]) / of(seconds["alone"]))


def _asked(plain: subprocess.Popen[str], name: str) -> dict[str, Any]:
    assert plain.stdin is not None
    assert plain.stdout is not None
    plain.stdin.write(name + "\n")
    plain.stdin.flush()
    values: dict[str, Any] = json.loads(plain.stdout.readline())
    return values


def main() -> None:
    """Run everything and say which targets were met."""
    options = arguments("engines", __doc__).parse_args()
    if options.part == "plain":
        return plain_part(Path(options.rest[0]))
    figures: dict[str, Any] = {}
    for rows in map(int, options.rest or [PARQUET_ROWS]):
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            if shutil.disk_usage(folder).free < rows * BYTES_PER_ROW:
                raise SystemExit(f"{folder} has no room for {rows:,} rows")
            path = Path(folder) / "sales.parquet"
            write_parquet(path, rows)
            figures[f"parquet {rows}"] = asyncio.run(group_by(path, Path(folder)))
        show(rows, figures[f"parquet {rows}"])
    keep(figures, options.json)


def show(rows: int, figures: dict[str, Any]) -> None:
    """Times and memory of one size."""
    lines = []
    for name, value in figures["queries"].items():
        alone, mesh = value["alone"]["median_ms"], value["mesh"]["median_ms"]
        ratios = (value["times"], value["times_fastest"], value["processor_times"])
        lines.append((name, alone, mesh, *ratios, _verdict(value["times"], TIME_TARGET)))
    peaks = figures["peak_bytes"]
    alone = peaks["alone"] / 2**20
    for label, key in (("peak MB", "query process"), ("peak MB of all processes", "executor")):
        share = peaks[key] / peaks["alone"]
        verdict = _verdict(share, MEMORY_TARGET) if key == "query process" else ""
        lines.append((label, alone, peaks[key] / 2**20, share, "", "", verdict))
    print_table(
        f"group-by over {rows:,} rows of Parquet (targets: {TIME_TARGET:g} times the time, "
        f"{MEMORY_TARGET:g} times the memory; taken in once in {figures['taken_in_seconds']:g} s)",
        ("", "DuckDB alone", "the mesh", "times", "of the fastest", "of processor time", ""),
        lines,
    )


def _verdict(ratio: float, target: float) -> str:
    return "met" if ratio <= target else "MISSED"


if __name__ == "__main__":
    main()
