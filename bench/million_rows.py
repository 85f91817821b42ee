"""How does Assay take a CSV of a million rows? `python -m bench.million_rows`

The same question about files of 1,000,000 rows and 10 columns: by a plain script (DuckDB's own
reader, an aggregate, a chart), and by a warm mesh when it first meets a file and when it meets it
again. Targets: the first touch at most 1.3 times the script, peak memory at most 1.5 times.

Each runs in a process of its own, warmed with a small file. Files differ in content, so that none
is known from the one before. Memory is of all processes together, the reader's child among them.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.measure import (
    Child,
    arguments,
    keep,
    milliseconds,
    nanoseconds,
    part,
    print_table,
    run,
    tell,
)

TIME_TARGET, MEMORY_TARGET = 1.3, 1.5
ROWS, SMALL_ROWS, FILES = 1_000_000, 1_000, 3
QUESTION = "sum of quantity by region as a bar chart"

ROWS_SQL = """
SELECT i AS sale_id,
       DATE '2022-01-01' + CAST(hash(i + {seed}) % 1000 AS INTEGER) AS sold_on,
       ['North', 'South', 'East', 'West'][1 + CAST(hash(i * 7 + {seed}) % 4 AS INTEGER)] AS region,
       ['web', 'shop', 'phone'][1 + CAST(hash(i * 11 + {seed}) % 3 AS INTEGER)] AS channel,
       'product ' || (hash(i * 13 + {seed}) % 500) AS product,
       1 + CAST(hash(i * 17 + {seed}) % 9 AS INTEGER) AS quantity,
       (hash(i * 19 + {seed}) % 20000) / 100.0 AS unit_price,
       (hash(i * 23 + {seed}) % 30) / 100.0 AS discount,
       CAST(hash(i * 29 + {seed}) % 40000 AS INTEGER) AS customer_number,
       hash(i * 31 + {seed}) % 2 = 0 AS returned
FROM range({rows}) AS numbers(i)
"""


def write_files(folder: Path) -> list[Path]:
    """A small file to warm up with, then the large ones, each of a seed of its own."""
    return [
        _written(folder / f"sales_{seed}.csv", seed, ROWS if seed else SMALL_ROWS)
        for seed in range(FILES + 1)
    ]


def write_million(folder: Path) -> Path:
    """One large file."""
    return _written(folder / "sales.csv", 1, ROWS)


def _written(path: Path, seed: int, rows: int) -> Path:
    import duckdb

    with duckdb.connect() as connection:
        query = ROWS_SQL.format(seed=seed, rows=rows)
        connection.execute(f"COPY ({query}) TO '{path}' (HEADER, DELIMITER ',')")
    return path


def plain_part(files: Sequence[Path]) -> None:
    """The plain script over each file; the first is to warm up."""
    import matplotlib as mpl

    from bench.analysis import plain

    mpl.use("Agg")
    times, rows = [], []
    for number, path in enumerate(files):
        start = time.perf_counter()
        found = plain(path, path.parent)
        if number:
            times.append(time.perf_counter() - start)
            rows.append(sorted(found))
    tell({**milliseconds(times), "rows": rows})


async def mesh_part(files: Sequence[Path]) -> dict[str, Any]:
    """The warm mesh over each file twice; the first file is to warm up."""
    from clients.python.client import AssayClient
    from clients.python.question import Question
    from services.__main__ import embedded

    first: list[float] = []
    second: list[float] = []
    rows = []
    async with (
        embedded(files[0].parent / "home") as mesh,
        AssayClient(mesh.target, same_machine=True, local_paths=True) as assay,
    ):
        for number, path in enumerate(files):
            question = Question(
                QUESTION, data=(str(path),), deliverables=("table", "chart"), assume=True
            )
            for times in (first, second):
                start = time.perf_counter()
                async for event in assay.ask(question):
                    if event.HasField("failure"):
                        raise RuntimeError(event.failure.message)
                if number:
                    times.append(time.perf_counter() - start)
                job = await assay.get_job((await assay.list_jobs(1))[0].job_id)
                if times is first:
                    spans = (await assay.trace(job.job_id)).spans
            if number:
                table = await assay.read_frame(job.job_id, job.answer.table)
                rows.append(sorted(list(row.values()) for row in table.to_pylist()))
    taken = {span.span_id: nanoseconds(span)[1] - nanoseconds(span)[0] for span in spans}
    longest = sorted(spans, key=lambda span: -taken[span.span_id])[:12]
    return {
        "first": milliseconds(first),
        "second": milliseconds(second),
        "rows": rows,
        "longest_of_first_ms": {
            f"{span.service} {span.name.rpartition('.')[2]}": round(taken[span.span_id] / 1e6, 1)
            for span in longest
        },
    }


def main() -> None:
    """Run the parts, compare what they found, and print times and memory."""
    options = arguments("million_rows", __doc__).parse_args()
    given = [Path(name) for name in options.rest]
    if options.part == "plain":
        plain_part(given)
        return
    if options.part == "mesh":
        run(mesh_part(given))
        return
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        files = [str(path) for path in write_files(Path(name))]
        size = Path(files[-1]).stat().st_size / 1e6
        script = part("million_rows", "plain", *files)
        mesh = part("million_rows", "mesh", *files)
    if mesh.report["rows"] != script.report["rows"]:
        raise SystemExit("the mesh and the script disagree")
    base = script.report["median_ms"]
    print_table(
        f"{ROWS:,} rows, 10 columns, {size:,.0f} MB of CSV",
        ("", "median ms", "times"),
        [
            ("plain script", base, 1.0),
            *(
                (f"mesh, {label}", value["median_ms"], value["median_ms"] / base)
                for label, value in (
                    ("first touch", mesh.report["first"]),
                    ("second touch", mesh.report["second"]),
                )
            ),
        ],
    )
    print_table(
        "peak memory of all processes",
        ("", "MB", "times", "MB, shared pages once", "times"),
        [
            (
                label,
                found.peak_bytes / 2**20,
                found.peak_bytes / script.peak_bytes,
                found.peak_shared_once_bytes / 2**20,
                found.peak_shared_once_bytes / script.peak_shared_once_bytes,
            )
            for label, found in (("plain script", script), ("mesh", mesh))
        ],
    )
    print_table(
        "the longest spans of a first touch",
        ("span", "ms"),
        list(mesh.report["longest_of_first_ms"].items()),
    )
    print(f"  targets: {TIME_TARGET:g} times the time, {MEMORY_TARGET:g} times the memory")
    keep(
        {
            "plain": {**script.report, **_peaks(script)},
            "mesh": {**mesh.report, **_peaks(mesh)},
        },
        options.json,
    )


def _peaks(part: Child) -> dict[str, int]:
    return {
        "peak_bytes": part.peak_bytes,
        "peak_shared_once_bytes": part.peak_shared_once_bytes,
    }


if __name__ == "__main__":
    main()
