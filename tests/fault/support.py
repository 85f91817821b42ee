"""Killing planners: victims in processes of their own, and what must hold after each."""

from __future__ import annotations

import asyncio
import dataclasses
import signal
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import grpc

from assay.common.v1 import analysis_pb2, job_pb2
from assay.gateway.v1 import audit_service_pb2 as records_pb
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from assay.planner.v1 import planner_service_pb2_grpc as planner_grpc
from mesh.config import MeshSettings
from mesh.testing.mesh import running_mesh
from mesh.tool import ToolContext, ToolResult
from mesh.transport.dial import open_channel
from mesh.transport.seal import seal_of
from services.__main__ import factories
from services.audit.fsck import check_log, read_checkpoint
from services.planner.settings import PlannerSettings
from tests.busy import allowing
from tests.fault.files import comparable_files
from tests.mesh.support import (
    Caller,
    ServiceProcess,
    for_planner,
    question,
    serving,
    start_process,
)

# Shorter than in production, so that many deaths fit into a test run.
LEASE = {
    "ASSAY_PLANNER_LEASE_SECONDS": "2.5",
    "ASSAY_PLANNER_RENEW_SECONDS": "0.5",
    "ASSAY_PLANNER_LOOK_SECONDS": "0.2",
}
USUAL = {name: str(PlannerSettings.model_fields[name[6:].lower()].default) for name in LEASE}
RESUMED_WITHIN = 5.0
EVERYTHING = (
    analysis_pb2.DELIVERABLE_TABLES,
    analysis_pb2.DELIVERABLE_CHARTS,
    analysis_pb2.DELIVERABLE_REPORTS,
    analysis_pb2.DELIVERABLE_SUMMARY,
)


class Ledger:
    """Which tools completed what, and a door that holds one of them up."""

    def __init__(self) -> None:
        self.completed: list[str] = []
        self.hold = ""
        self.held = threading.Event()
        self.door = threading.Event()

    def watch(self, name: str, tool: Any) -> Any:
        def run(arguments: Any, context: ToolContext) -> ToolResult:
            if self.hold == name:
                self.held.set()
                self.door.wait(30)
            result: ToolResult = tool.run(arguments, context)
            self.completed.append(f"{name} {arguments.model_dump_json()}")
            return result

        return dataclasses.replace(tool, run=run)

    @contextmanager
    def holding(self, name: str) -> Iterator[None]:
        """Hold a tool up until the door is opened, or the block ends."""
        self.held.clear()
        self.door.clear()
        self.hold = name
        try:
            yield
        finally:
            self.hold = ""
            self.door.set()


