"""Each source's schema has a fingerprint: filled in, shown, and held against the source."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.common.v1 import job_pb2
from assay.executor.v1 import executor_service_pb2 as pb
from assay.gateway.v1 import audit_service_pb2 as records_pb
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from mesh.errors import INVALID_ARGUMENT, SCHEMA_CHANGED
from tests.mesh import shared
from tests.mesh.support import Caller, question, refusal

pytestmark = shared.ON_ONE_LOOP
ann = shared.ann

QUESTION = "total quantity by region"


@pytest.fixture
def shops(tmp_path: Path) -> Path:
    path = tmp_path / "shops.csv"
    path.write_text("shop,region\nOne,North\nTwo,South\n")
    return path


def fingerprints(job: job_pb2.Job) -> list[str]:
    return [source.schema_fingerprint for source in job.analysis.data_sources]


async def kinds(ann: Caller, job_id: str) -> list[str]:
    listing = records_pb.ListEntriesRequest(job_id=job_id)
    return [e.event_type for e in (await ann.records.ListEntries(listing)).entries]


async def test_a_job_shows_the_fingerprint_of_each_of_its_sources(
    ann: Caller, sales: Path, shops: Path
) -> None:
    wanted = question(QUESTION, sales, shops)
    described = await ann.executor.DescribeSource(
        pb.DescribeSourceRequest(
            sources=[
                pb.Source(file_path=source.file_path) for source in wanted.analysis.data_sources
            ]
        )
    )
    job = await ann.asked(wanted)
    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    assert fingerprints(job) == list(described.source_fingerprints)
    assert len(set(fingerprints(job))) == 2
    assert all(len(found) == 64 for found in fingerprints(job))
    assert fingerprints(await ann.job(job.job_id)) == fingerprints(job)


async def test_other_rows_are_the_same_schema_and_other_columns_are_refused_before_anything_runs(
    ann: Caller, tmp_path: Path
) -> None:
    path = tmp_path / "sales.csv"
    path.write_text("region,quantity\nNorth,1\nSouth,2\n")
    known = fingerprints(await ann.asked(question(QUESTION, path)))[0]

    path.write_text("region,quantity\nNorth,10\nSouth,20\n")
    wanted = question(QUESTION, path)
    wanted.analysis.data_sources[0].schema_fingerprint = known
    job = await ann.asked(wanted)
    assert (job.state, fingerprints(job)) == (job_pb2.JOB_STATE_COMPLETED, [known])

    for content in (
        "region,quantity,price\nNorth,1,2\nSouth,2,3\n",
        "region,amount\nNorth,1\nSouth,2\n",
        "region,quantity\nNorth,one\nSouth,two\n",
    ):
        path.write_text(content)
        wanted = question(QUESTION, path)
        wanted.analysis.data_sources[0].schema_fingerprint = known
        job = await ann.asked(wanted)
        assert job.state == job_pb2.JOB_STATE_FAILED
        assert job.failure.reason == SCHEMA_CHANGED.code
        assert "sales.csv" in job.failure.message and known[:12] in job.failure.message
        told = await kinds(ann, job.job_id)
        assert not {"plan_created", "tool_called"} & set(told)
        plan = jobs_pb.PlanJobRequest(analysis=wanted.analysis)
        assert (await refusal(ann.jobs.PlanJob(plan))).reason is SCHEMA_CHANGED


async def test_a_fingerprint_that_is_none_is_named(ann: Caller, sales: Path) -> None:
    wanted = question(QUESTION, sales)
    wanted.analysis.data_sources[0].schema_fingerprint = "abc"
    found = await refusal(ann.create(wanted))
    assert found.reason is INVALID_ARGUMENT
    assert found.fields == {
        "analysis.data_sources[0].schema_fingerprint": "64 hex digits, or empty"
    }
