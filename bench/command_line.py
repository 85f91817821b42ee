"""How long does the command take? `python -m bench.command_line`

Each command is a fresh process, in turns, on a home that has answered the question before. What is
compared: `ask` with a plain script that reads the same file with DuckDB and draws the same chart
with matplotlib (`bench/plain_question.py`), `jobs`, `show` and `recipes` with importing what they
stand on (gRPC and SQLAlchemy), `--help` with the bare interpreter. The processor's time is told
beside: it says less about waiting, and less about what else the machine did.

The interpreter keeps bytecode, in a folder of this run, whatever the environment says: an installed
command has it.
"""

from __future__ import annotations

import contextlib
import json
import os
import pty
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bench.measure import REPOSITORY, arguments, keep, milliseconds, print_table
from examples.retailer import write_retailer

ASSAY = str(Path(sys.executable).with_name("assay"))
QUESTION = "total quantity by channel"
BARE, LIBRARIES, SCRIPT = "python -c pass", "import grpc, sqlalchemy", "plain script"
TARGETS = {
    "assay --help": (BARE, 15.0),
    "assay jobs": (LIBRARIES, 2.5),
    "assay show": (LIBRARIES, 2.5),
    "assay recipes": (LIBRARIES, 2.5),
    "assay ask": (SCRIPT, 1.8),
    "assay ask, with a server": (SCRIPT, 1.0),
}
"""What each command is compared with, and how many times its time it may take."""

SIGN_OF_LIFE = "assay ask, first sign of life"
SIGN_SECONDS = 0.3


@dataclass
class Times:
    """Of one command: seconds until it ended, and seconds of processor that it and its
    children took."""

    seconds: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)


def main() -> None:
    """Measure all commands in turns, so that a busy machine is busy for all of them."""
    parser = arguments("command_line", __doc__)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="assay-") as name:
        folder = Path(name)
        environment = _environment(folder)
        orders, *_ = write_retailer(folder)
        _run(_ask(orders), environment)
        with _server(folder / "served", environment):
            commands = _commands(folder, orders, environment)
            times = {name: Times() for name in commands}
            signs: list[float] = []
            for number in range(options.rounds + 1):
                for command, arguments_ in commands.items():
                    seconds, processor = _run(arguments_, environment)
                    if number:  # the first round fills caches
                        times[command].seconds.append(seconds)
                        times[command].processor.append(processor)
                signs.append(_first_sign(_ask(orders), environment))
    keep(_tell(times, signs[1:]), options.json)


def _environment(folder: Path) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return {
        **kept,
        "ASSAY_HOME": str(folder / "home"),
        "PYTHONPYCACHEPREFIX": str(folder / "bytecode"),
    }


def _ask(orders: Path, *options: str) -> list[str]:
    return [ASSAY, "ask", QUESTION, "--data", str(orders), *options]


def _commands(
    folder: Path, orders: Path, environment: Mapping[str, str]
) -> dict[str, Sequence[str]]:
    listing = subprocess.run(
        [ASSAY, "jobs", "--json"], env=environment, check=True, capture_output=True
    )
    job = json.loads(listing.stdout)["jobs"][0]["job"]
    script = str(REPOSITORY / "bench" / "plain_question.py")
    served = _ask(orders, "--home", str(folder / "served"))
    _run(served, environment)
    return {
        BARE: [sys.executable, "-c", "pass"],
        "assay --help": [ASSAY, "--help"],
        LIBRARIES: [sys.executable, "-c", "import grpc, sqlalchemy"],
        "assay jobs": [ASSAY, "jobs"],
        "assay show": [ASSAY, "show", job],
        "assay recipes": [ASSAY, "recipes"],
        SCRIPT: [sys.executable, script, str(orders), str(folder)],
        "assay ask": _ask(orders),
        "assay ask, with a server": served,
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


@contextmanager
def _server(home: Path, environment: Mapping[str, str]) -> Iterator[None]:
    """A server on a home of its own."""
    command = [ASSAY, "up", "--home", str(home), "--listen", "127.0.0.1:0"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**environment, "PYTHONUNBUFFERED": "1"},
    ) as server:
        assert server.stdout is not None
        if not server.stdout.readline().startswith(b"listening"):
            raise RuntimeError("the server did not start")
        try:
            yield
        finally:
            server.send_signal(signal.SIGINT)


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
