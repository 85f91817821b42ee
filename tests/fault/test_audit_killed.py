"""The audit service is killed as `kill -9` does; every entry is there once, every job ends."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from assay.audit.v1 import audit_service_pb2 as pb
from assay.common.v1 import job_pb2
from tests.fault.audit_support import (
    BUSY,
    WRITERS,
    Deaths,
    Stress,
    audit_service,
    patient,
    published_and_sound,
    the_audit_ward,
    told_to_the_end,
)
from tests.fault.support import Ledger, Ward, asked, died
from tests.mesh.support import start_process

pytestmark = pytest.mark.asyncio(loop_scope="module")

EVERYWHERE = [
    *(f"audit: append, {when}" for when in ("unwritten", "written", "synced", "unanswered")),
    *(f"audit: append, {when}#4" for when in ("unwritten", "written", "synced", "unanswered")),
    *(f"audit: segment, {when}" for when in ("created", "written", "synced")),
    "audit: cache, unsynced",
    "audit: nodes, synced",
    "audit: index, uncommitted",
    "audit: index, committed",
    *(f"audit: checkpoint, {when}" for when in ("unpublished", "kept", "published")),
    *(f"audit: file, {when}" for when in ("written", "synced", "renamed")),
    *(f"audit: file, {when}#2" for when in ("written", "synced", "renamed")),
]
# Of every kind one: around the sync of an entry, of a segment, of the caches, of a checkpoint.
SOME = [
    "audit: append, written#4",
    "audit: append, synced",
    "audit: segment, written",
    "audit: index, uncommitted",
    "audit: checkpoint, kept",
]
RECOVERING = [
    "audit: torn tail, uncut",
    "audit: torn tail, cut",
    "audit: torn tail, synced",
    "audit: recovery, nodes synced",
    "audit: recovery, index committed",
]
# `make fault` asks for many.
KILLS = int(os.environ.get("ASSAY_FAULT_KILLS", "2"))
MANY = KILLS > 2
ENTRIES_EACH = 40


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def ward(ledger: Ledger) -> AsyncIterator[Ward]:
    """The mesh without its audit service; short, because a socket's path must be."""
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        async with the_audit_ward(Path(folder), ledger) as ward:
            yield ward


@pytest_asyncio.fixture(loop_scope="module")
async def undisturbed_run(ward: Ward, sales: Path) -> None:
    """One run in which nobody dies: what every other must come to."""
    if not ward.undisturbed:
        async with audit_service(ward.settings):
            job = await ward.caller.asked(asked(sales))
            ward.undisturbed, ward.steps = ward.artifacts(job.job_id), len(job.steps)
        assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
        assert {"charts", "reports", "tables"} <= {name.split("/")[0] for name in ward.undisturbed}
    ward.ledger.completed.clear()


@pytest.mark.usefixtures("undisturbed_run")
@pytest.mark.parametrize("place", EVERYWHERE if MANY else SOME)
async def test_a_job_goes_on_when_audit_dies_around_a_sync(
    ward: Ward, sales: Path, place: str
) -> None:
    async with audit_service(ward.settings, place) as audit:
        job = await told_to_the_end(ward.caller, asked(sales))
        await audit.died()
        await published_and_sound(ward)
        await ward.check(job)


@pytest.mark.usefixtures("undisturbed_run")
@pytest.mark.parametrize("seed", range(max(1, KILLS // 2)))
async def test_a_job_goes_on_when_audit_dies_at_any_moment(
    ward: Ward, sales: Path, seed: int
) -> None:
    async with audit_service(ward.settings) as audit:
        moment = random.Random(seed).uniform(0.0, 0.8)
        asyncio.get_running_loop().call_later(moment, audit.kill)
        job = await told_to_the_end(ward.caller, asked(sales))
        await audit.died()
        await published_and_sound(ward)
        await ward.check(job)


async def test_many_writers_that_ask_again_leave_every_entry_once(ward: Ward) -> None:
    async with audit_service(ward.settings) as audit:
        kills = KILLS - KILLS // 2
        deaths = Deaths(audit, seed=KILLS, count=kills, within=WRITERS * ENTRIES_EACH)
        stress = Stress(ward.caller, "killed", ENTRIES_EACH, deaths.after)
        await stress.run()
        await audit.died()
        await stress.check()
        await published_and_sound(ward)


@pytest.mark.parametrize("place", RECOVERING if MANY else RECOVERING[1::3])
async def test_a_recovery_that_dies_is_begun_again(ward: Ward, place: str) -> None:
    async with audit_service(ward.settings):
        before = Stress(ward.caller, f"before {place}", entries_each=3)
        await before.run()
    log = ward.settings.home / "audit" / "log"
    shutil.rmtree(log / "cache")
    last = max((log / "entries").iterdir())
    whole = last.read_bytes()
    last.write_bytes(whole + whole[16:150])

    process = start_process(["audit"], ward.settings, {**BUSY, "ASSAY_FAILPOINT": place})
    await died(process)
    async with audit_service(ward.settings):
        assert last.read_bytes() == whole
        await before.check()
        again = Stress(ward.caller, f"after {place}", entries_each=2)
        await again.run()
        await again.check()
        await published_and_sound(ward)


async def test_an_entry_that_was_synced_but_not_answered_is_there_once(ward: Ward) -> None:
    entry = pb.NewEntry(
        entry_id="e" * 32,
        request_id="d" * 32,
        event_type="tool_called",
        event_data_json="{}",
        actor="actor",
    )
    request = pb.AppendRequest(entries=[entry])
    async with audit_service(ward.settings, "audit: append, synced") as audit:
        first = (await patient(ward.caller.audit.Append, request)).receipts[0]
        await audit.died()
        again = (await patient(ward.caller.audit.Append, request)).receipts[0]
        assert again == first
        listed = await patient(ward.caller.audit.List, pb.ListRequest(request_id="d" * 32))
        assert [found.entry_id for found in listed.entries] == ["e" * 32]
        await published_and_sound(ward)
