"""An executor in a process that dies and is started again, beside a mesh that lives."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import grpc

from assay.common.v1 import job_pb2
from mesh.config import MeshSettings
from mesh.testing.mesh import running_mesh
from services.__main__ import factories
from tests.fault.executor_observed import AGAIN
from tests.fault.orphans import finding_orphans
from tests.fault.supervised import Supervised, supervised
from tests.fault.support import Ledger, Ward
from tests.mesh.support import Caller

_SWEPT_WITHIN = 10.0


class Runs(Ledger):
    """What a supervised executor set its tools to work on, over all its lives."""

    def __init__(self, home: Path) -> None:
        super().__init__()
        self.file = home / "runs.txt"
        self._calls = home / "executor" / "calls"

    def begin(self) -> None:
        """Forget earlier runs."""
        self.file.write_text("")

    def read(self) -> None:
        """Set `completed`: every call with a record once, and once more if it ran after that."""
        lines = [line.split() for line in self.file.read_text().splitlines()]
        recorded = {call for call, _ in lines if any(self._calls.rglob(f"{call}.binpb"))}
        self.completed = [*recorded, *(call for call, when in lines if when == AGAIN)]


class ExecutorWard(Ward):
    """Peers that live, an executor that dies, and what an undisturbed run leaves behind."""

    ledger: Runs

    @asynccontextmanager
    async def executor(
        self, failpoint: str = "", extra: Mapping[str, str] | None = None
    ) -> AsyncIterator[Supervised]:
        """An executor that remembers neither sources nor frames, started whenever it dies."""
        for kept in ("sources", "frames"):
            shutil.rmtree(self.settings.home / "executor" / kept, ignore_errors=True)
        self.ledger.begin()
        observed = {"ASSAY_TEST_RUNS": str(self.ledger.file), **(extra or {})}
        module = "tests.fault.executor_observed"
        with finding_orphans() as orphans:
            async with supervised(self.settings, "executor", failpoint, observed, module) as lives:
                yield lives
                await lives.serving()
                await orphans.gone(lives.present.process.pid)
                await self.swept()

    async def checked(self, job: job_pb2.Job) -> None:
        """Everything that must hold of a job whose executor was killed."""
        self.ledger.read()
        # Who verifies asks the executor for files; their channel to it may have to be made anew.
        await patient(lambda: self.check(job))
        self.fsck()

    def half_written(self) -> list[Path]:
        """What builders began and did not finish, or are at."""
        home = self.settings.home
        return [
            path
            for folder in (home / "executor", home / "artifacts")
            for path in folder.rglob(".*")
        ]

    async def swept(self) -> None:
        """Return once nothing half-written is left."""
        async with asyncio.timeout(_SWEPT_WITHIN):
            while self.half_written():
                await asyncio.sleep(0.02)


@asynccontextmanager
async def the_executor_ward(home: Path) -> AsyncIterator[ExecutorWard]:
    """Everything but the executor, which each test starts as it needs it."""
    async with AsyncExitStack() as stack:
        settings: MeshSettings = await stack.enter_async_context(
            running_mesh(home, factories, apart=True, without=["executor"])
        )
        caller = await stack.enter_async_context(Caller(settings))
        yield ExecutorWard(settings, caller, Runs(home))


async def patient(call: Callable[[], Any]) -> Any:
    """The answer of a client that asks again, unchanged, whenever nobody answered."""
    while True:
        try:
            return await call()
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.UNAVAILABLE:
                raise
