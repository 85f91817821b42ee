"""Finishing what is under way before a cancellation is carried out, within a bound."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

# A job that was asked to stop has two seconds for it.
_SECONDS = 1.0


async def finished(work: Coroutine[Any, Any, T]) -> T:
    """What the work gives. A cancellation waits for it, at most a second, and is raised then."""
    task = asyncio.create_task(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task], timeout=_SECONDS)
        task.cancel()
        await asyncio.wait([task])
        raise
