"""What do watchers cost who see nothing happen, or go away? `python -m bench.watches`

A whole mesh runs in a process of its own; a job of it is held in its last step. A thousand streams
watch it, by sixteen connections; told is the memory that the mesh has taken for them, and its
processor time a second while nothing happens. Then streams are opened and cancelled, each once it
brought its first event, and the mesh's memory is looked at after every tenth of them, with a new
held job each. Compared with watches that a bare grpc.aio server holds and loses. `--streams` says
how many (default 100,000). Targets: 100 MB for a thousand; flat memory, which is told as what grew
after the first third, by which pools and caches are full.
"""

from __future__ import annotations

import asyncio
import dataclasses
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import psutil
from grpc import aio

from assay.gateway.v1 import job_service_pb2 as pb
from assay.gateway.v1 import job_service_pb2_grpc as pb_grpc
from bench.measure import arguments, keep, print_table
from bench.support_served import processor_seconds, serve, served_part
from examples.retailer import write_retailer
from mesh.testing.mesh import running_mesh
from services.__main__ import factories
from services.executor.tools import plot_render
from tests.mesh.support import question

IDLE, CONNECTIONS, QUIET_SECONDS = 1_000, 16, 10.0
STREAMS, ROUNDS, AT_ONCE = 100_000, 10, 32
MOST_MEGABYTES = 100.0
METADATA = (("x-assay-user", "ann"),)
HOLD, DRAWING = "held", "drawing"
"""While the first file is beside the socket charts are not drawn; the second says that one is to
be."""

Watch = Callable[[aio.Channel], Any]


async def mesh_part(socket: Path) -> None:
    """A mesh in which charts wait."""
    drawn = plot_render.plot_render

    def held(call: Any, context: Any) -> Any:
        (socket.parent / DRAWING).touch()
        while (socket.parent / HOLD).exists():
            time.sleep(0.05)
        return drawn.run(call, context)

    with patch.object(plot_render, "plot_render", dataclasses.replace(drawn, run=held)):
        async with running_mesh(socket.parent, factories):
            await asyncio.Event().wait()


async def bare_part(socket: str) -> None:
    """A server whose watches tell one thing and then nothing."""

    class Bare(pb_grpc.JobServiceServicer):
        async def WatchJob(  # noqa: N802 # the contract's name
            self, request: pb.WatchJobRequest, context: Any
        ) -> AsyncIterator[pb.WatchJobResponse]:
            yield pb.WatchJobResponse()
            await asyncio.Event().wait()

    bare: Any = Bare()  # type: ignore[abstract]  # one method is asked
    await serve(socket, lambda server: pb_grpc.add_JobServiceServicer_to_server(bare, server))


@asynccontextmanager
async def held_job(channel: aio.Channel, folder: Path, orders: Path) -> AsyncIterator[Watch]:
    """A job that is at its chart and stays there; how to watch it."""
    (folder / HOLD).touch()
    stub: Any = pb_grpc.JobServiceStub(channel)
    wanted = question("total quantity by region, as a chart", orders, timeout=170)
    job = (await stub.CreateJob(wanted, metadata=METADATA)).job
    async with asyncio.timeout(120):
        while not (folder / DRAWING).exists():  # noqa: ASYNC110 # another process makes it
            await asyncio.sleep(0.05)
    watched = pb.WatchJobRequest(job_id=job.job_id)
    yield lambda through: pb_grpc.JobServiceStub(through).WatchJob(watched, metadata=METADATA)
    (folder / HOLD).unlink()
    (folder / DRAWING).unlink()
    async for _ in stub.WatchJob(pb.WatchJobRequest(job_id=job.job_id), metadata=METADATA):
        pass


def megabytes(process: psutil.Process) -> float:
    """Resident memory."""
    return float(process.memory_info().rss) / 1e6


