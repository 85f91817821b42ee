"""An audit service in a process that dies and is started again, beside a mesh that lives."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc

from assay.audit.v1 import audit_service_pb2 as pb
from assay.common.v1 import job_pb2
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from mesh.config import MeshSettings
from mesh.testing.mesh import running_mesh
from services.__main__ import factories
from services.audit.fsck import check_log, read_checkpoint, read_published
from tests.fault.supervised import Supervised, supervised
from tests.fault.support import Ledger, Ward
from tests.mesh.support import Caller

# Small segments and frequent checkpoints, so that one job passes every place where it may die.
BUSY = {"ASSAY_AUDIT_SEGMENT_BYTES": "4096", "ASSAY_AUDIT_CHECKPOINT_SECONDS": "0.1"}
WRITERS = 16


@asynccontextmanager
async def the_audit_ward(home: Path, ledger: Ledger) -> AsyncIterator[Ward]:
    """Everything but the audit service, which each test starts as it needs it."""
    async with AsyncExitStack() as stack:
        settings = await stack.enter_async_context(
            running_mesh(home, factories, apart=True, without=["audit"])
        )
        yield Ward(settings, await stack.enter_async_context(Caller(settings)), ledger)


@asynccontextmanager
async def audit_service(
    settings: MeshSettings, failpoint: str = "", extra: Mapping[str, str] | None = None
) -> AsyncIterator[Supervised]:
    """The audit service, started again whenever it dies."""
    async with supervised(settings, "audit", failpoint, {**BUSY, **(extra or {})}) as service:
        yield service


async def patient(call: Callable[..., Any], request: Any) -> Any:
    """The answer of a client that asks again, unchanged, whenever nobody answered."""
    while True:
        try:
            return await call(request, wait_for_ready=True, timeout=60)
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.UNAVAILABLE:
                raise


async def told_to_the_end(caller: Caller, request: jobs_pb.CreateJobRequest) -> job_pb2.Job:
    """The job once it ended; its events must be without gaps."""
    job = await caller.create(request)
    told = [event.sequence for event in await caller.watched(job.job_id)]
    assert told == list(range(1, len(told) + 1))
    return await caller.job(job.job_id)


async def published_and_sound(ward: Ward) -> None:
    """The log, from its raw entries, against a new checkpoint and every one before."""
    await patient(ward.caller.audit.Checkpoint, pb.CheckpointRequest())
    home = ward.settings.home / "audit"
    newest, earlier = read_checkpoint(home / "checkpoints"), read_published(home / "checkpoints")
    report = check_log(home / "log", newest, earlier)
    assert report.fault is None, report.fault
    assert newest is not None
    assert report.entries >= newest.size


@dataclass
class Stress:
    """Writers that each append to a chain, one entry after another, until all are acknowledged.

    Its ids come from `name`. `on_receipt` is called with the number of receipts so far.
    """

    caller: Caller
    name: str
    entries_each: int
    on_receipt: Callable[[int], None] = lambda count: None
    receipts: dict[str, pb.Receipt] = field(default_factory=dict)
    sent: dict[str, list[str]] = field(default_factory=dict)

    async def run(self) -> None:
        """Append everything, asking again whenever an answer was lost."""
        await asyncio.gather(*(self._write(number) for number in range(WRITERS)))

    async def _write(self, number: int) -> None:
        ids = random.Random(f"{self.name} {number}")
        request_id = f"{ids.getrandbits(128):032x}"
        for index in range(self.entries_each):
            entry = pb.NewEntry(
                entry_id=f"{ids.getrandbits(128):032x}",
                request_id=request_id,
                event_type="observation_recorded",
                event_data_json=f'{{"number": {index}}}',
                actor="actor",
            )
            answer = await patient(self.caller.audit.Append, pb.AppendRequest(entries=[entry]))
            self.sent.setdefault(request_id, []).append(entry.entry_id)
            self.receipts[entry.entry_id] = answer.receipts[0]
            self.on_receipt(len(self.receipts))

    async def check(self) -> None:
        """Every entry once, in its place, as its writer was told."""
        for request_id, ids in self.sent.items():
            found = await patient(self.caller.audit.List, pb.ListRequest(request_id=request_id))
            assert [entry.entry_id for entry in found.entries] == ids
            for sequence, entry in enumerate(found.entries, start=1):
                receipt = self.receipts[entry.entry_id]
                assert entry.sequence_number == receipt.sequence_number == sequence
                assert (entry.hash, entry.leaf_index) == (receipt.hash, receipt.leaf_index)
        leaves = [receipt.leaf_index for receipt in self.receipts.values()]
        assert len(set(leaves)) == len(leaves) == WRITERS * self.entries_each


class Deaths:
    """Kills a service at random moments, each a while after the service answered again."""

    def __init__(self, service: Supervised, seed: int, count: int, within: int) -> None:
        self._service = service
        chance = random.Random(seed)
        self._moments = sorted(chance.sample(range(1, within), count))
        self._delays = [chance.uniform(0.0, 0.01) for _ in range(count)]

    def after(self, receipts: int) -> None:
        """Kill soon, when so many receipts are one of the moments."""
        if self._moments and receipts >= self._moments[0]:
            del self._moments[0]
            asyncio.get_running_loop().call_later(self._delays.pop(), self._service.kill)
