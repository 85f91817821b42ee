"""The process that makes disposable processes: `python -m …fork_server SOCKET_FD MODULE:FUNCTION`.

It imports the work's module once and forks for every job, so a job starts in a few milliseconds.
It reads no foreign byte itself, has one thread and opens nothing. When the service that owns it
goes away, its socket closes; then it kills what still works and ends.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import json
import os
import resource
import select
import signal
import socket
import sys
from collections.abc import Callable
from typing import Any, cast

from mesh.telemetry.tracebacks import places
from services.executor.sources.disposable import telling
from services.executor.sources.disposable.protocol import FORK, KILL, MESSAGE_BYTES, parsed

Work = Callable[[dict[str, Any]], dict[str, Any]]
_PR_SET_PDEATHSIG = 1
_Jobs = dict[int, tuple[int, socket.socket]]


def main(control_fd: int, target: str) -> None:
    """Serve until the control socket closes."""
    module, _, function = target.partition(":")
    work = cast("Work", getattr(importlib.import_module(module), function))
    control = socket.socket(fileno=control_fd)
    wake_read, wake_write = os.pipe()
    os.set_blocking(wake_write, False)
    os.set_blocking(wake_read, False)
    signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    gc.freeze()
    jobs: _Jobs = {}  # by process id
    while True:
        ready, _, _ = select.select([control_fd, wake_read], [], [])
        if wake_read in ready:
            os.read(wake_read, 4096)
            _reap(jobs)
        if control_fd in ready and not _obey(control, jobs, work):
            break
    for process in jobs:
        os.kill(process, signal.SIGKILL)


def _obey(control: socket.socket, jobs: _Jobs, work: Work) -> bool:
    """Carry one instruction out; False when nobody gives any more."""
    try:
        data, descriptors, _, _ = socket.recv_fds(control, MESSAGE_BYTES, 1)
    except ConnectionResetError:  # an owner that was killed is gone like one that closed
        return False
    if len(data) < MESSAGE_BYTES:
        return False
    operation, number = parsed(data)
    if operation == FORK:
        channel = socket.socket(fileno=descriptors[0])
        process = os.fork()
        if process == 0:
            control.close()
            _close_others(jobs)
            _run(work, channel)
        jobs[process] = (number, channel)
    elif operation == KILL:
        for process, (job, _) in jobs.items():
            if job == number:
                os.kill(process, signal.SIGKILL)
    return True


def _close_others(jobs: _Jobs) -> None:
    for _, channel in jobs.values():
        channel.close()


def _reap(jobs: _Jobs) -> None:
    """Tell whoever waits how a process ended."""
    while jobs:
        process, status = os.waitpid(-1, os.WNOHANG)
        if process == 0:
            return
        _, channel = jobs.pop(process)
        ended = {"ended": os.waitstatus_to_exitcode(status)}
        with channel, contextlib.suppress(BrokenPipeError, ConnectionResetError):
            channel.sendall(json.dumps(ended).encode() + b"\n")


def _run(work: Work, channel: socket.socket) -> None:
    """In the new process: one job, then the end, whatever happens."""
    code = 1
    try:
        _die_with_parent()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        with channel.makefile("rb") as stream:
            request = json.loads(stream.read())
        _limit(request["limits"])
        telling.through(channel)
        channel.sendall(json.dumps(work(request["job"])).encode() + b"\n")
        code = 0
    except BaseException as error:
        report = {"unexpected": places(error)}
        with contextlib.suppress(OSError):
            channel.sendall(json.dumps(report).encode() + b"\n")
    finally:
        os._exit(code)


def _die_with_parent() -> None:
    """Have Linux end this process when the fork server ends, however that ends."""
    if sys.platform == "linux":
        server = os.getppid()
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != server:  # it was gone before this process had asked
            os._exit(1)


def _limit(limits: dict[str, int]) -> None:
    for which, amount in (
        (resource.RLIMIT_AS, limits["memory_bytes"]),
        (resource.RLIMIT_FSIZE, limits["file_bytes"]),
        (resource.RLIMIT_CPU, limits["cpu_seconds"]),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(which)
        lowered = amount if hard == resource.RLIM_INFINITY else min(amount, hard)
        resource.setrlimit(which, (lowered, lowered))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
