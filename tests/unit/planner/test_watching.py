"""What a watcher is told of a job that waits for its turn, or whose end cannot be stored."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from mesh.clock import HeldClock
from mesh.errors import DISK_FULL, AssayError
from services.planner.domain.jobs.job import Job, JobEvent, JobState
from services.planner.domain.jobs.queue import Place
from services.planner.jobs.watching import Watching
from tests.contract.jobs import new_job

NOW = datetime(2026, 3, 1, tzinfo=UTC)
FULL = AssayError(DISK_FULL, "the disk is full: /data/planner.sqlite could not be written")


class Keeper:
    """A keeper that saw the job wait when it looked last: nobody works on it any more."""

    stopping = False

    def __init__(self) -> None:
        self.error: AssayError | None = None

    def given_up(self, job_id: str) -> AssayError | None:
        return self.error

    def place(self, job_id: str) -> Place | None:
        return Place(0, 1.0)

    def works_on(self, job_id: str) -> bool:
        return False


async def test_it_is_told_that_the_end_cannot_be_stored_though_the_job_waits_for_its_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("services.planner.jobs.watching._TELL_AGAIN_SECONDS", 0.001)

    async def no_events(job_id: str, after: int) -> list[JobEvent]:
        return []

    keeper: Any = Keeper()
    store: Any = SimpleNamespace(events=no_events)
    job: Job = new_job().model_copy(update={"state": JobState.EXECUTING})
    watched = Watching(store, keeper, HeldClock(NOW)).events(job, 0, asyncio.Event())
    assert "it is next" in (await anext(watched)).data["reason"]
    keeper.error = FULL
    with pytest.raises(AssayError) as caught:
        async with asyncio.timeout(5):
            await anext(watched)
    assert caught.value is FULL
