"""What does a statement of an agent cost? `python -m bench.queries [--times 100]`

A mesh of its own, warm, is asked statements over a small file one after the other through the tool
`query`, without and with what they mean; each is another, and each answer holds rows, doubts and
what was not checked. The same statements are run by DuckDB and SQLite over the same rows, loaded
before, as a script would. Told are times at the median and at the 95th of a hundred, the processor
that all processes took for one.
"""

from __future__ import annotations

import asyncio
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import psutil

from bench.capacity import processor
from bench.measure import arguments, keep, print_table
from bench.support_served import served_mesh
from clients.python.client import AssayClient
from clients.python.mcp_server.offered import Offered
from clients.python.mcp_server.shapes import Means, QueryArguments
from clients.python.mcp_server.tools import ToolContext, query
from clients.python.mcp_server.work import Progress

ROWS = 2_000
WARM_UP = 10
SPLITS = ("region", "channel", "product")


def statement(number: int) -> str:
    """One of many that are all different."""
    split = SPLITS[number % len(SPLITS)]
    return (
        f"select {split}, sum(quantity) as quantity from sales "
        f"where price > {number} group by {split}"
    )


def meaning(number: int) -> Means:
    """What it means."""
    by = SPLITS[number % len(SPLITS)]
    return Means(metric="sum(quantity)", by=[by], filter=[f"price > {number}"])


def write_sales(path: Path) -> None:
    """Sales with a few columns to split by."""
    lines = ["sale,region,channel,product,price,quantity,sold_on"]
    lines += [
        f"{n},{'NSEW'[n % 4]},{('web', 'shop')[n % 2]},p{n % 7},{n * 7 % 500},{n % 9},"
        f"2024-{n % 12 + 1:02d}-{n % 28 + 1:02d}"
        for n in range(ROWS)
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def by_duckdb(path: Path, numbers: Sequence[int]) -> list[float]:
    """Seconds of each statement in DuckDB, over a table that was read before."""
    with duckdb.connect() as connection:
        connection.execute("create table sales as select * from read_csv(?)", [str(path)])
        return [_timed(lambda n=n: connection.execute(statement(n)).fetchall()) for n in numbers]


def by_sqlite(path: Path, numbers: Sequence[int]) -> list[float]:
    """Seconds of each statement in SQLite."""
    with duckdb.connect() as connection:
        rows = connection.execute("select * from read_csv(?)", [str(path)]).fetchall()
    with sqlite3.connect(":memory:") as connection:
        connection.execute(
            "create table sales (sale, region, channel, product, price, quantity, d)"
        )
        connection.executemany(
            f"insert into sales values ({', '.join('?' * 6)}, null)", [r[:6] for r in rows]
        )
        return [_timed(lambda n=n: connection.execute(statement(n)).fetchall()) for n in numbers]


async def by_assay(
    context: ToolContext, process: psutil.Process, numbers: Sequence[int], *, means: bool
) -> tuple[list[float], float]:
    """Seconds of each statement through the tool, and those of processor of one."""
    taken = []
    for place, number in enumerate([*range(-WARM_UP, 0), *numbers]):
        if place == WARM_UP:
            before = processor(process) + time.process_time()
        given = QueryArguments(sql=statement(number), means=meaning(number) if means else None)
        start = time.perf_counter()
        found = await query(context, given)
        taken.append(time.perf_counter() - start)
        assert found.total_rows and not found.doubts and bool(found.twin) == means, found
    spent = processor(process) + time.process_time() - before
    return taken[WARM_UP:], spent / len(numbers)


def _timed(work: Any) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _at(times: Sequence[float]) -> tuple[float, float]:
    cuts = statistics.quantiles(times, n=20)
    return cuts[9] * 1e3, cuts[18] * 1e3


async def measured(folder: Path, times: int) -> dict[str, dict[str, float]]:
    """By what ran the statements: milliseconds at the median and the 95th, and of processor."""
    path = folder / "sales.csv"
    write_sales(path)
    numbers = list(range(times))
    found: dict[str, dict[str, float]] = {}

    async def quiet(percent: float, words: str) -> None:
        return None

    async with (
        served_mesh(folder / "home") as (settings, process),
        AssayClient(
            settings.address("gateway"), "ann", same_machine=True, local_paths=True
        ) as client,
    ):
        context = ToolContext(client, Offered.of([str(path)], [], []), folder, Progress(quiet))
        for name, means in (("query", False), ("query with means", True)):
            taken, spent = await by_assay(context, process, numbers, means=means)
            middle, slow = _at(taken)
            found[name] = {"p50": middle, "p95": slow, "processor": spent * 1e3}
    for name, run in (("DuckDB", by_duckdb), ("SQLite", by_sqlite)):
        start = time.process_time()
        middle, slow = _at(run(path, numbers))
        spent = (time.process_time() - start) / times
        found[name] = {"p50": middle, "p95": slow, "processor": spent * 1e3}
    return found


def main(argv: list[str] | None = None) -> None:
    """Measure and tell."""
    parser = arguments("queries", __doc__)
    parser.add_argument("--times", type=int, default=100)
    given = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(measured(Path(folder), given.times))
    rows = [[name, *(round(value, 2) for value in one.values())] for name, one in found.items()]
    print_table("a statement over a small file, ms", ("", "p50", "p95", "processor"), rows)
    keep(found, given.json)


if __name__ == "__main__":
    main(sys.argv[1:])
