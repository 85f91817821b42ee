"""`python -m tests.fault.executor_observed executor`: the service, telling which calls it runs.

For every call that it sets a tool to work on, it appends a line to the file ASSAY_TEST_RUNS: the
call's id, and whether a record of its completion was there already, which must never be.
"""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any

from services.__main__ import main
from services.executor.app import Executor
from services.executor.call import Call, Outcome

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


if __name__ == "__main__":
    observe(Path(os.environ["ASSAY_TEST_RUNS"]), Path(os.environ["ASSAY_HOME"], "executor/calls"))
    main()
