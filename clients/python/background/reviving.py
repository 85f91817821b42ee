"""A command whose mesh dies starts another: jobs go on where they were, calls are made again."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from clients.python.background.starting import start
from clients.python.owning import lock_file, try_lock
from mesh.errors import AssayError


@asynccontextmanager
async def revived(home: Path, pid: int, soon: Collection[str]) -> AsyncIterator[None]:
    """Start the mesh of `home` once more if that of the process `pid` ends meanwhile, unless
    another command did; a second time would be in vain. Whoever calls it uses the mesh."""
    reviving = asyncio.create_task(_revive(home, pid, soon), name="revive the mesh")
    try:
        yield
    finally:
        reviving.cancel()
        await asyncio.wait([reviving])


async def _revive(home: Path, pid: int, soon: Collection[str]) -> None:
    await _ended(pid)
    # What stands in its way is told by the calls that find no mesh.
    with suppress(AssayError), lock_file(home) as lock:
        if try_lock(lock):
            await start(home, lock, soon).ready()


async def _ended(pid: int) -> None:
    """Return when the process has ended; pidfd_open(2)."""
    try:
        watched = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    loop, over = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(watched, over.set)
    try:
        await over.wait()
    finally:
        loop.remove_reader(watched)
        os.close(watched)