async def idle(socket: Path, watch: Watch, process: psutil.Process) -> dict[str, float]:
    """What streams cost that are open and bring nothing."""
    async with AsyncExitStack() as stack:
        options = [("grpc.use_local_subchannel_pool", 1)]  # else channels share a connection
        channels = [
            await stack.enter_async_context(aio.insecure_channel(f"unix:{socket}", options=options))
            for _ in range(CONNECTIONS)
        ]
        await asyncio.gather(*(first(watch(channel)) for channel in channels))
        before = megabytes(process)
        streams = [watch(channels[number % CONNECTIONS]) for number in range(IDLE)]
        await asyncio.gather(*(stream.read() for stream in streams))
        spent = processor_seconds(process)
        await asyncio.sleep(QUIET_SECONDS)
        busy = (processor_seconds(process) - spent) / QUIET_SECONDS
        grown = megabytes(process) - before
        for stream in streams:
            stream.cancel()
    return {"grown_mb": grown, "processor_share": busy}


async def first(stream: Any) -> None:
    """Wait for what a stream tells first, and cancel it."""
    await stream.read()
    stream.cancel()


async def cancelled(channel: aio.Channel, watch: Watch, count: int) -> None:
    """Open so many streams and cancel them, some at once."""

    async def one_after_another() -> None:
        for _ in range(count // AT_ONCE):
            await first(watch(channel))

    await asyncio.gather(*(one_after_another() for _ in range(AT_ONCE)))


async def measured(way: str, folder: Path, streams: int) -> dict[str, Any]:
    """Idle streams, then cancelled ones, of the mesh or of the bare server."""
    orders = next(path for path in write_retailer(folder / "shop") if path.name == "orders.csv")
    socket = folder / "mesh.sock"
    grown: list[float] = []
    async with served_part("watches", way, socket) as (channel, process):

        @asynccontextmanager
        async def watching() -> AsyncIterator[Watch]:
            if way == "mesh":
                async with held_job(channel, folder, orders) as watch:
                    yield watch
            else:
                request = pb.WatchJobRequest()
                yield lambda through: pb_grpc.JobServiceStub(through).WatchJob(request)

        async with watching() as watch:
            seen = await idle(socket, watch, process)
        began = time.perf_counter()
        for number in range(ROUNDS):
            async with watching() as watch:
                await cancelled(channel, watch, streams // ROUNDS)
            grown.append(megabytes(process))
            print(f"  {way}: {streams // ROUNDS * (number + 1):,}: {grown[-1]:.1f} MB", flush=True)
    seconds = time.perf_counter() - began
    return seen | {"resident_mb": grown, "streams": streams, "a_second": streams / seconds}


def main() -> None:
    """Print what was seen."""
    parser = arguments("watches", __doc__)
    parser.add_argument("--streams", type=int, default=STREAMS, help="how many are cancelled")
    options = parser.parse_args()
    if options.part == "mesh":
        asyncio.run(mesh_part(Path(options.rest[0])))
        return
    if options.part == "bare":
        asyncio.run(bare_part(options.rest[0]))
        return
    figures, rows = {}, []
    for way in ("bare", "mesh"):
        with tempfile.TemporaryDirectory(prefix="assay-") as folder:
            seen = asyncio.run(measured(way, Path(folder), options.streams))
        settled = seen["resident_mb"][ROUNDS // 3 :]
        seen["grown_later_mb"] = settled[-1] - settled[0]
        figures[way] = seen
        names = ("grown_mb", "processor_share", "grown_later_mb", "a_second")
        rows.append((way, *(float(seen[name]) for name in names)))
    head = ["server", f"{IDLE:,} idle, MB", "of a CPU", "later growth, MB", "cancelled a second"]
    print_table(f"watches, {options.streams:,} of them cancelled", head, rows)
    met = figures["mesh"]["grown_mb"] <= MOST_MEGABYTES
    print(f"  target: {MOST_MEGABYTES:g} MB for {IDLE:,} idle: {'met' if met else 'missed'}")
    keep(figures, options.json)


if __name__ == "__main__":
    main()