@dataclasses.dataclass
class Ward:
    """Peers that live, a planner that takes over, and what an undisturbed run leaves behind."""

    settings: MeshSettings
    caller: Caller
    ledger: Ledger
    undisturbed: dict[str, bytes] = dataclasses.field(default_factory=dict)
    steps: int = 0

    @asynccontextmanager
    async def victim(
        self, failpoint: str = "", lease: Mapping[str, str] = LEASE
    ) -> AsyncIterator[tuple[ServiceProcess, Any]]:
        """A planner process on the same database, and the stub that calls it."""
        socket = self.settings.home / "victim.sock"
        socket.unlink(missing_ok=True)
        settings = self.settings.model_copy(update={"planner_address": f"unix:{socket}"})
        process = start_process(["planner"], settings, {**lease, "ASSAY_FAILPOINT": failpoint})
        try:
            await serving(settings, {"planner": process})
            seal = seal_of(settings)
            async with open_channel(settings.planner_address, "ann", seal=seal) as channel:
                yield process, planner_grpc.PlannerServiceStub(channel)
        finally:
            await asyncio.to_thread(process.kill)

    async def create(self, stub: Any, request: jobs_pb.CreateJobRequest) -> None:
        """Create a job as a client does: again, elsewhere, when nobody answers."""
        try:
            await stub.CreateJob(for_planner(request))
        except grpc.RpcError:
            await self.caller.create(request)

    async def ended(self, job_id: str, since: float) -> job_pb2.Job:
        """The job once it ended; its events must be without gaps, the first of the new planner's
        within five seconds of the death."""
        before = await self.events_so_far(job_id)
        resumed = 0.0
        told = []
        request = jobs_pb.WatchJobRequest(job_id=job_id, after_sequence=before)
        async for event in self.caller.jobs.WatchJob(request):
            resumed = resumed or time.monotonic() - since
            if event.event.progress.HasField("queue_position"):
                continue  # told and not kept
            told.append(event.event.sequence)
        assert told == list(range(before + 1, before + 1 + len(told)))
        assert resumed < RESUMED_WITHIN, f"resumed after {resumed:.1f} s"
        return await self.caller.job(job_id)

    async def events_so_far(self, job_id: str) -> int:
        call = self.caller.jobs.WatchJob(jobs_pb.WatchJobRequest(job_id=job_id))
        seen = 0
        try:
            async with asyncio.timeout(0.2):
                async for event in call:
                    seen = event.event.sequence
        except TimeoutError:
            call.cancel()
        return seen

    async def freeze(self, process: ServiceProcess) -> float:
        """Stop a process outside its transactions, which would lock everybody out of SQLite."""
        database = sqlite3.connect(self.settings.home / "planner" / "planner.sqlite", timeout=0)
        while True:
            process.process.send_signal(signal.SIGSTOP)
            # The signal is only sent: until the kernel has stopped it, it may begin a transaction.
            while not _stopped(process.process.pid):
                await asyncio.sleep(0)
            try:
                database.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                process.process.send_signal(signal.SIGCONT)
                await asyncio.sleep(0.01)
                continue
            database.rollback()
            database.close()
            return time.monotonic()

    async def taken_over(self, job_id: str) -> None:
        """Return once a second planner has claimed a job."""
        database = sqlite3.connect(self.settings.home / "planner" / "planner.sqlite")
        query = "SELECT token FROM leases WHERE planner_id = ?"
        for _ in range(200):
            if database.execute(query, (job_id,)).fetchone()[0] > 1:
                database.close()
                return
            await asyncio.sleep(0.05)
        raise AssertionError("nobody claimed the job")

    async def logged(self, text: str) -> None:
        """Return once a victim's log says so."""
        log = self.settings.home / "planner.log"
        for _ in range(200):
            if text in await asyncio.to_thread(log.read_text):
                return
            await asyncio.sleep(0.05)
        raise AssertionError(f"the log never said {text!r}")

    async def entries(self, job_id: str) -> list[Any]:
        listing = records_pb.ListEntriesRequest(job_id=job_id)
        return list((await self.caller.records.ListEntries(listing)).entries)

    def artifacts(self, job_id: str) -> dict[str, bytes]:
        return comparable_files(self.settings.home, job_id)

    async def check(self, job: job_pb2.Job) -> None:
        """Everything that must hold of a job whose planner was killed."""
        assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
        assert len(job.steps) == self.steps
        done = Counter(self.ledger.completed)
        assert max(done.values()) == 1, f"ran twice: {done}"
        assert len(done) == self.steps
        entries = await self.entries(job.job_id)
        kinds = Counter(entry.event_type for entry in entries)
        assert [entry.sequence_number for entry in entries] == list(range(1, len(entries) + 1))
        assert kinds["request_submitted"] == kinds["plan_created"] == 1
        assert kinds["policy_decision"] == 1
        assert kinds["tool_called"] == kinds["observation_recorded"] == self.steps
        assert kinds["artifact_generated"] == len(self.undisturbed) + 1, "each file, the summary"
        assert self.artifacts(job.job_id) == self.undisturbed
        verify = records_pb.VerifyJobRequest(job_id=job.job_id)
        verified = await self.caller.records.VerifyJob(verify)
        assert verified.ok, verified

    def fsck(self) -> None:
        """The log as a whole, from its raw entries."""
        home = self.settings.home / "audit"
        report = check_log(home / "log", read_checkpoint(home / "checkpoints"))
        assert report.fault is None, report.fault


def asked(place: Path) -> jobs_pb.CreateJobRequest:
    """The question that every victim gets: several steps, and every kind of file."""
    text = "total quantity by region"
    return question(text, place, deliverables=EVERYTHING, timeout=60)


async def died(process: ServiceProcess, seconds: float = 30.0) -> float:
    """The moment after a process died by SIGKILL."""
    code = await asyncio.to_thread(process.process.wait, allowing(seconds))
    assert code == -signal.SIGKILL
    return time.monotonic()


@asynccontextmanager
async def the_ward(home: Path, ledger: Ledger) -> AsyncIterator[Ward]:
    """The mesh around the victims."""
    async with (
        running_mesh(home, factories, apart=True) as settings,
        Caller(settings) as caller,
    ):
        yield Ward(settings, caller, ledger)


def _stopped(pid: int) -> bool:
    """Whether the kernel has stopped a process; proc(5)."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"
