"""Memory is killed, frozen, never started, or has no Qdrant: jobs finish without recall."""

from __future__ import annotations

import asyncio
import os
import random
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.busy import allowing
from tests.fault.memory_support import (
    KEPT,
    SAVED,
    USED,
    Timed,
    forgetful_mesh,
    frozen,
    memory_service,
    tenant,
)
from tests.fault.support import Ledger, Ward, asked

pytestmark = pytest.mark.asyncio(loop_scope="module")

EVERYWHERE = [
    "memory: recall, unanswered",
    "memory: recall, unanswered#2",
    *(f"memory: recipe, {when}" for when in ("unwritten", "written")),
    *(f"memory: recipe, {when}#2" for when in ("unwritten", "written")),
    *(f"memory: document, {when}" for when in ("unwritten", "written")),
]
# Of every kind one: while recalling, around a recipe's write, a document's, an outcome's.
SOME = [EVERYWHERE[i] for i in (0, 3, 5, 6)]
OPENING = [f"memory: collection, {when}" for when in ("aside", "moved")]
# `make fault` asks for many.
KILLS = int(os.environ.get("ASSAY_FAULT_KILLS", "4"))
MANY = KILLS > 4
RECALL_SECONDS, MOST_FAILURES = 1.0, 3
SLACK = 2.0


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def mesh(ledger: Ledger) -> AsyncIterator[Ward]:
    """The mesh without memory, which jobs try again soon; short, because a socket's path is."""
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        async with forgetful_mesh(Path(folder), ledger, rest_seconds=0.2) as mesh:
            yield mesh


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def undisturbed(mesh: Ward, sales: Path) -> tuple[Ward, Timed]:
    """A run in which nothing happens to memory: what every other must come to, and a reuse."""
    async with memory_service(mesh), tenant(mesh) as ann:
        first = await ann.asked(asked(sales))
        assert (first.flagged, first.job.answer.recipe) == (False, SAVED)
        mesh.undisturbed, mesh.steps = ann.undisturbed, ann.steps
        reuse = await ann.asked(asked(sales))
        assert (reuse.flagged, reuse.job.answer.recipe) == (False, USED)
    return mesh, reuse


@pytest_asyncio.fixture(loop_scope="module")
async def patient_mesh(ledger: Ledger) -> AsyncIterator[Ward]:
    """A mesh of its own without memory, with the usual rest of ten seconds."""
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        async with forgetful_mesh(Path(folder), ledger, rest_seconds=10.0) as mesh:
            yield mesh


def assert_bounded(jobs: list[Timed], usual: Timed, record: object) -> None:
    """Together the jobs of an outage lost no more than its first failures, and one probe."""
    lost = [job.seconds - usual.seconds for job in jobs]
    print("seconds lost by each job:", [round(seconds, 2) for seconds in lost], record)
    assert sum(lost) < allowing((MOST_FAILURES + 1) * RECALL_SECONDS + SLACK)
    # The least of the later ones: one of them may be the probe, or the machine may be busy.
    later = lost[len(lost) // 2 :]
    assert min(later) < allowing(RECALL_SECONDS), "the breaker is open, and nothing is waited for"


@pytest.mark.parametrize("place", EVERYWHERE if MANY else SOME)
async def test_jobs_go_on_when_memory_dies_around_a_write(
    undisturbed: tuple[Ward, Timed], sales: Path, place: str
) -> None:
    mesh, _ = undisturbed
    async with memory_service(mesh, place) as memory, tenant(mesh) as ann:
        for _ in range(2):
            await ann.asked(asked(sales))
        await memory.died()
        await memory.serving()
        await ann.told()
        await ann.consistent(asked(sales), jobs=2)


@pytest.mark.parametrize("seed", range(KILLS))
async def test_jobs_go_on_when_memory_dies_at_any_moment(
    undisturbed: tuple[Ward, Timed], sales: Path, seed: int
) -> None:
    mesh, _ = undisturbed
    async with memory_service(mesh) as memory, tenant(mesh) as ann:
        moment = random.Random(seed).uniform(0.0, 0.4)
        asyncio.get_running_loop().call_later(moment, memory.kill)
        for _ in range(2):
            await ann.asked(asked(sales))
        await memory.died()
        await memory.serving()
        await ann.told()
        await ann.consistent(asked(sales), jobs=2)


async def test_jobs_go_on_without_a_memory_and_teach_it_when_it_comes(
    undisturbed: tuple[Ward, Timed], patient_mesh: Ward, sales: Path
) -> None:
    known, usual = undisturbed
    async with tenant(patient_mesh, known) as ann:
        jobs = [await ann.asked(asked(sales)) for _ in range(6)]
        assert all(job.flagged and job.job.answer.recipe == KEPT for job in jobs)
        assert ann.kept() == len(jobs)
        async with memory_service(patient_mesh):
            seconds = await ann.told()
            assert_bounded(jobs, usual, f"told {seconds:.1f} s after it came")
            await ann.consistent(asked(sales), jobs=len(jobs))
            last = await ann.asked(asked(sales))
            assert (last.flagged, last.job.answer.recipe) == (False, USED)


async def test_jobs_wait_shortly_for_a_frozen_memory_and_then_not_at_all(
    undisturbed: tuple[Ward, Timed], patient_mesh: Ward, sales: Path
) -> None:
    known, usual = undisturbed
    async with memory_service(patient_mesh) as memory, tenant(patient_mesh, known) as ann:
        with frozen(memory):
            jobs = [await ann.asked(asked(sales)) for _ in range(6)]
        assert all(job.flagged and job.job.answer.recipe == KEPT for job in jobs)
        seconds = await ann.told()
        assert_bounded(jobs, usual, f"told {seconds:.1f} s after it went on")
        await ann.consistent(asked(sales), jobs=len(jobs))
        last = await ann.asked(asked(sales))
        assert (last.flagged, last.job.answer.recipe) == (False, USED)


@pytest.mark.parametrize("qdrant", ["closed", "silent"])
async def test_jobs_go_on_when_memory_has_no_qdrant(
    undisturbed: tuple[Ward, Timed], patient_mesh: Ward, sales: Path, qdrant: str
) -> None:
    known, usual = undisturbed

    async def say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    server = await asyncio.start_server(say_nothing, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    if qdrant == "closed":
        server.close()
        await server.wait_closed()
    settings = {"ASSAY_MEMORY_QDRANT_URL": url}
    async with (
        server,
        memory_service(patient_mesh, "", settings),
        tenant(patient_mesh, known) as ann,
    ):
        jobs = [await ann.asked(asked(sales)) for _ in range(4)]
        assert all(job.flagged and job.job.answer.recipe == KEPT for job in jobs)
        assert_bounded(jobs, usual, qdrant)
    # The same memory with a Qdrant that answers is told what was kept.
    async with memory_service(patient_mesh), tenant(patient_mesh, known) as bob:
        await bob.told()


@pytest.mark.parametrize("place", OPENING)
async def test_a_collection_whose_process_dies_while_it_makes_it_is_made_again(
    patient_mesh: Ward, sales: Path, place: str
) -> None:
    async with memory_service(patient_mesh, place) as memory, tenant(patient_mesh) as ann:
        first = await ann.asked(asked(sales))
        assert not first.flagged
        await ann.told()
        await ann.consistent(asked(sales), jobs=1)
        assert memory.present.process.poll() is None, "the service itself lives"
        log = (patient_mesh.settings.home / "memory.log").read_text()
        assert "the process that holds memory" in log, "the one beside it died there"
