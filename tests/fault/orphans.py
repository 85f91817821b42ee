"""Processes that outlive a parent that was killed."""

from __future__ import annotations

import asyncio
import ctypes
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.busy import allowing

_SET_CHILD_SUBREAPER = 36  # prctl(2)
_GONE_WITHIN = 5.0


class Foundlings:
    """What became this process's children because their own parents died."""

    def __init__(self) -> None:
        self._known = _children()

    async def gone(self, *own: int) -> None:
        """Return when none is left but the processes that this one started itself.

        Fails when one lives on for five seconds.
        """
        since = time.monotonic()
        while left := {p for p in _children() - self._known - set(own) if not _is_own(p)}:
            for process in left:
                os.waitpid(process, os.WNOHANG)  # noqa: ASYNC222 - it does not wait
            names = [_command(process) for process in left]
            assert time.monotonic() - since < allowing(_GONE_WITHIN), f"these live on: {names}"
            await asyncio.sleep(0.02)


@contextmanager
def finding_orphans() -> Iterator[Foundlings]:
    """Inside the block, orphans of this process's descendants become its children."""
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
    try:
        yield Foundlings()
    finally:
        libc.prctl(_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


def _children() -> set[int]:
    tasks = Path("/proc/self/task").iterdir()
    return {int(child) for task in tasks for child in (task / "children").read_text().split()}


def _is_own(process: int) -> bool:
    """Whether it is of a memory service in this process, which starts it with its first write, or
    what services are forked from."""
    return "edge_child" in _command(process) or "tests.forking" in _command(process)


def _command(process: int) -> str:
    try:
        command = Path(f"/proc/{process}/cmdline").read_text()
    except FileNotFoundError:
        return f"{process}, ended"
    return f"{process} {' '.join(command.split(chr(0)))}"
