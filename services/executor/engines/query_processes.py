"""Warm processes that run queries, a few at a time."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import pickle
import select
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from mesh.policy import Policy
from mesh.tool import ErrorCategory, ToolError
from services.executor.engines.query_process import ANSWER, CANCEL, HEADER, QUERY
from services.executor.sources.disposable.refusals import raise_refusal
from services.executor.sources.library import PreparedSource
from services.executor.sources.processes import engine_bytes

log = logging.getLogger("assay.executor")

_POLL_SECONDS = 0.02
_GRACE_SECONDS = 0.6  # a process interrupts its query in a few milliseconds, or is ended
_BEYOND_ENGINE_MEMORY = 3 << 30  # address space of code, buffers and threads


class _Process:
    """One process, used by one thread at a time."""

    def __init__(self, memory_limit: str) -> None:
        ours, theirs = socket.socketpair()
        space = engine_bytes(memory_limit) + _BEYOND_ENGINE_MEMORY
        with theirs:
            module = "services.executor.engines.query_process"
            self._process = subprocess.Popen(
                [sys.executable, "-m", module, str(theirs.fileno()), memory_limit, str(space)],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))},
            )
        self._channel = ours
        self.keys: set[str] = set()

    def ask(
        self, request: dict[str, Any], deadline: float, cancelled: threading.Event
    ) -> tuple[dict[str, Any], int | None]:
        """The answer and the file of rows.

        Raises EOFError when the process ended, TimeoutError when it does not stop in time.
        """
        body = pickle.dumps(request)
        try:
            self._channel.sendall(HEADER.pack(QUERY, len(body)) + body)
            self._wait(deadline, cancelled)
            header, files, _, _ = socket.recv_fds(self._channel, HEADER.size, 1)
            if len(header) < HEADER.size or header[:1] != ANSWER:
                raise EOFError
            answer: dict[str, Any] = json.loads(self._read(HEADER.unpack(header)[1]))
        except (BrokenPipeError, ConnectionResetError):
            raise EOFError from None
        return answer, files[0] if files else None

    def end(self) -> None:
        """End the process at once."""
        self._process.kill()
        self._channel.close()
        self._process.wait()

    @property
    def code(self) -> int | None:
        """The exit code of a process that ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._process.wait(timeout=1)
        return None

    def _wait(self, deadline: float, cancelled: threading.Event) -> None:
        """Until there is an answer. The process knows its time; a cancel must be told to it."""
        told = False
        end = deadline + _GRACE_SECONDS
        while not select.select([self._channel], [], [], _POLL_SECONDS)[0]:
            if cancelled.is_set() and not told:
                told = True
                self._channel.sendall(HEADER.pack(CANCEL, 0))
                end = min(end, time.monotonic() + _GRACE_SECONDS)
            if time.monotonic() >= end:
                raise TimeoutError

    def _read(self, length: int) -> bytes:
        data = bytearray()
        while len(data) < length:
            piece = self._channel.recv(length - len(data))
            if not piece:
                raise EOFError
            data += piece
        return bytes(data)


class QueryProcesses:
    """Runs guarded statements in up to `most` processes, each limited to `memory_limit`.

    A process keeps the workspaces it opened, so the one that had the same sources before is taken
    if it is free. One object serves all threads.
    """

    def __init__(self, memory_limit: str = "4GB", most: int | None = None) -> None:
        self._memory_limit = memory_limit
        self._most = most or max(2, min(4, os.cpu_count() or 2))
        self._changed = threading.Condition()
        self._idle: list[_Process] = []
        self._count = 0
        self._closed = False

    def start(self) -> None:
        """Start one process, without waiting until it is ready."""
        with self._changed:
            if not self._count and not self._closed:
                self._count = 1
                self._idle.append(_Process(self._memory_limit))

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
        key = " ".join((policy.key, *(source.digest for source in sources)))
        process = self._taken(key, begun + seconds, cancelled)
        request: dict[str, Any] = {
            "key": key, "parallel": parallel,
            "statement": statement, "parameters": list(parameters),
            "row_limit": row_limit, "byte_limit": byte_limit,
            "seconds": seconds, "begun": begun,
        }  # fmt: skip
        if key not in process.keys:
            request |= {"sources": list(sources), "policy": policy}
        try:
            answer, file = process.ask(request, begun + seconds, cancelled)
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
        process.keys.add(key)
        self._give_back(process)
        return _result(answer, file)

    def _taken(self, key: str, deadline: float, cancelled: threading.Event) -> _Process:
        with self._changed:
            while True:
                if self._closed:
                    raise ToolError(ErrorCategory.CANCELLED, "the executor is stopping.")
                if cancelled.is_set() or time.monotonic() >= deadline:
                    raise _stopped(0.0, cancelled)
                if self._idle:
                    known = next((one for one in self._idle if key in one.keys), self._idle[-1])
                    self._idle.remove(known)
                    return known
                if self._count < self._most:
                    self._count += 1
                    break
                self._changed.wait(_POLL_SECONDS)
        try:
            return _Process(self._memory_limit)
        except BaseException:
            with self._changed:
                self._count -= 1
            raise

    def _give_back(self, process: _Process) -> None:
        with self._changed:
            if not self._closed:
                self._idle.append(process)
                self._changed.notify()
                return
        process.end()

    def _forget(self, process: _Process) -> None:
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
        raise RuntimeError(answer.get("unexpected", "no rows came"))
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
    return ToolError(
        ErrorCategory.RESOURCE_EXHAUSTED,
        "the query took all memory that is allowed, and its process ended.",
        hint="Filter or aggregate before joining.",
        details={"limit": "memory", "unit": "bytes"},
    )
