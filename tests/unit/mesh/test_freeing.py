"""What gRPC was given for calls that end early is freed."""

from __future__ import annotations

import asyncio
import ctypes
import platform
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from grpc import aio

from assay.common.v1 import job_pb2
from assay.planner.v1 import planner_service_pb2 as pb
from assay.planner.v1 import planner_service_pb2_grpc as pb_grpc
from gateway.forwarding import relayed
from mesh.keys import new_key
from mesh.transport.dial import open_channel
from mesh.transport.freeing import Batch
from mesh.transport.interceptors import server_interceptors
from mesh.transport.seal import Seal
from tests.thorough import times

WATCHES, AT_ONCE = times(640, 50_000), 32
WATCHES_BEFORE = 640
"""Until pools and caches are full."""
MOST_ROUNDS = 4
MOST_BYTES = times(2_500, 100)
"""That a watch may leave. Without freeing it is over 3,800; what is in use at one moment or another
differs by some hundred kB."""


class _Info(ctypes.Structure):
    """glibc's `struct mallinfo2`; `uordblks` are bytes in use."""

    _fields_ = tuple(
        (name, ctypes.c_size_t)
        for name in (
            *("arena", "ordblks", "smblks", "hblks", "hblkhd"),
            *("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"),
        )
    )


def _in_use() -> int:
    """Bytes that native code of this process has allocated, of all threads: exact, as no resident
    memory is; Python's small objects are not among them."""
    library = ctypes.CDLL("libc.so.6")
    library.mallinfo2.restype = _Info
    info = library.mallinfo2()
    return int(info.uordblks + info.hblkhd)


class Held(pb_grpc.PlannerServiceServicer):
    """Watches that tell what there is to tell, and then nothing."""

    def __init__(self, told: str, times: int) -> None:
        self._told, self._times = told, times

    async def WatchJob(self, request: Any, context: Any) -> AsyncIterator[pb.WatchJobResponse]:
        event = job_pb2.JobEvent(understood=self._told)
        for _ in range(self._times):
            yield pb.WatchJobResponse(event=event)
        await asyncio.Event().wait()


class Relaying(pb_grpc.PlannerServiceServicer):
    """Passes watches on, as the gateway does."""

    def __init__(self, planner: Any) -> None:
        self._planner = planner

    async def WatchJob(self, request: Any, context: Any) -> AsyncIterator[pb.WatchJobResponse]:
        async for told in relayed(self._planner.WatchJob(request), "planner", context):
            yield told


async def _serving(path: Path, servicer: Any, seal: Seal) -> aio.Server:
    server = aio.server(interceptors=server_interceptors(seal=seal))
    pb_grpc.add_PlannerServiceServicer_to_server(servicer, server)
    server.add_insecure_port(f"unix:{path}")
    await server.start()
    return server


async def _cancelled(stub: Any, count: int) -> None:
    """Watch so often, and go away once something was told."""

    async def one_after_another() -> None:
        for _ in range(count // AT_ONCE):
            call = stub.WatchJob(pb.WatchJobRequest())
            await call.read()
            call.cancel()

    await asyncio.gather(*(one_after_another() for _ in range(AT_ONCE)))


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="asks glibc's allocator")
async def test_cancelled_watches_leave_nothing(tmp_path: Path) -> None:
    seal = Seal(new_key())
    held: Any = Held("total quantity by region " * 20, times=12)  # type: ignore[abstract]
    planner = await _serving(tmp_path / "planner", held, seal)
    async with (
        open_channel(f"unix:{tmp_path}/planner", seal=seal) as inward,
        open_channel(f"unix:{tmp_path}/gateway", "ann", seal=seal) as channel,
    ):
        planning = pb_grpc.PlannerServiceStub(inward)
        relaying: Any = Relaying(planning)  # type: ignore[abstract]
        gateway = await _serving(tmp_path / "gateway", relaying, seal)
        stub: Any = pb_grpc.PlannerServiceStub(channel)
        await _cancelled(stub, WATCHES_BEFORE)
        grown = []
        for _ in range(MOST_ROUNDS):
            before = _in_use()
            await _cancelled(stub, WATCHES)
            grown.append((_in_use() - before) / WATCHES)
            if grown[-1] < MOST_BYTES:
                break  # what other tests of the process left to threads grows once, a leak always
        await gateway.stop(0)
    await planner.stop(0)
    assert min(grown) < MOST_BYTES


class Core:
    """Stands in for gRPC's: one step that waits for operations and frees them."""

    def __init__(self, freeing: Exception | None = None) -> None:
        self.waiting: Any = None
        self.freed = False
        self._freeing = freeing

    async def step(self, call: Any, operations: tuple[Any, ...], loop: Any) -> None:
        self.waiting = loop.create_future()
        await self.waiting
        self.freed = True
        if self._freeing is not None:
            raise self._freeing


def _begun(core: Core) -> asyncio.Future[None]:
    step: Callable[..., Coroutine[Any, Any, None]] = core.step
    return Batch(step, None, (), asyncio.get_running_loop()).waited_for


async def test_operations_are_freed_before_who_waits_goes_on() -> None:
    core = Core()
    waited_for = _begun(core)
    core.waiting.set_result(None)
    assert core.freed
    await waited_for


async def test_operations_are_freed_though_nobody_waits() -> None:
    core = Core()
    waited_for = _begun(core)
    waited_for.cancel()
    assert not core.freed  # the core still has them
    core.waiting.set_result(None)
    assert core.freed


async def test_operations_that_failed_are_freed_and_who_waits_is_told() -> None:
    core = Core()
    waited_for = _begun(core)
    core.waiting.set_exception(RuntimeError("the peer is gone"))
    assert core.freed
    with pytest.raises(RuntimeError, match="the peer is gone"):
        await waited_for


async def test_who_waits_is_told_what_cannot_be_read() -> None:
    core = Core(freeing=ValueError("not UTF-8"))
    waited_for = _begun(core)
    core.waiting.set_result(None)
    with pytest.raises(ValueError, match="not UTF-8"):
        await waited_for


async def test_another_loop_is_told_in_its_own_thread() -> None:
    core = Core()
    waited_for = _begun(core)

    async def told_elsewhere() -> None:
        core.waiting.call_soon_threadsafe(core.waiting.set_result, None)

    await asyncio.to_thread(asyncio.run, told_elsewhere())
    await waited_for
    assert core.freed
