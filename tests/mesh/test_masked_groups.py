"""People whose names policy blocks stay different people, in every step and to the last word."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from assay.common.v1 import job_pb2
from assay.gateway.v1 import audit_service_pb2 as records_pb
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from clients.python.cli.verifying import verified
from clients.python.client import AssayClient
from clients.python.verification.reading import Trust
from mesh.errors import QUESTION_BLOCKED
from mesh.testing.mesh import running_mesh
from services.__main__ import factories
from tests.mesh.support import Caller, question, refusal

DEALS = {"ada@example.org": 41, "bob@example.org": 30, "cyd@example.org": 17}
REFUSED = "grace@navy.example.mil"


@pytest.fixture
def deals(tmp_path: Path) -> Path:
    """Deals of three owners; each deal counts one."""
    owners = [owner for owner, count in DEALS.items() for _ in range(count)]
    lines = [
        f"{n},{owner},{('N', 'S')[n % 2]},2024-{n % 12 + 1:02d}-05,1"
        for n, owner in enumerate(owners)
    ]
    path = tmp_path / "deals.csv"
    path.write_text("\n".join(["deal_id,owner,region,closed_on,amount", *lines]) + "\n")
    return path


@asynccontextmanager
async def started(home: Path) -> AsyncIterator[Caller]:
    async with running_mesh(home, factories) as settings, Caller(settings) as caller:
        yield caller


def stored(home: Path, text: str, *, but: str = "") -> list[str]:
    """Files under a home that hold the text, but those of a folder."""
    return [
        str(path.relative_to(home))
        for path in sorted(home.rglob("*"))
        if path.is_file()
        and text.encode() in path.read_bytes()
        and not (but and but in str(path.relative_to(home)))
    ]


@pytest.mark.parametrize(
    "text",
    [
        "total amount by owner",
        "total amount by owner and region",
        "share of amount by owner",
        "monthly amount by owner",
    ],
)
async def test_masked_people_are_told_apart_and_the_true_leader_is_named(
    text: str, home: Path, deals: Path
) -> None:
    async with running_mesh(home, factories) as mesh, Caller(mesh) as caller:
        job = await caller.asked(question(text, deals, blocked=["email"]))
        first = await caller.asked(question("top owner by amount", deals, blocked=["email"]))
        again = records_pb.RecomputeJobRequest(job_id=job.job_id)
        recomputed = [told async for told in caller.records.RecomputeJob(again)]
        async with AssayClient(mesh.address("gateway"), "ann") as client:
            found, _ = await verified(client, job, Trust())

    assert job.state == first.state == job_pb2.JOB_STATE_COMPLETED
    (leader,) = set(re.findall(r"\[email [a-z]{13}\]", first.answer.text))
    assert f"{leader} has the highest total amount (41)" in first.answer.text
    led = rf"{re.escape(leader)}(?: led)?(?: with)?(?: / N)? \(?(?:41|47 %|21)[ ,)]"
    assert re.search(led, job.answer.text), job.answer.text
    assert [finding for finding in found if not finding.ok] == []
    assert all(told.same for told in recomputed)
    assert len(recomputed) > 2
    for person in DEALS:  # its own copy of the file is all that holds them
        assert stored(home, person, but="executor/sources") == []


async def test_a_refused_question_is_kept_nowhere(home: Path, deals: Path) -> None:
    """Not in a table, an event, the log, a trace, nor in what is said of it."""
    asked = question(f"total amount of {REFUSED}", deals, blocked=["email"])
    async with started(home) as caller:
        job = await caller.asked(asked)
        repeated = await caller.create(asked)
    assert job.failure.reason == "QUESTION_BLOCKED"
    assert repeated.job_id == job.job_id
    assert job.analysis.intent == "total amount of [blocked]"
    assert REFUSED not in str(job)
    assert stored(home, REFUSED) == stored(home, "navy.example") == []
    assert stored(home, "total amount of [blocked]") != []


async def test_what_a_refused_question_says_otherwise_is_kept_nowhere_either(
    home: Path, deals: Path
) -> None:
    encoded = "grace%40navy.example.mil"
    async with started(home) as caller:
        job = await caller.asked(question(f"amount of {encoded}", deals, blocked=["email"]))
    assert job.failure.reason == "QUESTION_BLOCKED"
    assert stored(home, "navy.example") == []


async def test_planning_alone_keeps_no_refused_question(home: Path, deals: Path) -> None:
    asked = question(f"total amount of {REFUSED}", deals, blocked=["email"])
    async with started(home) as caller:
        plan = caller.jobs.PlanJob(jobs_pb.PlanJobRequest(analysis=asked.analysis))
        assert (await refusal(plan)).reason is QUESTION_BLOCKED
    assert stored(home, "navy.example") == []


async def test_an_answer_with_personal_data_is_refused_and_kept_nowhere(
    home: Path, tmp_path: Path
) -> None:
    orders = tmp_path / "orders.csv"
    orders.write_text("region,net_amount,gross_amount\nNorth,10.5,12.6\nSouth,20,24\nNorth,7,9\n")
    asked = question("total amount by region", orders, assume=False, blocked=["email"])
    async with started(home) as caller:
        job = await caller.asked(asked)
        assert job.state == job_pb2.JOB_STATE_WAITING
        reply = jobs_pb.AnswerJobRequest(job_id=job.job_id, text=f"as {REFUSED} said")
        assert (await refusal(caller.jobs.AnswerJob(reply))).reason is QUESTION_BLOCKED
        assert (await caller.job(job.job_id)).state == job_pb2.JOB_STATE_WAITING
        await caller.jobs.AnswerJob(jobs_pb.AnswerJobRequest(job_id=job.job_id, option_id="1"))
        await caller.watched(job.job_id)
        assert (await caller.job(job.job_id)).state == job_pb2.JOB_STATE_COMPLETED
    assert stored(home, "navy.example") == []
