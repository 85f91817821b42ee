"""Warm processes that run queries, a few at a time."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from mesh.policy import Policy
from mesh.telemetry.tracebacks import ElsewhereError
from mesh.tool import ErrorCategory, ToolError
from services.executor.engines.duckdb.query_child import POLL_SECONDS, QueryChild
from services.executor.probing.batch import Batch
from services.executor.probing.outcome import QueryOutcome, read_outcome
from services.executor.sources.disposable.refusals import raise_refusal
from services.executor.sources.prepared import PreparedSource

log = logging.getLogger("assay.executor")

# How a process ends that the system refuses memory, or ends to have some.
_OUT_OF_MEMORY = (-signal.SIGKILL, -signal.SIGABRT)


class QueryProcesses:
    """Runs guarded statements in up to `most` processes, each limited to `memory_limit`.

    A process keeps the workspaces it opened, so the one that had the same sources before is taken
    if it is free. One whose address space a query has used up is ended: what is left in pieces
    would fail innocent queries. One object serves all threads.
    """

    def __init__(self, memory_limit: str = "4GB", most: int | None = None) -> None:
        self._memory_limit = memory_limit
        self._most = most or max(2, min(4, os.cpu_count() or 2))
        self._changed = threading.Condition()
        self._idle: list[QueryChild] = []
        self._count = 0
        self._closed = False

    def start(self) -> None:
        """Start one process, without waiting until it is ready."""
        with self._changed:
            if not self._count and not self._closed:
                self._count = 1
                self._idle.append(QueryChild(self._memory_limit))

    def close(self) -> None:
        """End all processes; queries under way fail."""
        with self._changed:
            self._closed = True
            idle, self._idle = self._idle, []
            self._changed.notify_all()
        for process in idle:
            process.end()

    def run(
        self,
        sources: Sequence[PreparedSource],
        policy: Policy,
        parallel: bool,
        statement: str,
        parameters: Sequence[Any],
        *,
        row_limit: int,
        byte_limit: int,
        seconds: float,
        cancelled: threading.Event,
    ) -> pa.Table:
        """The rows; `parallel` lets several threads compute. Raises ToolError, AssayError."""
        begun = time.monotonic()
        request: dict[str, Any] = {
            "parallel": parallel,
            "statement": statement,
            "parameters": list(parameters),
            "row_limit": row_limit,
            "byte_limit": byte_limit,
            "seconds": seconds,
            "begun": begun,
        }
        return _result(*self._asked(sources, policy, request, begun + seconds, cancelled))

    def look(
        self,
        sources: Sequence[PreparedSource],
        policy: Policy,
        parallel: bool,
        batch: Batch,
        cancelled: threading.Event,
        *,
        may_start: bool,
    ) -> list[QueryOutcome]:
        """What the data says of guarded statements, all in one process.

        Unless it `may_start` one, it waits for a process that is there. Raises ToolError when the
        process ended, and for time that was over before there was one; AssayError.
        """
        request: dict[str, Any] = {"parallel": parallel, "batch": batch}
        answer, file = self._asked(
            sources, policy, request, batch.deadline, cancelled, may_start=may_start
        )
        if "looked" not in answer:
            _result(answer, file)
        return [read_outcome(value) for value in answer["looked"]]

    def _asked(
        self,
        sources: Sequence[PreparedSource],
        policy: Policy,
        request: dict[str, Any],
        deadline: float,
        cancelled: threading.Event,
        *,
        may_start: bool = True,
    ) -> tuple[dict[str, Any], int | None]:
        """The answer of a process and the file of rows."""
        seconds = round(deadline - time.monotonic(), 3)
        key = " ".join((policy.key, *(source.digest for source in sources)))
        process = self._taken(key, deadline, cancelled, may_start)
        request["key"] = key
        if key not in process.keys:
            request |= {
                "sources": list(sources),
                "policy": policy,
                "forget": process.make_room(),
            }
        try:
            answer, file = process.ask(request, deadline, cancelled)
        except TimeoutError:
            self._forget(process)
            raise _stopped(seconds, cancelled) from None
        except EOFError:
            code = process.code
            self._forget(process)
            raise _ended(code) from None
        except BaseException:
            self._forget(process)
            raise
        process.keys[key] = None
        if answer.get("spent"):
            self._forget(process)
        else:
            self._give_back(process)
        return answer, file

    def _taken(
        self, key: str, deadline: float, cancelled: threading.Event, may_start: bool
    ) -> QueryChild:
        with self._changed:
            while True:
                if self._closed:
                    raise ToolError(ErrorCategory.CANCELLED, "the executor is stopping.")
                if cancelled.is_set() or time.monotonic() >= deadline:
                    raise _stopped(0.0, cancelled)
                self._drop_the_dead()
                if self._idle:
                    known = next((one for one in self._idle if key in one.keys), self._idle[-1])
                    self._idle.remove(known)
                    return known
                if self._count < self._most and (may_start or not self._count):
                    self._count += 1
                    break
                self._changed.wait(POLL_SECONDS)
        try:
            return QueryChild(self._memory_limit)
        except BaseException:
            with self._changed:
                self._count -= 1
            raise

    def _drop_the_dead(self) -> None:
        """Forget processes that something ended while they waited."""
        for process in [one for one in self._idle if not one.alive]:
            log.warning("an idle query process ended with %s", process.code)
            self._idle.remove(process)
            self._count -= 1
            process.end()

    def _give_back(self, process: QueryChild) -> None:
        with self._changed:
            if not self._closed:
                self._idle.append(process)
                self._changed.notify()
                return
        process.end()

    def _forget(self, process: QueryChild) -> None:
        process.end()
        with self._changed:
            self._count -= 1
            self._changed.notify()


def _result(answer: dict[str, Any], file: int | None) -> pa.Table:
    if "failed" in answer:
        category, message, hint, details = answer["failed"]
        raise ToolError(ErrorCategory(category), message, hint=hint, details=details)
    raise_refusal(answer)
    if "unexpected" in answer or file is None:
        raise ElsewhereError(answer.get("unexpected", "no rows came"))
    try:
        with pa.memory_map(f"/dev/fd/{file}") as mapped, pa.ipc.open_stream(mapped) as reader:
            return reader.read_all()
    finally:
        os.close(file)


def _stopped(seconds: float, cancelled: threading.Event) -> ToolError:
    if cancelled.is_set():
        return ToolError(ErrorCategory.CANCELLED, "the query was cancelled.")
    return ToolError(
        ErrorCategory.RESOURCE_EXHAUSTED,
        f"the query was stopped after {seconds:.3g} s.",
        hint="Raise the timeout, or ask for less.",
        details={"limit": seconds, "unit": "seconds"},
    )


def _ended(code: int | None) -> ToolError:
    log.warning("a query process ended with %s", code)
    if code not in _OUT_OF_MEMORY:
        return ToolError(
            ErrorCategory.INTERNAL,
            f"the process of the query crashed (exit {code}).",
            hint="Ask in another way; the server's log says more.",
        )
    return ToolError(
        ErrorCategory.RESOURCE_EXHAUSTED,
        "the query took all memory that is allowed, and its process ended.",
        hint="Filter or aggregate before joining.",
        details={"limit": "memory", "unit": "bytes"},
    )
