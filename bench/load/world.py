"""A mesh of five processes and the mix of small questions that it is asked."""

from __future__ import annotations

import asyncio
import socket
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.common.v1 import job_pb2
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from examples.retailer import write_retailer
from mesh.config import SERVICES, MeshSettings, load
from tests.mesh.support import FINAL, Caller, ServiceProcess, processes, question

USERS = tuple(f"user{number}" for number in range(4))
MIX = (
    "total net_amount by region",
    "number of orders by month",
    "average net_amount by channel",
    "top 3 regions by net_amount",
    "total quantity by region in 2025",
)
ENVIRONMENT = {"ASSAY_EMBEDDER": "hashed"}


@dataclass
class World:
    """A mesh that runs, and who asks it."""

    settings: MeshSettings
    started: dict[str, ServiceProcess]
    callers: list[Caller]
    orders: Path

    def bodies(self) -> list[dict[str, Any]]:
        """The mix, as JSON of CreateJob without an id."""
        sources = [{"file_path": str(self.orders)}]
        return [
            {"analysis": {"intent": each, "data_sources": sources, "assume": True}} for each in MIX
        ]

    async def answered(self, number: int) -> job_pb2.Job:
        """Ask one question of the mix, and watch it to its end."""
        caller = self.callers[number % len(self.callers)]
        return await caller.asked(question(MIX[number % len(MIX)], self.orders))

    async def capacity(self, seconds: float) -> float:
        """Answers a second when as many ask, one question after another, as are worked on."""
        until, ended = time.monotonic() + seconds, 0

        async def one_after_another(first: int) -> None:
            nonlocal ended
            number = first
            while time.monotonic() < until:
                job = await self.answered(number)
                ended += job.state == job_pb2.JOB_STATE_COMPLETED and time.monotonic() < until
                number += 1

        await asyncio.gather(*(one_after_another(number) for number in range(len(MIX))))
        return ended / seconds

    async def accepted_alone(self, number: int) -> list[float]:
        """Milliseconds that it takes to accept a job, each once all before have ended."""
        taken: list[float] = []
        for at in range(number):
            began = time.perf_counter()
            await self.callers[at % len(self.callers)].create(
                question(MIX[at % len(MIX)], self.orders)
            )
            taken.append((time.perf_counter() - began) * 1e3)
            await self.settled()
        return taken

    async def ends(self, since: float, until: float) -> Counter[str]:
        """How many jobs of all users ended between two times (of `time.time`), by state."""
        found: Counter[str] = Counter()
        for caller in self.callers:
            token = ""
            while True:
                wanted = jobs_pb.ListJobsRequest(page_size=100, page_token=token)
                page = await caller.jobs.ListJobs(wanted)
                for job in page.jobs:
                    ended = job.updated_at.ToNanoseconds() / 1e9
                    if since <= ended <= until:
                        found[job_pb2.JobState.Name(job.state)] += 1
                token = page.next_page_token
                if not token:
                    break
        return found

    async def settled(self) -> None:
        """Return once no job is unfinished."""
        for caller in self.callers:
            while True:
                page = await caller.jobs.ListJobs(jobs_pb.ListJobsRequest(page_size=100))
                if all(job.state in FINAL for job in page.jobs):
                    break
                await asyncio.sleep(0.5)


@asynccontextmanager
async def world(module: str = "services") -> AsyncIterator[World]:
    """Each service a process with an address of its own, on the loopback address; `module` is what
    runs them: `services`, or what observes it."""
    with tempfile.TemporaryDirectory(prefix="assay-load-") as folder:
        home = Path(folder) / "home"
        home.mkdir()
        addresses: dict[str, Any] = {
            f"{name}_address": f"127.0.0.1:{port}"
            for name, port in zip(SERVICES, _free_ports(len(SERVICES)), strict=True)
        }
        settings = load(MeshSettings, home=home, local_paths=True, **addresses)
        orders = next(p for p in write_retailer(Path(folder) / "shop") if p.name == "orders.csv")
        each = [[name] for name in SERVICES]
        async with processes(settings, each, ENVIRONMENT, module) as started:
            callers = [Caller(settings, user) for user in USERS]
            try:
                found = World(settings, started, callers, orders)
                for number in range(len(MIX)):  # what is read once is read, what is learnt learnt
                    await found.answered(number)
                yield found
            finally:
                for caller in callers:
                    await caller.__aexit__()


def _free_ports(number: int) -> list[int]:
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    found = [int(each.getsockname()[1]) for each in held]
    for each in held:
        each.close()
    return found
