"""What whoever waits for files to be read is told of how far that is."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from mesh.clock import HeldClock
from services.planner.domain.jobs.job import Job, JobEvent, JobState
from services.planner.domain.readings import Reading, Readings
from services.planner.jobs.watching import Watching
from tests.contract.jobs import new_job

NOW = datetime(2026, 3, 1, tzinfo=UTC)
SALES = Reading(
    "sales.csv",
    seconds=2.0,
    rows=2_512_345,
    of_rows=5_000_000,
    bytes=80_000_000,
    of_bytes=160_000_000,
)


@pytest.mark.parametrize(
    ("reading", "told"),
    [
        (SALES, "reading sales.csv: 2.5 of 5.0 million rows, 1,300,000 a second"),
        (
            Reading("shop.csv", 2.0, 26_100, 800_000, 1_000_000, 30_000_000),
            "reading shop.csv: 26,000 of 800,000 rows, 13,000 a second",
        ),
        (
            Reading("log.json", 4.0, bytes=8_000_000, of_bytes=90_000_000),
            "reading log.json: 8.0 of 90 MB, 2.0 MB a second",
        ),
        (Reading("book.xlsx", 3.2, of_bytes=12_400_000), "reading book.xlsx, 12 MB: 3 s"),
        (
            Reading("sales.csv", 4.0, 5_000_000, 5_000_000, 160_000_000, 160_000_000),
            "5.0 million rows of sales.csv are read, its columns are measured",
        ),
    ],
)
def test_a_reading_is_told_in_rows_or_bytes_and_with_its_rate(reading: Reading, told: str) -> None:
    assert str(reading) == told


def test_only_large_files_are_spoken_of_and_only_while_they_are_read() -> None:
    readings = Readings()
    with readings.about("job") as heard:
        heard([Reading("small.csv", 2.0, of_bytes=1_000)])
        assert readings.describe_progress("job") == ""
        heard([SALES, Reading("small.csv", 2.0, of_bytes=1_000)])
        assert readings.describe_progress("job").startswith("reading sales.csv")
        assert readings.describe_progress("another") == ""
    assert readings.describe_progress("job") == ""


async def test_a_watcher_hears_of_the_reading_and_then_what_stands_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("services.planner.jobs.watching._TELL_AGAIN_SECONDS", 0.001)

    async def no_events(job_id: str, after: int) -> list[JobEvent]:
        return []

    keeper: Any = SimpleNamespace(
        stopping=False, place=lambda _: None, given_up=lambda _: None, works_on=lambda _: True
    )
    store: Any = SimpleNamespace(events=no_events)
    deciding = {"state": JobState.PLANNING, "progress_reason": "deciding on a plan"}
    job: Job = new_job().model_copy(update=deciding)
    readings = Readings()
    watching = Watching(store, keeper, HeldClock(NOW), readings=readings)
    watched = watching.events(job, 7, asyncio.Event())
    async with asyncio.timeout(5):
        with readings.about(job.job_id) as heard:
            heard([SALES])
            first = await anext(watched)
            assert (first.sequence, first.data["reason"]) == (7, str(SALES))
        assert (await anext(watched)).data["reason"] == "deciding on a plan"
