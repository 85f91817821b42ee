"""The service's side: run a job in a process that is used once."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from mesh.telemetry.tracebacks import ElsewhereError
from services.executor.sources.disposable.protocol import FORK, KILL, Limits, message

_POLL_SECONDS = 0.02
_MODULE = "services.executor.sources.disposable.fork_server"


class Crashed(Exception):
    """The process ended without an answer; `code` is its exit code, or minus the signal."""

    def __init__(self, code: int) -> None:
        super().__init__(f"ended with {code}")
        self.code = code


class Stopped(Exception):
    """The job was cancelled, or its time was over (`late`); its process is dead."""

    def __init__(self, *, late: bool) -> None:
        super().__init__("out of time" if late else "cancelled")
        self.late = late


class DisposableProcesses:
    """Runs jobs of one kind, each in a fresh process of a fork server that imported the work.

    `target` is MODULE:FUNCTION; the function takes and gives JSON objects. One object serves all
    threads. Bounded are address space, file size, processor time and the wait; not bounded is
    what the work may reach: it has the rights of this process.
    """

    def __init__(self, target: str, limits: Limits) -> None:
        self._target = target
        self._limits = limits
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._control: socket.socket | None = None
        self._server: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the fork server, so that the first job need not wait for its imports."""
        with self._lock:
            self._ensure_started()

    def close(self) -> None:
        """End the fork server and whatever still works."""
        with self._lock:
            self._stop()

    def run(
        self,
        job: dict[str, Any],
        *,
        seconds: float,
        cancelled: threading.Event,
        told: Callable[[dict[str, Any]], None] = lambda _: None,
    ) -> dict[str, Any]:
        """What the job gives; `told` gets what it says meanwhile of how far it is.

        Raises Crashed, Stopped, or RuntimeError for a fault in the work.
        """
        number = next(self._numbers)
        ours, theirs = socket.socketpair()
        with ours:
            with theirs:
                self._instruct(FORK, number, theirs)
            request = {"job": job, "limits": asdict(self._limits)}
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                ours.sendall(json.dumps(request).encode())
                ours.shutdown(socket.SHUT_WR)
            deadline = time.monotonic() + seconds
            try:
                return _answer(ours, deadline, cancelled, told)
            except Stopped:
                self._instruct(KILL, number)
                raise

    def _instruct(
        self, operation: bytes, number: int, channel: socket.socket | None = None
    ) -> None:
        descriptors = [channel.fileno()] if channel else []
        with self._lock:
            control = self._ensure_started()
            try:
                socket.send_fds(control, [message(operation, number)], descriptors)
            except (BrokenPipeError, ConnectionResetError):
                # Somebody killed the fork server; its processes went with it.
                self._stop()
                if operation == FORK:
                    socket.send_fds(
                        self._ensure_started(), [message(operation, number)], descriptors
                    )

    def _ensure_started(self) -> socket.socket:
        if self._control is None:
            ours, theirs = socket.socketpair()
            with theirs:
                self._server = subprocess.Popen(
                    [sys.executable, "-m", _MODULE, str(theirs.fileno()), self._target],
                    pass_fds=[theirs.fileno()],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                    env={
                        **os.environ,
                        "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path)),
                    },
                )
            self._control = ours
        return self._control

    def _stop(self) -> None:
        if self._control is not None:
            self._control.close()
        if self._server is not None:
            # Not by the closed socket alone: a server still at its imports would not look at it.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._server.pid, signal.SIGKILL)
            self._server.wait()
        self._control = self._server = None


def _answer(
    channel: socket.socket,
    deadline: float,
    cancelled: threading.Event,
    function: Callable[[dict[str, Any]], None],
) -> dict[str, Any]:
    """The process's own line, if it gave one before the line that says how it ended."""
    received = b""
    channel.settimeout(_POLL_SECONDS)
    while True:
        if cancelled.is_set():
            raise Stopped(late=False)
        if time.monotonic() >= deadline:
            raise Stopped(late=True)
        try:
            piece = channel.recv(1 << 16)
        except TimeoutError:
            continue
        *lines, received = (received + piece).split(b"\n")
        for line in lines:
            answer: dict[str, Any] = json.loads(line)
            if "told" in answer:
                function(answer["told"])
                continue
            if "unexpected" in answer:
                raise ElsewhereError(answer["unexpected"])
            if "ended" in answer:
                raise Crashed(answer["ended"])
            return answer
        if not piece:
            raise Crashed(-9)
