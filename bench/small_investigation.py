"""How long does a small investigation take? `python -m bench.small_investigation`

`assay investigate` of 100,000 rows with six dimensions, in which one combination of three values
moved (`bench/root_cause`), each time as a fresh process: from nothing (a home that has never been
used), on a home that has read the file before, and with a server that has answered it before. Told
are seconds until the first finding is on the screen, until the process ended, and of processor,
the server's included. What is compared is what a user would do instead: the sums of every value and
every pair of values in both periods, by DuckDB and by pandas (`bench/plain_investigation.py`).
"""

from __future__ import annotations

import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from bench.measure import REPOSITORY, arguments, keep, print_table

ASSAY = str(Path(sys.executable).with_name("assay"))
ROWS = 100_000
TOTAL_SECONDS, FIRST_SECONDS = 5.0, 2.0
COLD, READ, SERVED = "from nothing", "file read before", "with a server"
DUCKDB, PANDAS = "DuckDB by hand", "pandas by hand"


@dataclass(frozen=True)
class Taken:
    """Of a run: seconds to its first finding (0 where it tells none), to its end, of processor."""

    first: float
    seconds: float
    processor: float


def main() -> None:
    """Measure all ways in turns, so that a busy machine is busy for all of them."""
    parser = arguments("small_investigation", __doc__)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="assay-") as name:
        folder = Path(name)
        environment = _environment(folder)
        asked = _asked(folder)
        file = asked[asked.index("--data") + 1]
        cold, read, served = (folder / way for way in ("cold", "read", "served"))
        # With -P, or `import csv` would find the benchmark of that name beside the script.
        script = [sys.executable, "-P", str(REPOSITORY / "bench" / "plain_investigation.py")]
        with _server(served, environment) as server:
            ways: dict[str, Callable[[], Taken]] = {
                COLD: lambda: _from_nothing(asked, cold, environment),
                READ: lambda: _run([*asked, "--home", str(read)], environment),
                SERVED: lambda: _run([*asked, "--home", str(served)], environment, server),
                DUCKDB: lambda: _run([*script, "duckdb", file], environment),
                PANDAS: lambda: _run([*script, "pandas", file], environment),
            }
            taken: dict[str, list[Taken]] = {way: [] for way in ways}
            for number in range(options.rounds + 1):
                for way, work in ways.items():
                    one = work()
                    if number:  # the first round fills caches
                        taken[way].append(one)
    keep(_tell(taken), options.json)


def _asked(folder: Path) -> list[str]:
    """The command, over a file that is written here."""
    from pyarrow import csv

    from bench.root_cause.generator import make

    case = make("triple", 1, ROWS)
    file = folder / "orders.csv"
    csv.write_csv(case.rows, file)
    return [
        ASSAY,
        "investigate",
        "--data",
        str(file),
        "--metric",
        "sum(numerator)",
        "--baseline",
        f"{case.baseline.start}..{case.baseline.end}",
        "--compare",
        f"{case.comparison.start}..{case.comparison.end}",
    ]


def _environment(folder: Path) -> dict[str, str]:
    """The interpreter keeps bytecode, as an installed command does."""
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": str(folder / "bytecode"), "PYTHONUNBUFFERED": "1"}


def _from_nothing(asked: Sequence[str], home: Path, environment: Mapping[str, str]) -> Taken:
    shutil.rmtree(home, ignore_errors=True)
    return _run([*asked, "--home", str(home)], environment)


def _run(
    command: Sequence[str], environment: Mapping[str, str], server: psutil.Process | None = None
) -> Taken:
    """One run to its end. Raises RuntimeError where it fails."""
    of_server = _processor(server)
    first, began = 0.0, time.perf_counter()
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, text=True
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("found"):
                first = time.perf_counter() - began
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
    processor = usage.ru_utime + usage.ru_stime + _processor(server) - of_server
    return Taken(first, seconds, processor)


def _processor(server: psutil.Process | None) -> float:
    """Seconds of processor that a server and its processes have taken."""
    if server is None:
        return 0.0
    times = [one.cpu_times() for one in (server, *server.children(recursive=True))]
    ended = server.cpu_times()
    used = sum(one.user + one.system for one in times)
    return used + ended.children_user + ended.children_system


@contextmanager
def _server(home: Path, environment: Mapping[str, str]) -> Iterator[psutil.Process]:
    """A server on a home of its own."""
    command = [ASSAY, "up", "--home", str(home), "--listen", "127.0.0.1:0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
    ) as server:
        assert server.stdout is not None
        if not server.stdout.readline().startswith(b"listening"):
            raise RuntimeError("the server did not start")
        try:
            yield psutil.Process(server.pid)
        finally:
            server.send_signal(signal.SIGINT)


def _tell(taken: Mapping[str, Sequence[Taken]]) -> dict[str, object]:
    middle = {
        way: Taken(
            *(statistics.median(column) for column in zip(*map(_figures, runs), strict=True))
        )
        for way, runs in taken.items()
    }
    rows: list[Sequence[object]] = []
    values: dict[str, object] = {}
    for way, one in middle.items():
        times = {name: one.seconds / middle[name].seconds for name in (DUCKDB, PANDAS)}
        fastest = min(run.seconds for run in taken[way])
        first = one.first or "–"
        rows.append((way, first, one.seconds, fastest, one.processor, *times.values()))
        values[way] = {
            "first_seconds": round(one.first, 3),
            "seconds": round(one.seconds, 3),
            "fastest_seconds": round(fastest, 3),
            "processor_seconds": round(one.processor, 3),
            "times": {name: round(ratio, 2) for name, ratio in times.items()},
        }
    head = ("way", "first finding s", "s", "fastest", "processor s", "× DuckDB", "× pandas")
    print_table(
        f"{ROWS:,} rows, six dimensions; wanted: {FIRST_SECONDS:g} s and {TOTAL_SECONDS:g} s",
        head,
        rows,
    )
    return values


def _figures(one: Taken) -> tuple[float, float, float]:
    return one.first, one.seconds, one.processor


if __name__ == "__main__":
    main()
