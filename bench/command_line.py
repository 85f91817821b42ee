"""How soon does `assay --help` answer? `python -m bench.command_line`

Against the bare interpreter, `python -c pass`, each a fresh process; target: at most 15 times.
"""

from __future__ import annotations

import statistics
import sys
from pathlib import Path

from bench.measure import arguments, child, keep, milliseconds, print_table

TARGET = 15.0
ASSAY = str(Path(sys.executable).with_name("assay"))
COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "assay --help": [ASSAY, "--help"],
    "assay ask --help": [ASSAY, "ask", "--help"],
}


def main() -> None:
    """Measure the commands in turns, so that a busy machine is busy for all of them."""
    parser = arguments("command_line", __doc__)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    peaks: dict[str, int] = {}
    for number in range(options.rounds + 1):
        for name, command in COMMANDS.items():
            done = child(command)
            if number:  # the first round fills the disk's cache
                times[name].append(done.seconds)
                peaks[name] = max(peaks.get(name, 0), done.peak_bytes)
    bare = statistics.median(times["python -c pass"])
    ratios = {name: statistics.median(taken) / bare for name, taken in times.items()}
    rows = [
        (name, statistics.median(taken) * 1e3, peaks[name] / 2**20, ratios[name])
        for name, taken in times.items()
    ]
    print_table("a fresh process", ("command", "median ms", "peak MB", "times bare"), rows)
    print(f"  target: at most {TARGET:g} times")
    keep(
        {
            name: {**milliseconds(taken), "times_bare": round(ratios[name], 2)}
            for name, taken in times.items()
        },
        options.json,
    )


if __name__ == "__main__":
    main()
