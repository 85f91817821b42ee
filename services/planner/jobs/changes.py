"""Who waits for a job to move, and has to hear of it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Changes:
    """Wakes those who wait for jobs that move in this process; knows only jobs waited for."""

    def __init__(self) -> None:
        self._waiting: dict[str, set[asyncio.Event]] = {}

    def __len__(self) -> int:
        """How many wait."""
        return sum(map(len, self._waiting.values()))

    @contextmanager
    def of(self, job_id: str) -> Iterator[asyncio.Event]:
        """An event that is set whenever the job moved.

        It is the caller's own, who clears it before looking at the job: were it shared, one who
        waits could clear what another has not seen.
        """
        event = asyncio.Event()
        self._waiting.setdefault(job_id, set()).add(event)
        try:
            yield event
        finally:
            waiting = self._waiting[job_id]
            waiting.remove(event)
            if not waiting:
                del self._waiting[job_id]

    async def within(self, job_id: str, seconds: float) -> None:
        """Wait until the job moved, or for so long."""
        with self.of(job_id) as changed, suppress(TimeoutError):
            await asyncio.wait_for(changed.wait(), seconds)

    def moved(self, job_id: str) -> None:
        """Wake those who wait for a job."""
        for event in self._waiting.get(job_id, ()):
            event.set()

    def wake_all(self) -> None:
        """Wake all."""
        for job_id in self._waiting:
            self.moved(job_id)
