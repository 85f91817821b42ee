"""The disk under the audit log fills up: nothing is done that cannot be recorded."""

from __future__ import annotations

import asyncio
import errno
import os
import resource
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import grpc
import pytest
import pytest_asyncio

from assay.audit.v1 import audit_service_pb2 as pb
from assay.common.v1 import job_pb2
from mesh.errors import AUDIT_UNAVAILABLE, NOT_FOUND, AssayError
from mesh.ids import new_id
from mesh.transport.status import from_rpc_error
from services.audit.fsck import check_log, read_checkpoint
from tests.fault.audit_support import audit_service, the_audit_ward, told_to_the_end
from tests.fault.supervised import Supervised
from tests.fault.support import Ledger, Ward, asked
from tests.mesh.support import refusal

pytestmark = pytest.mark.asyncio(loop_scope="module")


@dataclass
class Disk:
    """The disk of a log, which the test fills and frees."""

    folder: Path

    def fill(self, audit: Supervised) -> None:
        """Leave no room for another page."""
        with (self.folder / "ballast").open("wb", buffering=0) as ballast:
            try:
                while True:
                    ballast.write(bytes(4096))
            except OSError as error:
                assert error.errno == errno.ENOSPC

    def free(self, audit: Supervised) -> None:
        """Make room again."""
        (self.folder / "ballast").unlink()


class Limit(Disk):
    """No disk, but a limit of the operating system on how long files of the service may get."""

    def fill(self, audit: Supervised) -> None:
        self._limit(audit, max(path.stat().st_size for path in self.folder.rglob("*.log")))

    def free(self, audit: Supervised) -> None:
        self._limit(audit, resource.RLIM_INFINITY)

    def _limit(self, audit: Supervised, size: int) -> None:
        pid = audit.present.process.pid
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


@pytest.fixture(params=["disk", "limit"])
def disk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Disk]:
    """A real disk of one megabyte where this user may mount one; a limit everywhere."""
    if request.param == "limit":
        yield Limit(tmp_path)
        return
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(tmp_path)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this user may not mount a small disk")
    yield Disk(tmp_path)
    subprocess.run(["umount", str(tmp_path)], check=True)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def ward(ledger: Ledger) -> AsyncIterator[Ward]:
    """The mesh without its audit service; short, because a socket's path must be."""
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        async with the_audit_ward(Path(folder), ledger) as ward:
            yield ward


@pytest_asyncio.fixture(loop_scope="module")
async def audit(ward: Ward, disk: Disk) -> AsyncIterator[Supervised]:
    """The audit service with its log on that disk, and its checkpoints there as well."""
    places = {
        "ASSAY_AUDIT_FOLDER": str(disk.folder / "log"),
        "ASSAY_AUDIT_CHECKPOINTS": str(disk.folder / "checkpoints"),
        "ASSAY_AUDIT_SEGMENT_BYTES": str(1 << 20),
        "ASSAY_AUDIT_CHECKPOINT_SECONDS": "3600",
    }
    async with audit_service(ward.settings, extra=places) as service:
        yield service


async def fill_to_the_last_byte(ward: Ward, disk: Disk, audit: Supervised) -> AssayError:
    """Fill the disk, then the page that the log had begun; the refusal that comes then."""
    disk.fill(audit)
    request_id = new_id()
    for _ in range(64):
        entry = pb.NewEntry(
            entry_id=new_id(),
            request_id=request_id,
            event_type="tool_called",
            event_data_json="{}",
            actor="actor",
        )
        try:
            await ward.caller.audit.Append(pb.AppendRequest(entries=[entry]))
        except grpc.RpcError as error:
            return from_rpc_error(error)
    raise AssertionError("the log took everything")


def whole(disk: Disk) -> int:
    """Entries of the log, which must verify against its newest checkpoint."""
    report = check_log(disk.folder / "log", read_checkpoint(disk.folder / "checkpoints"))
    assert (report.fault, report.torn_bytes) == (None, 0)
    return report.entries


async def test_a_job_is_refused_before_anything_is_done_and_accepted_when_there_is_room(
    ward: Ward, sales: Path, disk: Disk, audit: Supervised
) -> None:
    before = await told_to_the_end(ward.caller, asked(sales))
    assert before.state == job_pb2.JOB_STATE_COMPLETED, before.failure
    refused = await fill_to_the_last_byte(ward, disk, audit)
    assert refused.reason is AUDIT_UNAVAILABLE
    assert "The audit log cannot grow" in refused.message
    entries = whole(disk)

    ward.ledger.completed.clear()
    request = asked(sales)
    refused = await refusal(ward.caller.create(request))
    assert refused.reason is AUDIT_UNAVAILABLE
    assert "The audit log cannot grow" in refused.message
    assert refused.remedy
    assert (await refusal(ward.caller.job(request.request_id))).reason is NOT_FOUND
    assert ward.ledger.completed == []
    assert ward.artifacts(request.request_id) == {}
    assert whole(disk) == entries

    disk.free(audit)
    job = await told_to_the_end(ward.caller, request)
    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    assert ward.artifacts(job.job_id) == ward.artifacts(before.job_id)
    assert whole(disk) > entries


async def test_a_job_under_which_the_disk_fills_ends_with_the_reason_and_reports_nothing_more(
    ward: Ward, sales: Path, disk: Disk, audit: Supervised
) -> None:
    request = asked(sales)
    with ward.ledger.holding("plot_render"):
        job = await ward.caller.create(request)
        assert await asyncio.to_thread(ward.ledger.held.wait, 20)
        await fill_to_the_last_byte(ward, disk, audit)
        ward.ledger.door.set()
        await ward.caller.watched(job.job_id)
    job = await ward.caller.job(job.job_id)
    assert job.state == job_pb2.JOB_STATE_FAILED
    assert job.failure.reason == AUDIT_UNAVAILABLE.code
    drawn = [step for step in job.steps if step.tool_name == "plot.render"]
    assert drawn
    assert all(step.state != job_pb2.STEP_STATE_DONE for step in drawn)
    entries = whole(disk)

    disk.free(audit)
    again = await told_to_the_end(ward.caller, asked(sales))
    assert again.state == job_pb2.JOB_STATE_COMPLETED, again.failure
    assert whole(disk) > entries
