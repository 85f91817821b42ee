"""How many streams of content are sent at once: each holds memory until it ends.

A stream whose reader stops holds what is on its way to him: pieces of a frame, one being sent, and
what gRPC has taken. That is bounded for each stream (`mesh.frames.sending`, `mesh.transport.dial`),
and here for all of them.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

from mesh.context import current
from mesh.errors import RESOURCE_EXHAUSTED, AssayError
from mesh.processes.giving_back import Trimming

WAIT_SECONDS = 5.0
"""For how long a stream waits for another to end."""
AGAIN_SECONDS = 10.0


class Readers:
    """Places for `most` streams at once, half of them for any one tenant; 0 is no limit."""

    def __init__(self, most: int, wait_seconds: float = WAIT_SECONDS) -> None:
        self._most = most or sys.maxsize
        self._of_one = max(1, self._most // 2)
        self._wait_seconds = wait_seconds
        self._all = asyncio.Semaphore(self._most)
        self._of_tenants: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        self._trimming = Trimming()

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """A place for a stream of whoever calls, once there is one.

        Raises AssayError(RESOURCE_EXHAUSTED), with a time to try again, where none becomes free.
        """
        of_tenant = self._of_tenants.setdefault(current().tenant, asyncio.Semaphore(self._of_one))
        await self._taken(of_tenant, f"{self._of_one} of yours")
        try:
            await self._taken(self._all, f"{self._most} streams")
            try:
                yield
            finally:
                self._all.release()
                self._trimming.soon()
        finally:
            of_tenant.release()

    async def _taken(self, places: asyncio.Semaphore, what: str) -> None:
        try:
            async with asyncio.timeout(self._wait_seconds):
                await places.acquire()
        except TimeoutError:
            raise AssayError(
                RESOURCE_EXHAUSTED,
                f"{what} are being sent already, and none ended for {self._wait_seconds:g} seconds",
                hint="Read those that are open to their end or cancel them, and try again; the "
                "operator sets ASSAY_GATEWAY_READERS.",
                retry_seconds=AGAIN_SECONDS,
            ) from None
