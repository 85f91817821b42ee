"""`python -m tests.fault.executor_observed executor`: the service, telling which calls it runs.

For every call that it sets a tool to work on, it appends a line to the file ASSAY_TEST_RUNS: the
call's id, and whether a record of its completion was there already, which must never be.
With ASSAY_TEST_CLOCK=jumping the time of day jumps an hour forth and back at every look.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import AsyncGenerator, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from mesh.clock import SystemClock
from services.__main__ import main
from services.executor.app import Call, Executor, Outcome

AGAIN = "again"


def observe(runs: Path, calls: Path) -> None:
    """Have every run written down."""
    execute = Executor.execute

    def observed(
        executor: Executor, call: Call, keep: Callable[[Outcome], None]
    ) -> AsyncGenerator[Any]:
        completed = any(calls.rglob(f"{call.call_id}.*"))
        with runs.open("a") as file:
            file.write(f"{call.call_id} {AGAIN if completed else 'first'}\n")
        return execute(executor, call, keep)

    Executor.execute = observed  # type: ignore[method-assign,assignment]


def make_the_clock_jump() -> None:
    """An hour forth at every second look at the time of day, and back at the next.

    The machine's own clock stays: gRPC takes the difference of two clocks it reads at one moment.
    """
    hours = itertools.cycle((0, 1))
    SystemClock.now = lambda _: datetime.now(UTC) + timedelta(hours=next(hours))  # type: ignore[method-assign,assignment]


if __name__ == "__main__":
    observe(Path(os.environ["ASSAY_TEST_RUNS"]), Path(os.environ["ASSAY_HOME"], "executor/calls"))
    if os.environ.get("ASSAY_TEST_CLOCK") == "jumping":
        make_the_clock_jump()
    main()
