"""What does reading a metric cost? `python -m bench.metric_cube [--json FILE] [ROWS …]`

Rows of 8 dimensions of 4 to 1,000 values over 60 days, in Parquet. `metric.margins` and then
`metric.cube`, as an investigation calls them, against one statement of DuckDB's own: GROUP BY
GROUPING SETS over all 28 pairs of the dimensions (a CUBE limited to pairs), over the same rows, in
turns. Each side is a process of its own; time is from the call to the rows, memory the peak of the
process. Processor time tells of the work where the machine is shared, and DuckDB alone may use all
cores, while sums of floating point are added by one, so that they come out the same every time.

The sizes, 1, 3 and 10 million rows without any, tell how cost grows. The seconds of 100,000 rows
are those of an investigation that should be told within a few.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path
from typing import Any

from bench.measure import REPOSITORY, arguments, keep, peak_bytes, print_table, tell

TIME_TARGET, MEMORY_TARGET = 3.0, 1.5
SIZES = (100_000, 1_000_000, 3_000_000, 10_000_000)
ROUNDS = 3
VALUES = (4, 8, 20, 50, 100, 250, 500, 1_000)
DIMENSIONS = [f"d{place}" for place in range(len(VALUES))]
_LAST = {"baseline": ("2024-01-01", "2024-01-30"), "comparison": ("2024-01-31", "2024-02-29")}


def write_parquet(path: Path, rows: int) -> None:
    """Amounts of 60 days; of each dimension the first values are the frequent ones."""
    import duckdb

    dimensions = ", ".join(
        f"'value ' || least(hash(i * {7 + 2 * place}) % {count},"
        f" hash(i * {8 + 2 * place}) % {count}) AS {name}"
        for place, (name, count) in enumerate(zip(DIMENSIONS, VALUES, strict=True))
    )
    select = (
        "SELECT DATE '2024-01-01' + (hash(i) % 60)::INTEGER AS sold_on,"
        f" (hash(i * 5) % 100000) / 7.0 AS amount, {dimensions} FROM range({rows}) AS numbers(i)"
    )
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({select}) TO '{path}' (FORMAT parquet)")


def pairs_part(path: Path) -> None:
    """DuckDB alone: every pair of the dimensions, each time a line is read."""
    import duckdb

    sets = ", ".join(f"({one}, {other})" for one, other in combinations(DIMENSIONS, 2))
    sql = (
        f"SELECT {', '.join(DIMENSIONS)}, sum(amount) AS amount, count(*) AS n"
        f" FROM read_parquet('{path}') GROUP BY GROUPING SETS ({sets})"
    )
    with duckdb.connect() as connection:
        for _ in sys.stdin:
            with _measured() as figures:
                reader = connection.execute(sql).to_arrow_reader(65_536)
                figures["rows"] = sum(batch.num_rows for batch in reader)
            tell(figures)


def tools_part(path: Path) -> None:
    """The two tools, one after the other, each time a line is read."""
    from mesh.tool import ToolContext
    from services.executor.metric.arguments import CubeArguments, MarginsArguments
    from services.executor.tools.metric_cube import metric_cube
    from services.executor.tools.metric_margins import metric_margins

    periods = {side: {"start": a, "end": b} for side, (a, b) in _LAST.items()}
    rows: dict[str, Any] = {
        "relation": f"SELECT sold_on, amount, {', '.join(DIMENSIONS)} FROM rows",
        "time": "sold_on",
        "numerator": "amount",
        "dimensions": DIMENSIONS,
        **periods,
    }
    context: Any = _Context(path)
    checked: ToolContext = context
    for _ in sys.stdin:
        context.inputs = {}
        with _measured() as figures:
            begun = time.perf_counter()
            margins = metric_margins.run(MarginsArguments(**rows), checked)
            figures["margins_seconds"] = time.perf_counter() - begun
            context.inputs = {"margins": margins.frame}
            cube = metric_cube.run(CubeArguments(**rows), checked)
            assert cube.frame is not None
            figures["rows"] = cube.frame.num_rows
        tell(figures)


class _Context:
    """A tool's context over one file, the query in this very process."""

    row_limit, seconds_left = 200_000, 600.0

    def __init__(self, path: Path) -> None:
        import threading

        from services.executor.domain.source import DataSource
        from services.executor.engines.duckdb.engine import DuckDBEngine
        from services.executor.sources.library import SourceLibrary

        library = SourceLibrary(path.parent / "home", seconds=3_600)
        self._source = library.open(DataSource(file_path=str(path)))
        library.close()
        self._engine = DuckDBEngine()
        self.inputs: dict[str, Any] = {}
        self.cancelled = threading.Event()

    def query(self, sql: str, parameters: list[Any], row_limit: int, seconds: float) -> Any:
        from mesh.policy import Policy

        return self._engine.query(
            [self._source],
            sql,
            parameters,
            row_limit=row_limit,
            seconds=seconds,
            cancelled=self.cancelled,
            policy=Policy(),
        )

    def progress(self, message: str, fraction: float | None = None) -> None:
        """Nobody watches."""


