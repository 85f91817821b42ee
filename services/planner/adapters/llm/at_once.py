"""A model thinks while the rules read."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Coroutine
from typing import Any

from services.planner.domain.analysis.planning import Planning


async def with_the_other(
    reading: Awaitable[Planning], asking: Coroutine[Any, Any, Planning]
) -> tuple[Planning, asyncio.Task[Planning]]:
    """What the rules read, while the model is already thinking: seconds of it cost none of ours."""
    task = asyncio.create_task(asking, name="ask model")
    try:
        return await reading, task
    except BaseException:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        raise
