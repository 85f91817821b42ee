"""A service in a process of its own, beside the mesh that calls it.

It is started by the first call of it, and by the next one where it has ended. Once nobody has
called it for a while it is ended: what it needs is most of what a mesh at rest would keep.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import sys
from collections.abc import Mapping
from contextlib import suppress

from mesh.processes.forking import Forked
from mesh.processes.lifeline import VARIABLE, broken, parse_ready_line

log = logging.getLogger("assay.beside")

_CLOSE_SECONDS = 10.0


class Beside:
    """The process of the service `name`, which `python -m services NAME` runs.

    `settings` are variables of its surroundings, over those of this process. The first one may have
    been `forked` already, with the same.
    """

    def __init__(
        self,
        name: str,
        settings: Mapping[str, str],
        idle_seconds: float,
        forked: Forked | None = None,
    ) -> None:
        self._name = name
        self._settings = dict(settings)
        self._idle_seconds = idle_seconds
        self._forked = forked is not None
        self._process: asyncio.subprocess.Process | Forked | None = forked
        self._line: socket.socket | None = None if forked is None else forked.line
        self._watching: asyncio.Task[None] | None = None
        self._starting: asyncio.Task[None] | None = None
        self._changing = asyncio.Lock()
        self._resting: asyncio.TimerHandle | None = None
        self._ending: asyncio.Task[None] | None = None
        self._closed = False
        self.calls = 0
        """How many calls of it are under way."""

    @property
    def at_rest(self) -> bool:
        """Whether the next call has to start it."""
        return self._watching is None and not self._changing.locked()

    def begin(self) -> None:
        """Start it beside what else starts."""
        if self._starting is None:
            self._starting = asyncio.create_task(self._ready(), name=f"start {self._name}")

    async def called(self) -> None:
        """Count a call, and have the process run before it is made.

        Raises the AssayError that the process failed to start with.
        """
        self.calls += 1
        if self._resting is not None:
            self._resting.cancel()
            self._resting = None
        try:
            await self._ready()
        except BaseException:
            self.left()
            raise

    def left(self) -> None:
        """A call is over."""
        self.calls -= 1
        if self.calls == 0 and not self._closed:
            loop = asyncio.get_running_loop()
            self._resting = loop.call_later(self._idle_seconds, self._rest)

    def _rest(self) -> None:
        self._ending = asyncio.create_task(self._end_idle(), name=f"end {self._name}")

    async def _end_idle(self) -> None:
        async with self._changing:
            if self.calls == 0:
                await self._end()

    async def _ready(self) -> None:
        if self._watching is not None and not self._changing.locked():  # the usual case
            return
        async with self._changing:
            if self._watching is None:
                await self._start()

    async def _start(self) -> None:
        if self._forked:
            self._forked = False
        else:
            await self._end()
            await self._begin_anew()
        line = self._line
        assert line is not None
        await parse_ready_line(line, f"the {self._name}")
        self._watching = asyncio.create_task(self._watch(line), name=f"watch {self._name}")

    async def _begin_anew(self) -> None:
        self._line, theirs = socket.socketpair()
        with theirs:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                *("-P", "-m", "services", self._name),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                env={**os.environ, **self._settings, VARIABLE: str(theirs.fileno())},
            )

    async def _watch(self, line: socket.socket) -> None:
        """Know at once when it dies, so that the next call starts another."""
        await broken(line)
        self._watching = None

    async def _end(self) -> None:
        """Have it end as it does when whoever started it is gone: calls are answered first."""
        self._forked = False
        process, line, self._process, self._line = self._process, self._line, None, None
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.wait([self._watching])
            self._watching = None
        if line is not None:
            line.close()
        if process is None or process.returncode is not None:
            return
        try:
            async with asyncio.timeout(_CLOSE_SECONDS):
                await process.wait()
        except TimeoutError:
            log.warning("the %s did not end in %.0f s, and was killed", self._name, _CLOSE_SECONDS)
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    async def close(self) -> None:
        """End it, also while it is starting."""
        self._closed = True
        if self._resting is not None:
            self._resting.cancel()
        for task in (self._starting, self._ending):
            if task is not None:
                await asyncio.wait([task])
                if not task.cancelled():
                    task.exception()  # whoever called was told
        async with self._changing:
            await self._end()
