"""How long does the command take? `python -m bench.command_line`

Each command is a fresh process, in turns, on a home that has answered the question before and whose
mesh serves in the background; once a round it is ended, and `ask` starts it anew. What is
compared: `ask` with a plain script that reads the same file with DuckDB and draws the same chart
with matplotlib (`bench/plain_question.py`), `jobs`, `show` and `recipes` with importing what they
stand on (gRPC and SQLAlchemy), `--help` with the bare interpreter, and questions of a million rows,
asked before or not, with the script over the same file. The processor's time is of the command
alone, not of the mesh. Told beside is the memory of the mesh, at work and once it rests.

The interpreter keeps bytecode, in a folder of this run, whatever the environment says: an installed
command has it.
"""

from __future__ import annotations

import contextlib
import json
import os
import pty
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.measure import REPOSITORY, arguments, keep, milliseconds, print_table
from bench.million_rows import write_million
from examples.retailer import write_retailer

ASSAY = str(Path(sys.executable).with_name("assay"))
QUESTION = "total quantity by channel"
BARE, LIBRARIES, SCRIPT = "python -c pass", "import grpc, sqlalchemy", "plain script"
COLD = "assay ask, nothing running"
MILLION_SCRIPT = "plain script, a million rows"
MILLION_AGAIN = "assay ask, a million rows again"
MILLION_OTHER = "assay ask, a million rows, another question"
OTHERS = (
    "average unit price by region",
    "total quantity by product",
    "average discount by channel",
    "number of sales by region",
    "total quantity by region in 2023",
    "highest price by product",
    "average quantity by channel in 2024",
    "number of sales by channel",
    "total discount by region",
    "average unit price by channel",
    "lowest unit price by region",
    "total quantity by month",
)
"""Questions of a million rows, one for each round: none was asked before."""
READ_BEFORE = "median quantity by channel"
TARGETS = {
    "assay --help": (BARE, 15.0),
    "assay jobs": (LIBRARIES, 1.2),
    "assay show": (LIBRARIES, 1.2),
    "assay recipes": (LIBRARIES, 1.2),
    COLD: (SCRIPT, 2.2),
    "assay ask": (SCRIPT, 1.0),
    MILLION_AGAIN: (MILLION_SCRIPT, 1.0),
    MILLION_OTHER: (MILLION_SCRIPT, 1.0),
}
"""What each command is compared with, and how many times its time it may take."""

SIGN_OF_LIFE = "assay ask, first sign of life"
SIGN_SECONDS = 0.3
REST_SECONDS, RESTING_PROCESSES, IDLE_MB = 240, 2, 350


@dataclass
class Times:
    """Of one command: seconds until it ended, and seconds of processor that it and its
    children took."""

    seconds: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)
    _first: bool = True

    def add(self, taken: tuple[float, float]) -> None:
        """Count one round, but for the first, which fills caches."""
        if not self._first:
            self.seconds.append(taken[0])
            self.processor.append(taken[1])
        self._first = False


def main() -> None:
    """Measure all commands in turns, so that a busy machine is busy for all of them."""
    parser = arguments("command_line", __doc__)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="assay-") as name:
        folder = Path(name)
        environment = _environment(folder)
        orders, *_ = write_retailer(folder)
        million = write_million(folder)
        try:
            for place in (orders, million):
                _run(_ask(place), environment)
            commands = _commands(folder, orders, million, environment)
            times = {name: Times() for name in (*commands, COLD, MILLION_OTHER)}
            signs: list[float] = []
            for number in range(options.rounds + 1):
                asked = _ask(million, question=OTHERS[number % len(OTHERS)])
                for command, arguments_ in {**commands, MILLION_OTHER: asked}.items():
                    times[command].add(_run(arguments_, environment))
                signs.append(_first_sign(_ask(orders), environment))
                _run([ASSAY, "down"], environment)
                times[COLD].add(_run(_ask(orders), environment))
                for question in (QUESTION, READ_BEFORE):  # the new mesh is warm, too
                    _run(_ask(million, question), environment)
            figures = _tell(times, signs[1:]) | {"memory_mb": _memory(environment)}
        finally:
            _run([ASSAY, "down"], environment)
    keep(figures, options.json)


