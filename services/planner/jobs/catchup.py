"""Telling peers what they could not be told of jobs, beside whatever else a planner does."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from mesh import context as calls
from mesh.errors import AssayError
from services.planner.jobs.collaborators import Collaborators
from services.planner.jobs.ending import log_end_again
from services.planner.jobs.lessons import tell_kept_lessons

log = logging.getLogger("assay.planner")

Round = Callable[[Collaborators], Awaitable[None]]


class Catchup:
    """Tells memory and the audit log what was kept for them, whichever planner kept it.

    Each has rounds of its own: a slow one holds up neither the other nor who begins a round.
    """

    def __init__(self, with_: Collaborators) -> None:
        self._with = with_
        self._rounds: dict[str, Round] = {"memory": tell_kept_lessons, "the audit log": _tell_ends}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def begin(self) -> None:
        """Begin a round with each peer, unless one is under way."""
        for peer, tell in self._rounds.items():
            task = self._tasks.get(peer)
            if task is None or task.done():
                round_ = self._round(peer, tell)
                self._tasks[peer] = asyncio.create_task(round_, name=f"catch up {peer}")

    async def stop(self) -> None:
        """End the rounds; what they did not come to stays kept."""
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def _round(self, peer: str, tell: Round) -> None:
        try:
            await tell(self._with)
        except AssayError as error:
            log.warning("%s could not be told what is kept for it: %s", peer, error)
        except Exception:  # nobody awaits a round, and the next one tries again
            log.exception("telling %s what is kept for it failed", peer)


async def _tell_ends(with_: Collaborators) -> None:
    for tenant, job_id in await with_.jobs.unlogged_ends():
        with calls.changed(tenant=tenant, request_id=job_id):
            await log_end_again(with_, await with_.jobs.get(tenant, job_id))
