"""The language model hangs, fails or talks nonsense, and planners die while they wait for it."""

from __future__ import annotations

import asyncio
import itertools
import sqlite3
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from assay.common.v1 import job_pb2
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from mesh.testing.model_server import (
    Answered,
    Hangs,
    ModelServer,
    Raw,
    Refused,
    Resets,
    TextReply,
    Turn,
    model_server,
)
from tests.busy import allowing
from tests.fault.support import Ledger, Ward, died, the_ward
from tests.mesh.support import question

pytest.importorskip("pydantic_ai", reason="the extra `llm` is not installed")
pytestmark = pytest.mark.asyncio(loop_scope="module")

MODEL = "openai:scripted"
NONSENSE = itertools.combinations_with_replacement("bdgklmnprstvz", 3)
PARTLY = "total quantity by region flimflam"
WAIT_SECONDS, SLACK = 6.0, 3.0
BY_REGION = 'SELECT "region", sum("quantity") AS "pieces" FROM "sales" GROUP BY 1'


def plan_of(request: jobs_pb.CreateJobRequest) -> Answered:
    """A statement to which all words of a question are bound."""
    words = request.analysis.intent
    return Answered(
        {
            "kind": "answer",
            "interpretation": "pieces = sum of quantity by region",
            "statement": BY_REGION,
            "bindings": [{"words": words, "fragment": BY_REGION, "kind": "metric"}],
        }
    )


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def model() -> AsyncIterator[ModelServer]:
    async with model_server() as server:
        yield server


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def mesh(ledger: Ledger, model: ModelServer) -> AsyncIterator[Ward]:
    """The mesh, a planner in it, and victims beside, which all ask that model."""
    settings = {
        "ASSAY_LLM": MODEL,
        "ASSAY_LLM_BASE_URL": model.base_url,
        "ASSAY_LLM_KEY": "sk-of-the-tests",
        "ASSAY_LLM_SAMPLES": "1",
        "ASSAY_LLM_SECONDS": str(WAIT_SECONDS),
        "ASSAY_LLM_REQUEST_SECONDS": "5",
        "ASSAY_LLM_REST_SECONDS": "0.1",
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in settings.items():
            patch.setenv(name, value)
        with tempfile.TemporaryDirectory(prefix="assay-") as folder:
            async with the_ward(Path(folder), ledger) as ward:
                yield ward


def unheard_of() -> str:
    """A question that no rules understand and no plan is remembered for."""
    return f"zorkify the {''.join(f'{letter}o' for letter in next(NONSENSE))}"


def plans(ward: Ward, job_id: str) -> int:
    """Planning decisions of a job that are stored."""
    path = ward.settings.home / "planner" / "planner.sqlite"
    query = "SELECT count(*) FROM decisions WHERE planner_id = ? AND decision LIKE '%\"plan\"%'"
    with closing(sqlite3.connect(path)) as database:
        return int(database.execute(query, (job_id,)).fetchone()[0])


BROKEN: dict[str, Turn] = {
    "hangs": Hangs(),
    "refuses": Refused(429, {"retry-after": "1"}),
    "fails": Refused(500),
    "is reset": Resets(),
    "is cut off": Raw(b'{"id": "x", "choices": ['),
    "talks": TextReply("I would rather not."),
    "talks nonsense": Answered('{"kind": 4711'),
}


@pytest.mark.parametrize("turn", BROKEN.values(), ids=BROKEN.keys())
async def test_the_rules_decide_in_time_and_it_is_told(
    mesh: Ward, model: ModelServer, sales: Path, turn: Turn
) -> None:
    model.will(turn)
    began = time.monotonic()

    job = await mesh.caller.asked(question(PARTLY, sales))

    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    assert job.answer.reasoner == "rules"
    assert any(c.startswith("The language model gave no plan") for c in job.answer.caveats)
    assert time.monotonic() - began < allowing(WAIT_SECONDS + SLACK)
    mesh.fsck()


async def kill_while_asked(
    mesh: Ward, model: ModelServer, request: jobs_pb.CreateJobRequest, *turns: Turn
) -> job_pb2.Job:
    """Kill a planner once the model has its request; another planner goes on."""
    model.will(*turns)
    async with mesh.victim() as (process, stub):
        await mesh.create(stub, request)
        while not model.asked:
            await asyncio.sleep(0.01)
        process.kill()
        death = time.monotonic()
        return await mesh.ended(request.request_id, death)


async def test_a_planner_killed_while_it_waits_makes_another_ask_once_more(
    mesh: Ward, model: ModelServer, sales: Path
) -> None:
    request = question(unheard_of(), sales, timeout=60)

    job = await kill_while_asked(mesh, model, request, Hangs(), plan_of(request))

    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    assert job.answer.reasoner == MODEL
    assert len(model.asked) == 2
    assert plans(mesh, job.job_id) == 1
    mesh.fsck()


@pytest.mark.parametrize(
    ("place", "most"),
    [
        ("planner: model asked", 1),
        ("planner: plan-decided, uncommitted", 2),
        ("planner: plan-decided, committed", 1),
        ("planner: plan_created, appended", 1),
        ("planner: step-running, committed", 1),
        ("planner: narrate-decided, uncommitted", 1),
    ],
)
async def test_a_recorded_decision_is_never_asked_again(
    mesh: Ward, model: ModelServer, sales: Path, place: str, most: int
) -> None:
    request = question(unheard_of(), sales, timeout=60)
    model.will(plan_of(request))

    async with mesh.victim(place) as (process, stub):
        await mesh.create(stub, request)
        death = await died(process)
        job = await mesh.ended(request.request_id, death)

    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    assert job.answer.reasoner == MODEL
    assert len(model.asked) == most
    assert plans(mesh, job.job_id) == 1
    mesh.fsck()


async def test_what_a_killed_planner_had_reserved_stays_counted(
    mesh: Ward, model: ModelServer, sales: Path
) -> None:
    request = question(unheard_of(), sales, timeout=60)
    await kill_while_asked(mesh, model, request, Hangs(), plan_of(request))
    path = mesh.settings.home / "planner" / "planner.sqlite"
    query = (
        "SELECT outcome, output_tokens FROM model_requests WHERE planner_id = ? ORDER BY asked_at"
    )
    with closing(sqlite3.connect(path)) as database:
        rows: list[Any] = database.execute(query, (request.request_id,)).fetchall()

    assert rows == [("asked", 16_000), ("answered", 100)]
