"""`python -m tests.scaled.observed executor`: the service, telling which calls its tools ran.

All executors append to the file ASSAY_TEST_RUNS: `ran` and the call's id when a tool is set to work
on it, `kept` and the id once what came of it is in the store that all of them share.
"""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any

from services.__main__ import main
from services.executor.app import Executor
from services.executor.call import Call, Outcome

RAN, KEPT = "ran", "kept"


def observe(runs: Path) -> None:
    """Have every run written down; one write of a line is whole, whoever else writes."""
    execute = Executor.execute

    def note(what: str, call: Call) -> None:
        with runs.open("a") as file:
            file.write(f"{what} {call.call_id}\n")

    def observed(
        executor: Executor, call: Call, keep: Callable[[Outcome], None]
    ) -> AsyncGenerator[Any]:
        def kept(outcome: Outcome) -> None:
            keep(outcome)
            note(KEPT, call)

        note(RAN, call)
        return execute(executor, call, kept)

    Executor.execute = observed  # type: ignore[method-assign,assignment]


def ran_again(runs: Path) -> list[str]:
    """Calls whose tool was set to work once more after what came of it had been kept."""
    kept: set[str] = set()
    again = []
    for line in runs.read_text(encoding="utf-8").splitlines():
        what, call = line.split()
        if what == KEPT:
            kept.add(call)
        elif call in kept:
            again.append(call)
    return again


if __name__ == "__main__":
    observe(Path(os.environ["ASSAY_TEST_RUNS"]))
    main()