@contextmanager
def _measured() -> Iterator[dict[str, Any]]:
    figures: dict[str, Any] = {}
    wall, processor = time.perf_counter(), time.process_time()
    yield figures
    figures["seconds"] = time.perf_counter() - wall
    figures["processor"] = time.process_time() - processor
    figures["peak_bytes"] = peak_bytes("self")


@contextmanager
def _side(name: str, path: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "bench.metric_cube", "--part", name, str(path)]
    with subprocess.Popen(
        command, cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def _asked(side: subprocess.Popen[str]) -> dict[str, Any]:
    assert side.stdin is not None
    assert side.stdout is not None
    side.stdin.write("again\n")
    side.stdin.flush()
    values: dict[str, Any] = json.loads(side.stdout.readline())
    return values


def compared(rows: int) -> dict[str, Any]:
    """Both sides in turns over one file; the first round warms up."""
    values: dict[str, list[dict[str, Any]]] = {"pairs": [], "tools": []}
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        path = Path(folder) / "rows.parquet"
        write_parquet(path, rows)
        with _side("pairs", path) as pairs, _side("tools", path) as tools:
            for number in range(ROUNDS + 1):
                for name, side in (("pairs", pairs), ("tools", tools)):
                    figures = _asked(side)
                    if number:
                        values[name].append(figures)
    median = {
        name: {key: statistics.median(f[key] for f in rounds) for key in rounds[0]}
        for name, rounds in values.items()
    }
    return median | {
        "times": median["tools"]["seconds"] / median["pairs"]["seconds"],
        "processor_times": median["tools"]["processor"] / median["pairs"]["processor"],
        "memory_times": median["tools"]["peak_bytes"] / median["pairs"]["peak_bytes"],
    }


def main() -> None:
    """Measure each size, and say which targets were met."""
    options = arguments("metric_cube", __doc__).parse_args()
    if options.part:
        part = {"pairs": pairs_part, "tools": tools_part}[options.part]
        return part(Path(options.rest[0]))
    sizes = [int(size) for size in options.rest] or list(SIZES)
    figures = {str(rows): compared(rows) for rows in sizes}
    print_table(
        "margins and cube against all pairs by DuckDB alone (targets at 10,000,000 rows: "
        f"{TIME_TARGET:g} times the time, {MEMORY_TARGET:g} times the memory)",
        (
            "rows",
            "pairs s",
            "tools s",
            "times",
            "of processor time",
            "pairs MB",
            "tools MB",
            "times",
            "tools µs a row",
        ),
        [
            (
                f"{rows:,}",
                values["pairs"]["seconds"],
                values["tools"]["seconds"],
                values["times"],
                values["processor_times"],
                values["pairs"]["peak_bytes"] / 2**20,
                values["tools"]["peak_bytes"] / 2**20,
                values["memory_times"],
                values["tools"]["seconds"] / rows * 1e6,
            )
            for rows, values in zip(sizes, figures.values(), strict=True)
        ],
    )
    last = figures[str(sizes[-1])]
    met = last["times"] <= TIME_TARGET and last["memory_times"] <= MEMORY_TARGET
    if sizes[-1] >= SIZES[-1]:
        print("met" if met else "MISSED")
    keep(figures, options.json)


if __name__ == "__main__":
    main()
