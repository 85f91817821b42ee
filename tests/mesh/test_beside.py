"""A service in a process of its own: started by a call, ended when nobody calls, told why not.

Real processes, since that they begin and end is the subject; audit is the lightest service.
"""

from __future__ import annotations

import asyncio
import os
import select
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest

from assay.audit.v1 import audit_service_pb2 as pb
from assay.audit.v1 import audit_service_pb2_grpc
from mesh.config import MeshSettings, load
from mesh.errors import INVALID_ARGUMENT, AssayError
from mesh.processes.beside import Beside
from mesh.transport.dial import Dial
from mesh.transport.seal import seal_of
from tests.busy import allowing

Stub = audit_service_pb2_grpc.AuditServiceStub


@asynccontextmanager
async def audit(home: Path, idle_seconds: float, **more: str) -> AsyncIterator[tuple[Beside, Stub]]:
    address = f"unix:{home}/audit.sock"
    beside = Beside(
        "audit",
        {"ASSAY_HOME": str(home), "ASSAY_AUDIT_ADDRESS": address, **more},
        idle_seconds,
    )
    settings = load(MeshSettings, home=home, audit_address=address)
    async with Dial(settings, seal_of(settings), {"audit": beside}) as dial:
        try:
            yield beside, Stub(dial.to("audit"))
        finally:
            await beside.close()


def running() -> list[psutil.Process]:
    return [
        child
        for child in psutil.Process().children()
        if child.is_running() and child.cmdline()[-2:] == ["services", "audit"]
    ]


def alive(process: psutil.Process, seconds: float) -> bool:
    """Whether it has not ended after so long; its parent is left to take note of it."""
    try:
        ending = os.pidfd_open(process.pid)
    except ProcessLookupError:
        return False
    try:
        return not select.select([ending], [], [], seconds)[0]
    finally:
        os.close(ending)


async def gone(process: psutil.Process) -> None:
    assert not await asyncio.to_thread(alive, process, allowing(30))


async def test_a_call_starts_it_rest_ends_it_and_the_next_call_starts_it_anew(
    tmp_path: Path,
) -> None:
    async with audit(tmp_path, idle_seconds=0.2) as (beside, stub):
        assert running() == []
        await asyncio.gather(*(stub.Checkpoint(pb.CheckpointRequest()) for _ in range(3)))
        (first,) = running()
        assert beside.calls == 0
        await gone(first)
        await stub.Checkpoint(pb.CheckpointRequest())
        (second,) = running()
        assert second.pid != first.pid
        second.kill()
        await gone(second)
        await stub.Checkpoint(pb.CheckpointRequest())
        (third,) = running()
    await gone(third)
    assert running() == []


async def test_a_call_that_is_under_way_keeps_it(tmp_path: Path) -> None:
    async with audit(tmp_path, idle_seconds=0.05) as (beside, stub):
        await beside.called()
        (process,) = running()
        await stub.Checkpoint(pb.CheckpointRequest())
        assert await asyncio.to_thread(alive, process, 0.5)
        beside.left()
        await gone(process)


async def test_why_it_cannot_start_is_what_its_callers_are_told(tmp_path: Path) -> None:
    async with audit(tmp_path, 60, ASSAY_AUDIT_SEGMENT_BYTES="many") as (beside, stub):
        with pytest.raises(AssayError) as caught:
            await stub.Checkpoint(pb.CheckpointRequest())
        assert caught.value.reason is INVALID_ARGUMENT
        assert "ASSAY_AUDIT_SEGMENT_BYTES" in caught.value.message
        assert beside.calls == 0
