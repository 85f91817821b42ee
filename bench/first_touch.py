"""What does the first question of a large file cost? `python -m bench.first_touch`

One question about files that were never seen, each by a plain script (DuckDB's own reader, an
aggregate, a chart) and by a warm mesh, in turns, so that a busy machine is busy for both. Each is a
process of its own with whatever it starts, warmed with a small file. Told are wall time, processor
time of all processes until the answer, and until they were quiet again, and their most memory.
Targets: a million rows of ten columns 1.5 times the time and memory, five million rows of five
columns twice the time.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.measure import arguments, keep, print_table
from bench.support_turns import Use, Worker

TURNS = 5
_TIMEOUT_SECONDS = 180  # a busy machine shall be slow, not the end
_SETTLED_SECONDS = 2.1  # a digest is kept of a file that nobody wrote for two seconds
SHAPES = {"1,000,000 rows, 10 columns": (1.5, 1.5), "5,000,000 rows, 5 columns": (2.0, None)}
_FIVE_MILLION = """
SELECT i AS sale_id,
       DATE '2022-01-01' + CAST(hash(i + {seed}) % 1000 AS INTEGER) AS sold_on,
       ['North', 'South', 'East', 'West'][1 + CAST(hash(i * 7 + {seed}) % 4 AS INTEGER)] AS region,
       1 + CAST(hash(i * 17 + {seed}) % 9 AS INTEGER) AS quantity,
       (hash(i * 19 + {seed}) % 20000) / 100.0 AS unit_price
FROM range(5000000) AS numbers(i)
"""


def _write(folder: Path, shape: str, seed: int) -> Path:
    import duckdb

    from bench.million_rows import ROWS_SQL

    path = folder / f"sales_{seed}.csv"
    statement = ROWS_SQL if shape.startswith("1,") else _FIVE_MILLION
    with duckdb.connect() as connection:
        query = statement.format(seed=seed, rows=1_000_000)
        connection.execute(f"COPY ({query}) TO '{path}' (HEADER, DELIMITER ',')")
    time.sleep(_SETTLED_SECONDS)
    return path


def _small(folder: Path) -> Path:
    import duckdb

    from bench.million_rows import ROWS_SQL

    path = folder / "small.csv"
    with duckdb.connect() as connection:
        query = ROWS_SQL.format(seed=99, rows=1_000)
        connection.execute(f"COPY ({query}) TO '{path}' (HEADER, DELIMITER ',')")
    return path


def plain_part() -> None:
    """The plain script over each file that it is told."""
    import json

    import matplotlib as mpl

    from bench.analysis import plain

    mpl.use("Agg")
    for line in sys.stdin:
        path = Path(line.strip())
        print(json.dumps(sorted(plain(path, path.parent))), flush=True)


async def mesh_part(home: Path) -> None:
    """The warm mesh over each file that it is told."""
    import asyncio
    import json

    from bench.million_rows import QUESTION
    from clients.python.client import AssayClient
    from clients.python.question import Question
    from services.__main__ import embedded

    async with (
        embedded(home) as mesh,
        AssayClient(mesh.target, same_machine=True, local_paths=True) as assay,
    ):
        while line := await asyncio.to_thread(sys.stdin.readline):
            question = Question(
                QUESTION,
                data=(line.strip(),),
                deliverables=("table", "chart"),
                assume=True,
                timeout_seconds=_TIMEOUT_SECONDS,
            )
            async for event in assay.ask(question):
                if event.HasField("failure"):
                    raise RuntimeError(event.failure.message)
            job = await assay.get_job((await assay.list_jobs(1))[0].job_id)
            table = await assay.read_frame(job.job_id, job.answer.table)
            print(json.dumps(sorted(list(row.values()) for row in table.to_pylist())), flush=True)


def main() -> None:
    """Run both in turns over files of each shape, compare their answers, and print what it took."""
    parser = arguments("first_touch", __doc__)
    parser.add_argument("--turns", type=int, default=TURNS)
    options = parser.parse_args()
    if options.part == "plain":
        plain_part()
    elif options.part == "mesh":
        import asyncio

        asyncio.run(mesh_part(Path(options.rest[0])))
    else:
        keep({shape: _compared(shape, options.turns) for shape in SHAPES}, options.json)


def _compared(shape: str, turns: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        folder = Path(name)
        script = Worker("first_touch", "plain")
        mesh = Worker("first_touch", "mesh", str(folder / "home"))
        for worker in (script, mesh):
            worker.ask(_small(folder))
        ways: dict[str, list[Use]] = {"plain script": [], "first touch": [], "second touch": []}
        for seed in range(turns):
            path = _write(folder, shape, seed)
            ways["plain script"].append(script.ask(path))
            ways["first touch"].append(mesh.ask(path))
            ways["second touch"].append(mesh.ask(path))
            if len({str(uses[-1].response) for uses in ways.values()}) > 1:
                raise SystemExit("the mesh and the script disagree")
            path.unlink()
        for worker in (script, mesh):
            worker.close()
    return _tell(shape, ways)


def _tell(shape: str, ways: dict[str, list[Use]]) -> dict[str, Any]:
    rows, figures = [], {}
    base = ways["plain script"]
    for way, uses in ways.items():
        values = {
            "seconds": _median(uses, "seconds"),
            "processor": _median(uses, "processor"),
            "processor_in_all": _median(uses, "processor_in_all"),
            "peak_mb": _median(uses, "peak_bytes") / 2**20,
            "times": statistics.median(
                one.seconds / plain.seconds for one, plain in zip(uses, base, strict=True)
            ),
        }
        figures[way] = values
        rows.append(
            (
                way,
                values["seconds"],
                values["times"],
                values["processor"],
                values["processor"] / figures["plain script"]["processor"],
                values["processor_in_all"],
                values["peak_mb"],
                values["peak_mb"] / figures["plain script"]["peak_mb"],
                values["peak_mb"] - _median(uses, "before_bytes") / 2**20,
            )
        )
    head = (
        "",
        "s",
        "times",
        "processor s",
        "times",
        "until quiet",
        "peak MB",
        "times",
        "MB added",
    )
    print_table(f"{shape} (load {os.getloadavg()[0]:.1f})", head, rows)
    most, memory = SHAPES[shape]
    print(f"  targets: {most:g} times the time" + (f", {memory:g} the memory" if memory else ""))
    return figures


def _median(uses: Sequence[Use], name: str) -> float:
    return float(statistics.median(getattr(use, name) for use in uses))


if __name__ == "__main__":
    main()
