"""The lines of a job that a planner takes up say what those of one that it was asked for say."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider

from mesh.clock import HeldClock
from mesh.storage.database import Database, open_database
from mesh.telemetry.logs import fields_of
from services.planner.adapters.job_store import SqlJobStore
from services.planner.adapters.leases import SqlLeases
from services.planner.adapters.reasoner_rules import RulesReasoner
from services.planner.app import Planner
from services.planner.jobs.collaborators import Collaborators
from services.planner.jobs.keeper import Rhythm
from services.planner.ports import AuditEvent
from tests.contract.jobs import FIRST, MIGRATIONS, NOW, created

pytestmark = pytest.mark.asyncio


class Log:
    """An audit log that takes everything."""

    async def append(self, request_id: str, events: Sequence[AuditEvent]) -> int:
        return len(events)

    async def publish(self) -> None:
        """Nothing."""


class Lines(logging.Handler):
    """Lines as they are written, with what is known where they are."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[dict[str, Any]] = []
        self.ended = asyncio.Event()

    def emit(self, record: logging.LogRecord) -> None:
        fields = fields_of(record)
        if fields.get("event", "").startswith("job "):
            self.told.append(fields)
        if fields.get("event") == "job ended":
            self.ended.set()


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> Iterator[Lines]:
    provider, lines = TracerProvider(), Lines()
    monkeypatch.setattr(trace, "get_tracer", provider.get_tracer)
    log = logging.getLogger("assay.planner")
    level = log.level
    log.addHandler(lines)
    log.setLevel(logging.INFO)
    yield lines
    log.removeHandler(lines)
    log.setLevel(level)


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    url = f"sqlite:///{tmp_path / 'jobs.sqlite'}"
    database = await asyncio.to_thread(open_database, url, MIGRATIONS)
    yield database
    await database.close()


@pytest.mark.parametrize("stop", [False, True], ids=["goes on", "to be stopped"])
async def test_a_job_of_another_planner_is_told_with_its_service_and_trace(
    database: Database, lines: Lines, stop: bool
) -> None:
    clock = HeldClock(NOW)
    store, leases = SqlJobStore(database, clock), SqlLeases(database, clock, FIRST)
    job, lease = await created(store)
    await leases.release(lease)
    if stop:
        await leases.request_cancel(job.job_id)
    # What it is to work with is not there: the job goes on, and fails at once.
    with_ = Collaborators(store, None, None, Log(), RulesReasoner())  # type: ignore[arg-type]
    planner = Planner(with_, leases, FIRST, clock, Rhythm(look_seconds=3600.0))
    async with asyncio.timeout(20):
        await planner.start()
        await lines.ended.wait()
        await planner.stop()

    goes_on, ended = lines.told
    assert (goes_on["event"], ended["event"]) == ("job goes on", "job ended")
    assert ended["state"] == ("cancelled" if stop else "failed")
    for line in lines.told:
        assert (line["service"], line["tenant"]) == ("planner", "ann")
        assert line["job_id"] == job.job_id
    assert goes_on["trace_id"] == ended["trace_id"]
