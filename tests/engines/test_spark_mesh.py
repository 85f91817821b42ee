"""Questions from end to end with every query sent to Spark: the same plans and the same answers as
of the embedded engine."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from assay.common.v1 import job_pb2
from assay.gateway.v1 import audit_service_pb2 as records_pb
from mesh.testing.mesh import running_mesh
from mesh.testing.spark import SparkServer
from services.__main__ import factories
from tests.mesh.support import Caller, question

QUESTIONS = (
    "total quantity by region",
    "average price by product",
    "number of sales by month",
    "top 3 products by quantity",
    "total quantity in North by month",
    "highest price by region",
)
TRIES = 4
REGIONS, PRODUCTS = ("North", "South", "West"), ("chair", "desk", "lamp", "shelf")


def sales(folder: Path) -> Path:
    path = folder / "sales.csv"
    lines = [
        f"{REGIONS[n % 3]},{PRODUCTS[n % 4]},2024-{n % 12 + 1:02d}-{n % 28 + 1:02d},{n % 7 + 1},"
        f"{10 + n % 5}.25"
        for n in range(60)
    ]
    path.write_text("\n".join(["region,product,sold_on,quantity,price", *lines]) + "\n")
    return path


class Answer(NamedTuple):
    """What must not depend on the engine."""

    plan: list[tuple[str, str, str]]
    text: str
    table: str
    claims: list[tuple[str, str]]


async def answers(data: Path, questions: Sequence[str]) -> dict[str, Answer]:
    """Each question asked of a mesh of its own, whose queries the environment's engine runs."""
    found = {}
    with tempfile.TemporaryDirectory(prefix="assay-") as home:
        async with running_mesh(Path(home), factories) as mesh, Caller(mesh, "ann") as caller:
            await warmed_up(caller, data)
            for each in questions:
                job = await caller.asked(question(each, data, timeout=180))
                assert job.state == job_pb2.JOB_STATE_COMPLETED, str(job)[:2000]
                verify = records_pb.VerifyJobRequest(job_id=job.job_id)
                assert (await caller.records.VerifyJob(verify)).ok
                found[each] = answer_of(job)
    return found


async def warmed_up(caller: Caller, data: Path) -> None:
    """Return once a question was answered: a server of Spark compiles itself on its first
    statements, which on a busy machine takes longer than a question may."""
    for _ in range(TRIES):
        job = await caller.asked(question("number of sales", data, timeout=180))
        if job.state == job_pb2.JOB_STATE_COMPLETED:
            return
        assert job.failure.reason == "TIMEOUT", str(job)[:2000]


def answer_of(job: job_pb2.Job) -> Answer:
    steps: list[Any] = list(job.plan.subtasks)
    return Answer(
        [(step.task_id, step.tool_name, step.arguments_json) for step in steps],
        job.answer.text,
        job.answer.table.digest,
        [(claim.value, claim.frame_digest) for claim in job.answer.claims],
    )


@pytest.mark.timeout(1_800)
async def test_questions_are_planned_and_answered_by_spark_as_by_the_embedded_engine(
    spark: SparkServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = sales(tmp_path)
    monkeypatch.setenv("ASSAY_EXECUTOR_ENGINE", "duckdb")
    embedded = await answers(data, QUESTIONS)
    monkeypatch.setenv("ASSAY_EXECUTOR_ENGINE", "spark")
    monkeypatch.setenv("ASSAY_EXECUTOR_SPARK", spark.address)
    distributed = await answers(data, QUESTIONS)
    assert list(distributed) == list(QUESTIONS)
    for each in QUESTIONS:
        assert distributed[each] == embedded[each], each
    totals = {
        region: sum(n % 7 + 1 for n in range(60) if n % 3 == number)
        for number, region in enumerate(REGIONS)
    }
    told = distributed[QUESTIONS[0]].text
    assert f"Total quantity is {sum(totals.values())}" in told
    for region in (max(totals, key=totals.__getitem__), min(totals, key=totals.__getitem__)):
        assert f"{region} ({totals[region]}" in told
