"""Who may read files now: a few at once, and of those one tenant never has all."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass
class _Queue:
    """A tenant's turns, and how many have one or wait for one."""

    turns: asyncio.Semaphore
    callers: int = 0


@dataclass
class ReadingTurns:
    """Turns to read a source that was not read before, for the callers of one event loop.

    Each reading may take all the memory that is allowed to one process and minutes of a processor.
    At most `at_once` are under way, and at most half of them, rounded up, are one tenant's: whoever
    reads much waits for itself, and others do not wait for it. Who waits takes no thread.
    """

    at_once: int = 4

    tenants: dict[str, _Queue] = field(init=False, default_factory=dict)
    """Those who have a turn or wait for one."""

    def __post_init__(self) -> None:
        self._all = asyncio.Semaphore(self.at_once)

    @asynccontextmanager
    async def turn(self, tenant: str) -> AsyncIterator[None]:
        """Wait for a turn, and give it back at the end of the block."""
        most = (self.at_once + 1) // 2
        queue = self.tenants.setdefault(tenant, _Queue(asyncio.Semaphore(most)))
        queue.callers += 1
        try:
            async with queue.turns, self._all:
                yield
        finally:
            queue.callers -= 1
            if not queue.callers:
                del self.tenants[tenant]
