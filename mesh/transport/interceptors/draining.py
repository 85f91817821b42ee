"""Server interceptor: turns new calls away from a server that is about to stop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from grpc import aio
from grpc_status import rpc_status

from mesh.errors import SERVICE_UNAVAILABLE, AssayError
from mesh.transport.interceptors.around import Around
from mesh.transport.status import to_status

_ABOUT_THE_SERVER = ("/grpc.health.", "/grpc.reflection.")

_ATTEMPTS_BEFORE = "grpc-previous-rpc-attempts"
"""What gRPC tells of a call that it makes again (A6, gRFC)."""

NOWHERE_ELSE, LAST_ATTEMPT = 2, 3
"""After so many attempts a caller knows of no other replica: the other may have been started just
now, and not be connected yet. After the last (mesh.transport.dial) a call that is refused has
failed."""
NOBODY = 1 << 30


class Gate(Around):
    """Counts calls under way, and once it is closed refuses new ones that can be made elsewhere.

    Stopping a gRPC server cancels calls that have just come in: callers who do not make them again
    (mesh.transport.dial) see CANCELLED, which says nothing about trying elsewhere. Must come before
    Errors.
    """

    def __init__(self) -> None:
        self._calls: dict[asyncio.Task[Any] | None, str] = {}
        self._over = False
        self._came = asyncio.Event()
        self._least = 0
        self._idle = asyncio.Event()
        self._idle.set()

    @asynccontextmanager
    async def around(
        self, method: str, context: aio.ServicerContext[Any, Any]
    ) -> AsyncIterator[None]:
        """Let the call through and count it, or refuse it with UNAVAILABLE."""
        if method.startswith(_ABOUT_THE_SERVER):
            yield
            return
        if self._least:
            self._came.set()
            if _attempts_before(context) < self._least:
                await _elsewhere(context)
        task = asyncio.current_task()
        self._calls[task] = method
        self._idle.clear()
        try:
            yield
        except asyncio.CancelledError:
            if not self._over or task is None or task.uncancel():
                raise
            await _elsewhere(context)
        finally:
            self._calls.pop(task, None)
            if not self._calls:
                self._idle.set()

    @property
    def busy(self) -> bool:
        """Whether a call is under way."""
        return bool(self._calls)

    def under_way(self) -> list[str]:
        """The methods of the calls that are under way."""
        return list(self._calls.values())

    def close(self, least: int = NOWHERE_ELSE) -> None:
        """Refuse new calls from now on, but of those who come back after so many attempts."""
        self._least = least

    async def finished(self) -> None:
        """Return when the calls that are under way at this moment are answered."""
        if calls := [task for task in self._calls if task is not None]:
            await asyncio.wait(calls)

    async def end(self, seconds: float) -> None:
        """End the calls that are still under way, and tell their callers to try elsewhere; for
        `seconds` at most.

        A server that stops would cancel them: CANCELLED says that somebody wanted no answer any
        more, and is not tried again.
        """
        self._over = True
        for task in list(self._calls):
            if task is not None:
                task.cancel()
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._idle.wait()

    async def idle(self, quiet: float) -> None:
        """Return when no call is under way, and for `quiet` seconds none came."""
        while True:
            self._came.clear()
            await self._idle.wait()
            try:
                async with asyncio.timeout(quiet):  # wait_for may lose who cancels this
                    await self._came.wait()
            except TimeoutError:
                return


def _attempts_before(context: aio.ServicerContext[Any, Any]) -> int:
    for key, value in context.invocation_metadata() or ():
        if key == _ATTEMPTS_BEFORE and str(value).isdecimal():
            return int(value)
    return 0


async def _elsewhere(context: aio.ServicerContext[Any, Any]) -> None:
    """End a call with a status that says to try elsewhere."""
    stopping = AssayError(SERVICE_UNAVAILABLE, "this server is stopping")
    status = rpc_status.to_status(to_status(stopping))
    try:
        await context.abort(status.code, status.details, status.trailing_metadata)
    except aio.InternalError:  # the caller is gone
        raise asyncio.CancelledError from None
