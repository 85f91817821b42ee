"""A memory service in a process that dies, freezes or never was, beside a mesh that lives."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest

from assay.common.v1 import catalogue_pb2, job_pb2
from assay.gateway.v1 import catalogue_service_pb2 as catalogue_pb
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from assay.memory.v1 import memory_service_pb2 as pb
from assay.memory.v1 import memory_service_pb2_grpc as pb_grpc
from mesh.ids import new_id
from mesh.testing.mesh import running_mesh
from services.__main__ import factories
from tests.busy import allowing
from tests.fault.files import AWAY
from tests.fault.supervised import Supervised, supervised
from tests.fault.support import Ledger, Ward
from tests.mesh.support import Caller

REST = "ASSAY_PLANNER_RECALL_REST_SECONDS"
KEPT = "memory away, recipe kept for later"
SAVED = "recipe saved"
USED = "recipe used"


@dataclass
class Timed:
    """A job that ended, and how many seconds whoever asked waited for it."""

    job: job_pb2.Job
    seconds: float

    @property
    def flagged(self) -> bool:
        """Whether the answer says that it was planned without memory."""
        return AWAY in self.job.answer.caveats


@dataclass
class Forgetful(Ward):
    """One tenant of a mesh whose memory comes and goes."""

    async def asked(self, request: jobs_pb.CreateJobRequest) -> Timed:
        """Ask, wait for the end, and check everything that must hold of the job."""
        self.ledger.completed.clear()
        began = time.monotonic()
        job = await self.caller.asked(request)
        timed = Timed(job, time.monotonic() - began)
        if not self.undisturbed:
            self.undisturbed, self.steps = self.artifacts(job.job_id), len(job.steps)
        await self.check(job)
        self.fsck()
        return timed

    def artifacts(self, job_id: str) -> dict[str, bytes]:
        """The files of a job, but for what summary and report say of memory."""
        found = super().artifacts(job_id)
        for name in [name for name in found if name.endswith((".md", ".html"))]:
            lines = found[name].decode().splitlines()
            kept = [line for line in lines if AWAY.rstrip(".") not in line]
            found[name] = "\n".join(kept).strip().encode()
        return found

    async def told(self, seconds: float = 30.0) -> float:
        """How many seconds it took until memory was told all that was kept for it."""
        began = time.monotonic()
        while self.kept():
            assert time.monotonic() - began < allowing(seconds), "memory was never told"
            await asyncio.sleep(0.05)
        return time.monotonic() - began

    def kept(self) -> int:
        """Lessons in the planner's tables."""
        path = self.settings.home / "planner" / "planner.sqlite"
        with closing(sqlite3.connect(path)) as database:
            return int(database.execute("SELECT count(*) FROM lessons").fetchone()[0])

    async def recipes(self) -> list[catalogue_pb2.Recipe]:
        request = catalogue_pb.ListRecipesRequest()
        answer = await patient(self.caller.catalogue.ListRecipes, request)
        return list(answer.recipes)

    async def consistent(self, request: jobs_pb.CreateJobRequest, jobs: int) -> None:
        """One recipe that counts every job once, recalled by its question; documents once."""
        (recipe,) = await self.recipes()
        assert recipe.success_count == jobs
        assert (recipe.failure_count, recipe.quarantined) == (0, False)
        memory: Any = pb_grpc.MemoryServiceStub(self.caller.channel("memory"))
        wanted = pb.RecallRecipesRequest(
            schema_fingerprint=recipe.schema_fingerprint, intent=request.analysis.intent
        )
        (recalled,) = (await patient(memory.RecallRecipes, wanted)).recipes
        assert recalled.exact_fingerprint
        assert recalled.recipe == recipe
        query = pb.SearchDocumentsRequest(query=request.analysis.intent, limit=50)
        documents = (await patient(memory.SearchDocuments, query)).documents
        ids = [found.document.document_id for found in documents]
        assert 1 <= len(ids) == len(set(ids)) <= jobs


async def patient(call: Any, request: Any) -> Any:
    """The answer once there is one."""
    while True:
        try:
            return await call(request, wait_for_ready=True, timeout=30)
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.UNAVAILABLE:
                raise


@asynccontextmanager
async def forgetful_mesh(home: Path, ledger: Ledger, rest_seconds: float) -> AsyncIterator[Ward]:
    """Everything but memory; jobs try a memory that failed again after `rest_seconds`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(REST, str(rest_seconds))
        patch.setenv("ASSAY_PLANNER_RECALL_SECONDS", "1")
        async with (
            running_mesh(home, factories, apart=True, without=["memory"]) as settings,
            Caller(settings) as caller,
        ):
            yield Ward(settings, caller, ledger)


@asynccontextmanager
async def tenant(mesh: Ward, undisturbed: Ward | None = None) -> AsyncIterator[Forgetful]:
    """Somebody of whom memory knows nothing yet."""
    async with Caller(mesh.settings, f"tenant-{new_id()}") as caller:
        known = undisturbed or mesh
        yield Forgetful(mesh.settings, caller, mesh.ledger, known.undisturbed, known.steps)


@asynccontextmanager
async def memory_service(
    mesh: Ward, failpoint: str = "", extra: Mapping[str, str] | None = None
) -> AsyncIterator[Supervised]:
    """The memory service, started again whenever it dies."""
    async with supervised(mesh.settings, "memory", failpoint, extra) as service:
        yield service


@contextmanager
def frozen(service: Supervised) -> Iterator[None]:
    """Connections stay open inside the block, and nothing is answered."""
    process = service.present.process
    process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        process.send_signal(signal.SIGCONT)
