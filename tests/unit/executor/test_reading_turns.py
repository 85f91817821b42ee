"""Reading takes turns: one tenant never has all of them, and a reading ends with its caller."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast

import pytest

from mesh.context import CallContext, entered
from services.executor.app import Executor
from services.executor.domain.source import DataSource
from services.executor.sources.library import SourceLibrary
from services.executor.sources.turns import ReadingTurns

pytestmark = pytest.mark.timeout(60)


class SlowLibrary:
    """Reads until it is told to stop."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.began, self.ended = threading.Event(), threading.Event()

    def open(self, source: DataSource, cancelled: threading.Event | None = None) -> None:
        assert cancelled is not None
        self.began.set()
        cancelled.wait()
        self.ended.set()
        raise OSError("it was stopped")


async def test_one_tenant_has_half_of_the_turns_and_others_do_not_wait_for_it() -> None:
    turns, over, at_work = ReadingTurns(at_once=4), asyncio.Event(), []

    async def reads(tenant: str) -> None:
        async with turns.turn(tenant):
            at_work.append(tenant)
            await over.wait()

    async with asyncio.TaskGroup() as group:
        for tenant in ("ann", "ann", "ann", "ann", "bob", "cid", "dan"):
            group.create_task(reads(tenant))
        while len(at_work) < 4:
            await asyncio.sleep(0)
        for _ in range(10):
            await asyncio.sleep(0)
        assert at_work == ["ann", "ann", "bob", "cid"]
        over.set()
    assert sorted(at_work) == ["ann"] * 4 + ["bob", "cid", "dan"]
    assert not turns.tenants


async def test_an_upload_that_is_left_stops_its_reading_and_gives_its_turn_back(
    tmp_path: Path,
) -> None:
    library = SlowLibrary(tmp_path)
    with ThreadPoolExecutor(1) as threads:
        executor = executor_of(library, threads)
        with entered(CallContext(tenant="ann")):
            upload = asyncio.create_task(executor.examine(tmp_path / "a.csv", "a.csv", False))
            (tmp_path / "a.csv").write_text("a,b\n1,2\n")
            await asyncio.to_thread(library.began.wait)
            upload.cancel()
            await asyncio.wait([upload])
        assert await asyncio.to_thread(library.ended.wait, 30)
    assert upload.cancelled()
    assert not executor.turns.tenants


def executor_of(library: SlowLibrary, threads: ThreadPoolExecutor) -> Executor:
    nothing: Any = None
    return Executor(
        tools=nothing,
        library=cast(SourceLibrary, library),
        frames=nothing,
        artifacts=nothing,
        leases=nothing,
        threads=threads,
        engines=nothing,
    )
