"""Plans without jobs are made so many at once; so many more wait, and the rest are told when."""

from __future__ import annotations

import asyncio

import pytest

from mesh.errors import QUEUE_FULL, AssayError
from services.planner.domain.jobs.queue import Limits
from services.planner.jobs.previews import Previews


class Crowd:
    """Callers that stay in their turn until they are let go."""

    def __init__(self, previews: Previews) -> None:
        self.previews = previews
        self.inside = 0
        self.most = 0
        self.go = asyncio.Event()

    async def one(self) -> None:
        async with self.previews.turn():
            self.inside += 1
            self.most = max(self.most, self.inside)
            await self.go.wait()
            self.inside -= 1


async def test_so_many_have_a_turn_so_many_wait_and_the_next_is_told_when_to_come_back() -> None:
    crowd = Crowd(Previews(Limits(at_once=2, waiting=3)))
    async with asyncio.TaskGroup() as group:
        for _ in range(5):
            group.create_task(crowd.one())
        await asyncio.sleep(0)
        with pytest.raises(AssayError) as refused:
            await crowd.one()
        crowd.go.set()
    assert refused.value.reason is QUEUE_FULL
    assert refused.value.retry_seconds
    assert (crowd.most, crowd.inside) == (2, 0)
    await crowd.one()


async def test_who_goes_away_while_waiting_leaves_the_place_to_another() -> None:
    crowd = Crowd(Previews(Limits(at_once=1, waiting=1)))
    async with asyncio.TaskGroup() as group:
        group.create_task(crowd.one())
        await asyncio.sleep(0)
        waiting = asyncio.create_task(crowd.one())
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        group.create_task(crowd.one())
        crowd.go.set()
    assert crowd.most == 1
