"""Watchers hear of every change, and leave nothing behind when they go."""

from __future__ import annotations

import asyncio

from services.planner.jobs.changes import Changes


def test_no_watcher_can_take_a_change_from_another() -> None:
    changes = Changes()
    with changes.of("job") as first, changes.of("job") as second:
        changes.moved("job")
        first.clear()
        assert second.is_set()
        changes.moved("another")
        assert not first.is_set()


def test_whoever_goes_is_forgotten() -> None:
    changes = Changes()
    with changes.of("job"), changes.of("job"):
        assert len(changes) == 2
    assert len(changes) == 0
    assert not changes._waiting


async def test_a_wait_that_is_cancelled_leaves_nothing_behind() -> None:
    changes = Changes()
    waiting = [asyncio.create_task(changes.within(f"job {n}", 60)) for n in range(3)]
    await asyncio.sleep(0)
    assert len(changes) == 3
    changes.wake_all()
    await waiting[0]
    again = asyncio.create_task(changes.within("job 0", 60))
    await asyncio.sleep(0)
    again.cancel()
    await asyncio.wait([again, *waiting])
    assert not changes._waiting
