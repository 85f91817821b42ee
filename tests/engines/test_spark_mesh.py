"""A question from end to end, with every query sent to Spark."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from assay.common.v1 import job_pb2
from mesh.testing.mesh import running_mesh
from mesh.testing.spark import SparkServer
from services.__main__ import factories
from tests.mesh.support import Caller, question


def sales(folder: Path) -> Path:
    path = folder / "sales.csv"
    lines = [f"{('North', 'South', 'West')[n % 3]},{n % 7 + 1}" for n in range(60)]
    path.write_text("\n".join(["region,quantity", *lines]) + "\n")
    return path


async def test_a_question_is_answered_by_spark(
    spark: SparkServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_EXECUTOR_ENGINE", "spark")
    monkeypatch.setenv("ASSAY_EXECUTOR_SPARK", spark.address)
    with tempfile.TemporaryDirectory(prefix="assay-") as home:
        async with (
            running_mesh(Path(home), factories) as mesh,
            Caller(mesh, "ann") as caller,
        ):
            job = await caller.asked(question("total quantity by region", sales(tmp_path)))
    assert job.state == job_pb2.JOB_STATE_COMPLETED, str(job)[:2000]
    totals = {
        region: sum(n % 7 + 1 for n in range(60) if n % 3 == number)
        for number, region in enumerate(("North", "South", "West"))
    }
    assert f"Total quantity is {sum(totals.values())}" in job.answer.text
    for region in (max(totals, key=totals.__getitem__), min(totals, key=totals.__getitem__)):
        assert f"{region} ({totals[region]}" in job.answer.text