def _environment(folder: Path) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return {
        **kept,
        "ASSAY_HOME": str(folder / "home"),
        "ASSAY_BACKGROUND": "1",
        "PYTHONPYCACHEPREFIX": str(folder / "bytecode"),
    }


def _ask(data: Path, question: str = QUESTION) -> list[str]:
    return [ASSAY, "ask", question, "--data", str(data)]


def _commands(
    folder: Path, orders: Path, million: Path, environment: Mapping[str, str]
) -> dict[str, Sequence[str]]:
    listing = subprocess.run(
        [ASSAY, "jobs", "--json"], env=environment, check=True, capture_output=True
    )
    job = json.loads(listing.stdout)["jobs"][-1]["job"]
    script = str(REPOSITORY / "bench" / "plain_question.py")
    return {
        BARE: [sys.executable, "-c", "pass"],
        "assay --help": [ASSAY, "--help"],
        LIBRARIES: [sys.executable, "-c", "import grpc, sqlalchemy"],
        "assay jobs": [ASSAY, "jobs"],
        "assay show": [ASSAY, "show", job],
        "assay recipes": [ASSAY, "recipes"],
        SCRIPT: [sys.executable, script, str(orders), str(folder)],
        "assay ask": _ask(orders),
        MILLION_SCRIPT: [sys.executable, script, str(million), str(folder)],
        MILLION_AGAIN: _ask(million),
    }


def _run(command: Sequence[str], environment: Mapping[str, str]) -> tuple[float, float]:
    """Seconds, and seconds of processor."""
    began = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment) as process:
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
    return seconds, usage.ru_utime + usage.ru_stime


def _first_sign(command: Sequence[str], environment: Mapping[str, str]) -> float:
    """Seconds until a person at a terminal sees anything."""
    ours, theirs = pty.openpty()
    began = time.perf_counter()
    with subprocess.Popen(command, stdout=theirs, stderr=theirs, env=environment):
        os.close(theirs)
        os.read(ours, 1)
        seconds = time.perf_counter() - began
        with contextlib.suppress(OSError):  # a terminal whose programs have ended
            while os.read(ours, 1 << 16):
                pass
    os.close(ours)
    return seconds


def _memory(environment: Mapping[str, str]) -> dict[str, float]:
    """Megabytes of all processes of the mesh, shared pages by their part: after the last answer,
    and once what nothing calls has ended."""

    def told() -> tuple[float, int]:
        shown = subprocess.run(
            [ASSAY, "status", "--json"], env=environment, check=True, capture_output=True
        )
        mesh = json.loads(shown.stdout)["mesh"]
        return mesh["memory_bytes"] / 1e6, mesh["processes"]

    at_work, processes = told()
    end = time.monotonic() + REST_SECONDS
    resting, left = at_work, processes
    while left > RESTING_PROCESSES and time.monotonic() < end:
        time.sleep(5)
        resting, left = told()
    print_table(
        "memory of the mesh",
        ("", "MB", "at most"),
        [("at work", at_work, "–"), ("idle", resting, 350)],
    )
    return {"at_work": round(at_work), "idle": round(resting)}


def _tell(times: Mapping[str, Times], signs: Sequence[float]) -> dict[str, object]:
    rows: list[Sequence[object]] = []
    figures: dict[str, object] = {}
    for name, taken in times.items():
        compared, target = TARGETS.get(name, (name, 0.0))
        base = times[compared]
        ratio = statistics.median(taken.seconds) / statistics.median(base.seconds)
        work = statistics.median(taken.processor) / statistics.median(base.processor)
        rows.append(
            (
                name,
                statistics.median(taken.seconds) * 1e3,
                ratio,
                work,
                f"{target:g} × {compared}" if target else "–",
            )
        )
        figures[name] = {
            **milliseconds(taken.seconds),
            "times": round(ratio, 2),
            "times_processor": round(work, 2),
        }
    rows.append(
        (SIGN_OF_LIFE, statistics.median(signs) * 1e3, "–", "–", f"{SIGN_SECONDS * 1e3:g} ms")
    )
    figures[SIGN_OF_LIFE] = milliseconds(signs)
    head = ("command", "median ms", "times", "times processor", "at most")
    print_table("a fresh process", head, rows)
    return figures


if __name__ == "__main__":
    main()
