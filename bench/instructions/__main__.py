"""Ask the questions: `python -m bench.instructions [--table NAME] [--failures] [--all]`.

Failures are shown of open tables only; `--holdout` shows those of the tables held out.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections import Counter
from collections.abc import Sequence

from bench.instructions.asking import Outcome, ask_all

_VERDICTS = ("right", "wrong", "refused", "crashed")


def main() -> None:
    """Ask them, and tell how many were right, wrong and refused."""
    parser = argparse.ArgumentParser(prog="python -m bench.instructions")
    parser.add_argument("--table", action="append", default=[], help="only questions about it")
    parser.add_argument("--failures", action="store_true", help="show what was not right")
    parser.add_argument("--all", action="store_true", help="show what was right as well")
    parser.add_argument("--holdout", action="store_true", help="show it of tables held out too")
    given = parser.parse_args()
    began = time.perf_counter()
    outcomes = asyncio.run(ask_all(given.table))
    for outcome in outcomes:
        shown = given.all or (given.failures and outcome.verdict != "right")
        if shown and (given.holdout or not outcome.held_out):
            _show(outcome)
    _print_outcomes("open", [o for o in outcomes if not o.held_out])
    _print_outcomes("held out", [o for o in outcomes if o.held_out])
    print(f"{len(outcomes)} questions in {time.perf_counter() - began:.1f} s")


def _print_outcomes(name: str, outcomes: Sequence[Outcome]) -> None:
    if not outcomes:
        return
    counts = Counter(outcome.verdict for outcome in outcomes)
    parts = ", ".join(
        f"{counts[v]} {v} ({counts[v] / len(outcomes):.0%})" for v in _VERDICTS if counts[v]
    )
    print(f"{name:<9} {len(outcomes):>3}: {parts}")


def _show(outcome: Outcome) -> None:
    print(f"{outcome.verdict.upper()} [{outcome.table}] {outcome.asked.text}")
    print(f"    right: {outcome.truth}")
    print(f"    told:  {' '.join(outcome.notes)}")
    print(f"    {outcome.reply}\n")


if __name__ == "__main__":
    main()
