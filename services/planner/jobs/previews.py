"""How many plans are made at once for those who want to see them without a job."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mesh.errors import QUEUE_FULL, AssayError
from services.planner.domain.jobs.queue import Limits

_RETRY_SECONDS = 2.0


class Previews:
    """Turns to make a plan, first come, first served; as many as jobs have slots.

    Who waits does so within the time of the own call, and keeps nothing if the caller goes away.
    """

    def __init__(self, limits: Limits) -> None:
        self._turns = asyncio.Semaphore(limits.at_once)
        self._limit = limits.waiting
        self._waiting = 0

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """A turn. Raises AssayError(QUEUE_FULL) when too many wait for one."""
        if self._turns.locked() and self._waiting >= self._limit:
            raise AssayError(
                QUEUE_FULL,
                f"no plan was made: {self._waiting} others wait for theirs already",
                hint=f"Ask again in about {_RETRY_SECONDS:.0f} s.",
                metadata={"waiting": str(self._waiting), "limit": str(self._limit)},
                retry_seconds=_RETRY_SECONDS,
            )
        self._waiting += 1
        try:
            await self._turns.acquire()
        finally:
            self._waiting -= 1
        try:
            yield
        finally:
            self._turns.release()
