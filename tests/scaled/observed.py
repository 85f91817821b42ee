"""`python -m tests.scaled.observed executor`: the service, telling which calls its tools ran.

All executors append to the file ASSAY_TEST_RUNS, one line each: `ran` and the call's id when a tool
is set to work on it, `kept` and the id once what came of it is in the store that all of them share,
and `again` in place of `ran` where it had been kept before the call was asked for: what must never
be. Two planners that both think a job theirs for a moment may ask for a call before it is kept.
"""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from assay.executor.v1 import executor_service_pb2 as pb
from services.__main__ import main
from services.executor.app import Executor
from services.executor.call import Call, Outcome
from services.executor.rpc import ExecutorServicer

RAN, KEPT, AGAIN = "ran", "kept", "again"
_kept_before: ContextVar[bool] = ContextVar("kept_before", default=False)


def observe(runs: Path) -> None:
    """Have every run written down; one write of a line is whole, whoever else writes."""
    execute, asked = Executor.execute, ExecutorServicer.Execute

    def note(what: str, call_id: str) -> None:
        with runs.open("a") as file:
            file.write(f"{what} {call_id}\n")

    async def noticed(
        servicer: ExecutorServicer, request: pb.ExecuteRequest, context: Any
    ) -> AsyncIterator[pb.ExecuteResponse]:
        _kept_before.set(f"{KEPT} {request.call.call_id}\n" in runs.read_text(encoding="utf-8"))
        answering: Any = asked(servicer, request, context)
        async with aclosing(answering) as updates:
            async for update in updates:
                yield update

    def observed(
        executor: Executor, call: Call, keep: Callable[[Outcome], None]
    ) -> AsyncGenerator[Any]:
        def kept(outcome: Outcome) -> None:
            keep(outcome)
            if outcome.error is None:
                note(KEPT, call.call_id)

        note(AGAIN if _kept_before.get() else RAN, call.call_id)
        return execute(executor, call, kept)

    Executor.execute = observed  # type: ignore[method-assign,assignment]
    ExecutorServicer.Execute = noticed  # type: ignore[method-assign,assignment]


def ran_again(runs: Path) -> list[str]:
    """Calls that were asked for after what came of them had been kept, and ran once more."""
    lines = [line.split() for line in runs.read_text(encoding="utf-8").splitlines()]
    assert any(what == KEPT for what, _ in lines), "nothing was observed"
    return [call for what, call in lines if what == AGAIN]


if __name__ == "__main__":
    observe(Path(os.environ["ASSAY_TEST_RUNS"]))
    main()
