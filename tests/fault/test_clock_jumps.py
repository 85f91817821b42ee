"""The time of day jumps an hour forth and back while a job runs: nobody goes by it but records.

Case 13 of the failure cases. The rules that leases keep are in tests/contract/test_leases.py, the
log's in test_audit_log.py.
"""

from __future__ import annotations

import itertools
import re
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from assay.common.v1 import job_pb2
from assay.gateway.v1 import audit_service_pb2 as records_pb
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from mesh.config import SERVICES, MeshSettings, load
from services.audit.fsck import check_log, read_checkpoint
from tests.fault.support import LEASE, asked
from tests.fault.turned import TurnedClock
from tests.mesh.support import REPOSITORY, Caller, ServiceProcess, serving, start_process

pytestmark = pytest.mark.asyncio

# A jump would end it, a busy machine does not.
LONG = {"ASSAY_PLANNER_LEASE_SECONDS": "1800"}
READ_THE_TIME_OF_DAY = {
    "mesh/clock.py": "is the port",
    "mesh/storage/objects/bucket.py": "compares with the bucket's own times of upload, by the hour",
    "mesh/testing/certificates.py": "writes it into certificates",
    "mesh/telemetry/trace_files.py": "compares with files' times, by the day",
    "mesh/transport/trespass.py": "records a stranger once an hour",
    "services/audit/adapters/memory_log.py": "writes it into entries",
    "services/audit/adapters/segment_log.py": "writes it into entries",
    "services/executor/databases/vault.py": "compares with files' times, by the month",
    "services/executor/remote/fetching.py": "compares with files' times, by the day",
    "services/executor/sources/content.py": "trusts no digest of a file changed in the future",
    "services/executor/sources/library.py": "compares with files' times, by the day",
    "services/memory/app.py": "writes it into recipes",
    "services/memory/rpc.py": "writes it into recipes",
}


async def test_a_clock_that_jumps_an_hour_at_every_turn_of_a_job_changes_nothing_but_times(
    sales: Path,
) -> None:
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        home = Path(folder)
        sockets = {f"{name}_address": f"unix:{home}/mesh.sock" for name in SERVICES}
        settings = load(MeshSettings, home=home, drain_seconds=2.0, local_paths=True, **sockets)
        rival = settings.model_copy(update={"planner_address": f"unix:{home}/rival.sock"})
        clock = TurnedClock(home / "clock")
        started: list[ServiceProcess] = []
        extra, module = {**LEASE, **clock.environment}, "tests.fault.turned"
        try:
            started.append(start_process(SERVICES, settings, extra, module))
            await serving(settings, dict.fromkeys(SERVICES, started[0]))
            started.append(start_process(["planner"], rival, extra, module))
            await serving(rival, {"planner": started[1]})
            async with Caller(settings) as caller:
                await the_job_is_as_ever(caller, clock, sales, home)
        finally:
            for process in started:
                process.stop()
        log = home / "audit"
        report = check_log(log / "log", read_checkpoint(log / "checkpoints"))
        assert report.fault is None, report.fault


async def the_job_is_as_ever(caller: Caller, clock: TurnedClock, sales: Path, home: Path) -> None:
    """A job whose every event turns the clock: one planner, one order, sound times, sound proof."""
    job = await caller.create(asked(sales))
    told = []
    hours = itertools.cycle((1, 0, -1, 0))
    async for event in caller.jobs.WatchJob(jobs_pb.WatchJobRequest(job_id=job.job_id)):
        told.append(event.event.sequence)
        clock.turn(next(hours))
    job = await caller.job(job.job_id)
    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    assert told == list(range(1, len(told) + 1))
    listing = records_pb.ListEntriesRequest(job_id=job.job_id)
    entries = (await caller.records.ListEntries(listing)).entries
    assert [entry.sequence_number for entry in entries] == list(range(1, len(entries) + 1))
    times = [entry.timestamp for entry in entries]
    assert times != sorted(times), "the clock was to jump"
    assert (await caller.records.VerifyJob(records_pb.VerifyJobRequest(job_id=job.job_id))).ok
    assert all(0 <= step.elapsed.ToSeconds() < 60 for step in job.steps)
    with closing(sqlite3.connect(home / "planner" / "planner.sqlite")) as database:
        claims = database.execute("SELECT token FROM leases").fetchall()
    assert claims == [(1,)], "no other planner took the job"


async def test_the_time_of_day_is_read_for_records_only() -> None:
    """Where the clock is a port, no deadline can depend on it: limits count monotonic seconds."""
    reads = re.compile(r"\btime\.time(_ns)?\(|\.utcnow\(|datetime\.now\(|date\.today\(")
    rooms = [REPOSITORY / room for room in ("gateway", "mesh", "services")]
    files = [path for room in rooms for path in room.rglob("*.py")]
    found = {str(p.relative_to(REPOSITORY)) for p in files if reads.search(p.read_text())}
    assert found == READ_THE_TIME_OF_DAY.keys()
