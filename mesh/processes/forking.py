"""A process forked from this one, for what both would import.

Forking copies what is there, and threads are not: whoever forks has none of its own, no event loop
and no channel of gRPC.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

CAN_FORK = sys.platform == "linux"
"""Elsewhere what is open cannot be listed, nor the end of a process awaited, as it is done here."""

_STANDARD = (0, 1, 2)
_LONGEST_NAME = 15  # proc(5), comm


class Forked:
    """What whoever forked it knows of it; `line` is its end of a socket between both."""

    def __init__(self, pid: int, line: socket.socket) -> None:
        self.pid = pid
        self.line = line
        self.returncode: int | None = None

    async def wait(self) -> int:
        """How it ended; pidfd_open(2)."""
        if self.returncode is None:
            loop, over = asyncio.get_running_loop(), asyncio.Event()
            watched = os.pidfd_open(self.pid)
            loop.add_reader(watched, over.set)
            try:
                await over.wait()
            finally:
                loop.remove_reader(watched)
                os.close(watched)
            _, status = os.waitpid(self.pid, 0)  # noqa: ASYNC222 - it has ended
            self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def kill(self) -> None:
        """End it as a crash would. Raises ProcessLookupError where it has ended."""
        os.kill(self.pid, signal.SIGKILL)


def fork(name: str, work: Callable[[socket.socket], None]) -> Forked:
    """Do the work in another process, which ends with it; it is given the other end of `line`.

    It has the surroundings and the error output of this one, an output that nobody reads, and none
    of the files, locks and sockets that are open here.
    """
    ours, theirs = socket.socketpair()
    if pid := os.fork():
        theirs.close()
        return Forked(pid, ours)
    code = 1
    try:
        _keep_only(theirs.fileno())
        Path("/proc/self/comm").write_text(f"assay-{name}"[:_LONGEST_NAME], encoding="ascii")
        work(theirs)
        code = 0
    except SystemExit:
        pass  # it has said why
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)  # what began this process is not to go on in it


def _keep_only(descriptor: int) -> None:
    """Close all others but the standard ones. What is forked must not keep a home's lock from being
    let go, nor a socket from ending."""
    for each in [int(entry.name) for entry in Path("/proc/self/fd").iterdir()]:
        if each not in (*_STANDARD, descriptor):
            with suppress(OSError):  # of the listing itself
                os.close(each)
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.close(nothing)
