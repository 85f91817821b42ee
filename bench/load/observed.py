"""`python -m bench.load.observed planner`: the service, telling what it holds in memory.

Every second it writes how many tasks its loop has, and how many threads, to the file
`observed-<service>.json` in its home. Memory and open files are seen from outside.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from pathlib import Path

import mesh.transport.server
from services.__main__ import main

EVERY_SECONDS = 1.0


def observe(place: Path) -> None:
    """Have the counts written for as long as the process serves."""
    until_stopped = mesh.transport.server.until_stopped

    async def counted() -> None:
        counting = asyncio.create_task(count())
        await until_stopped()
        counting.cancel()

    async def count() -> None:
        while True:
            numbers = {"tasks": len(asyncio.all_tasks()), "threads": threading.active_count()}
            beside = place.with_suffix(".new")
            beside.write_text(json.dumps(numbers))
            beside.replace(place)
            await asyncio.sleep(EVERY_SECONDS)

    mesh.transport.server.until_stopped = counted


if __name__ == "__main__":
    observe(Path(os.environ["ASSAY_HOME"]) / f"observed-{sys.argv[1]}.json")
    main()
