"""Servers in processes of their own, for benchmarks that call them: a whole mesh, or a bare one."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psutil
from grpc import aio

from bench.measure import REPOSITORY
from mesh.config import SERVICES, MeshSettings, load
from tests.mesh.support import processes

START_SECONDS = 60.0


@asynccontextmanager
async def served_mesh(
    home: Path, extra: Mapping[str, str] | None = None
) -> AsyncIterator[tuple[MeshSettings, psutil.Process]]:
    """All services in one process, as `assay up` runs them; how to reach it, and the process."""
    home.mkdir(parents=True, exist_ok=True)
    addresses = {f"{name}_address": f"unix:{home}/mesh.sock" for name in SERVICES}
    settings = load(MeshSettings, home=home, local_paths=True, **addresses)
    environment = {"ASSAY_EMBEDDER": "hashed", **(extra or {})}
    async with processes(settings, [SERVICES], environment) as started:
        yield settings, psutil.Process(started["gateway"].process.pid)


@asynccontextmanager
async def served_part(
    module: str, name: str, socket: Path
) -> AsyncIterator[tuple[aio.Channel, psutil.Process]]:
    """A part of a benchmark that serves at a socket until it is ended; a bare channel to it."""
    command = [sys.executable, "-m", f"bench.{module}", "--part", name, str(socket)]
    process = await asyncio.to_thread(subprocess.Popen, command, cwd=REPOSITORY)
    try:
        async with aio.insecure_channel(f"unix:{socket}") as channel:
            await asyncio.wait_for(channel.channel_ready(), START_SECONDS)
            yield channel, psutil.Process(process.pid)
    finally:
        process.terminate()
        await asyncio.to_thread(process.wait)


async def serve(socket: str, add: Callable[[aio.Server], Any]) -> None:
    """Be such a part: serve what `add` adds, bare, until the process is ended."""
    server = aio.server()
    add(server)
    server.add_insecure_port(f"unix:{socket}")
    await server.start()
    await server.wait_for_termination()


def processor_seconds(process: psutil.Process) -> float:
    """Processor time that a process has taken so far."""
    times = process.cpu_times()
    return float(times.user + times.system)


async def at_once(callers: int, calls: int, call: Callable[[], Awaitable[Any]]) -> list[float]:
    """Seconds of each of `calls` calls that `callers` make one after another."""
    loop = asyncio.get_running_loop()

    async def one_after_another() -> list[float]:
        taken = []
        for _ in range(calls // callers):
            began = loop.time()
            await call()
            taken.append(loop.time() - began)
        return taken

    each = await asyncio.gather(*(one_after_another() for _ in range(callers)))
    return [one for taken in each for one in taken]
