"""What does keeping generated Python in cost? `python -m bench.sandbox`

The same code over the same frames by a bare warm interpreter (everything imported, `exec` in the
process itself, figures drawn) and by `python.run`'s sandbox, which forks a fresh process for every
run and has the reply read by another. Target: at most 150 ms more a run.

Then a neighbour: the slowest hundredth of short queries in this process, alone and beside bombs in
the sandbox, taking turns so that whatever else the machine does falls on each alike. Expected: it
at most doubles (failure case 21).
"""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from bench.measure import arguments, keep, milliseconds, part, print_table, repeated, tell
from mesh.tool import ToolError
from services.executor.sandbox.limits import SandboxLimits
from services.executor.sandbox.runner import PythonSandbox

TARGET_MS, NEIGHBOUR_TARGET = 150.0, 2.0
ROUNDS, WARM_UP = 30, 3
TURNS, QUERIES = 8, 250
LARGE_ROWS = 500_000

CODE = {
    "a number": "result = 1",
    "group 1,000 rows": "result = small.groupby('key').value.mean()",
    "group and draw": "result = small.groupby('key').value.mean()\nresult.plot.bar()",
    "regression": (
        "import statsmodels.formula.api as smf\n"
        "result = smf.ols('value ~ number', small).fit().params"
    ),
    f"group {LARGE_ROWS:,} rows": "result = large.groupby('key').value.mean()",
    f"give {LARGE_ROWS:,} rows back": "result = large.assign(value=large.value * 2)",
}
BOMBS = {
    "endless loop": "while True: pass",
    "memory": "x = []\nwhile True: x.append(bytearray(1 << 20))",
    "disk": "import os\nwhile True: open(os.environ['TMPDIR'] + '/x', 'wb').write(bytes(1 << 24))",
    "processes": "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass",
    "output": "while True: print('x' * 4096)",
    "threads": (
        "import threading\ndef f():\n    while True: pass\n"
        "while True:\n    try: threading.Thread(target=f).start()\n    except RuntimeError: pass"
    ),
}


def frames() -> dict[str, pa.Table]:
    """A small and a large frame of the same columns."""

    def of(rows: int) -> pa.Table:
        numbers = pa.array(range(rows))
        keys = pa.array([f"key {number % 50}" for number in range(rows)])
        values = pa.array([(number * 7919 % 1000) / 10 for number in range(rows)])
        return pa.table({"key": keys, "number": numbers, "value": values})

    return {"small": of(1_000), "large": of(LARGE_ROWS)}


def used(code: str, given: Mapping[str, pa.Table]) -> dict[str, pa.Table]:
    """The frames that the code names."""
    return {name: table for name, table in given.items() if name in code}


def bare_part() -> None:
    """Each code in this interpreter, which has everything imported."""
    from matplotlib import pyplot as plt

    from services.executor.sandbox.inside import foreign

    foreign.warm_up()
    given, figures = frames(), {}

    def run(code: str) -> None:
        foreign.run(code, used(code, given))
        plt.close("all")

    for name, code in CODE.items():
        figures[name] = milliseconds(repeated(lambda code=code: run(code), ROUNDS, WARM_UP))  # type: ignore[misc]
    tell(figures)


def sandbox_part() -> None:
    """Each code in a warm sandbox, and how long the first took to be there."""
    given, never = frames(), threading.Event()
    sandbox = PythonSandbox(size=1)
    start = time.perf_counter()
    sandbox.run("result = 1", {}, 60, never)
    figures: dict[str, Any] = {"first_ms": round((time.perf_counter() - start) * 1e3, 1)}
    figures["isolation"] = sandbox.pool.isolation
    for name, code in CODE.items():
        work = lambda code=code: sandbox.run(code, used(code, given), 60, never)  # noqa: E731
        figures[name] = milliseconds(repeated(work, ROUNDS, WARM_UP))
    sandbox.close()
    tell(figures)


def neighbour_part() -> None:
    """Short queries in this process: alone, then beside one bomb after the other."""
    import duckdb

    sandbox = PythonSandbox(SandboxLimits(memory_bytes=512 << 20), size=1)
    sandbox.run("result = 1", {}, 60, threading.Event())
    connection = duckdb.connect(config={"threads": 1})
    connection.execute("CREATE TABLE t AS SELECT range AS n, range % 97 AS k FROM range(200000)")
    query = "SELECT k, sum(n) FROM t GROUP BY k ORDER BY k"

    times: dict[str, list[float]] = {name: [] for name in ("alone", *BOMBS)}
    for _ in range(TURNS):
        for name in times:
            stop = threading.Event()
            bomb = threading.Thread(target=_again_and_again, args=(sandbox, BOMBS.get(name), stop))
            bomb.start()
            work = lambda: connection.execute(query).fetchall()  # noqa: E731
            times[name] += repeated(work, QUERIES, 20)
            stop.set()
            bomb.join()
    sandbox.close()
    alone = _p99(times["alone"])
    tell(
        {
            name: {
                "p99_ms": _p99(some) * 1e3,
                "median_ms": statistics.median(some) * 1e3,
                "times": _p99(some) / alone,
            }
            for name, some in times.items()
        }
    )


def _p99(times: list[float]) -> float:
    return statistics.quantiles(times, n=100)[98]


def _again_and_again(sandbox: PythonSandbox, code: str | None, stop: threading.Event) -> None:
    while code and not stop.is_set():
        try:
            sandbox.run(code, {}, 30, stop)
        except ToolError:
            continue


def print_figures(
    bare: dict[str, Any], kept_in: dict[str, Any], beside: dict[str, Any]
) -> dict[str, Any]:
    """Print the figures, and give them as they are kept."""
    rows, over = [], {}
    for name in CODE:
        plain, sandboxed = bare[name]["median_ms"], kept_in[name]["median_ms"]
        over[name] = round(sandboxed - plain, 1)
        rows.append([name, plain, sandboxed, over[name]])
    print_table("ms a run, medians", ["code", "bare", "sandbox", "more"], rows)
    worst = max(over.values())
    met = "met   " if worst <= TARGET_MS else "MISSED"
    print(f"{met}  {worst:.0f} ms more at most; at most {TARGET_MS:.0f}")
    first = kept_in["first_ms"]
    print(f"isolation: {kept_in['isolation']}; {first:,.0f} ms until the first run had ended")
    rows = [[name, f["median_ms"], f["p99_ms"], f["times"]] for name, f in beside.items()]
    print_table("a neighbour's queries, ms", ["beside", "median", "p99", "times alone"], rows)
    slowest = max(figure["times"] for figure in beside.values())
    met = "met   " if slowest <= NEIGHBOUR_TARGET else "MISSED"
    print(f"{met}  p99 {slowest:.2f} times at most; at most {NEIGHBOUR_TARGET:.0f}")
    return {"bare": bare, "sandbox": kept_in, "more_ms": over, "neighbour": beside}


def main() -> None:
    """Measure, print, keep."""
    options = arguments("sandbox", __doc__).parse_args()
    parts = {"bare": bare_part, "sandbox": sandbox_part, "neighbour": neighbour_part}
    if options.part:
        parts[options.part]()
        return
    keep(print_figures(*(part("sandbox", name).report for name in parts)), options.json)


if __name__ == "__main__":
    main()
