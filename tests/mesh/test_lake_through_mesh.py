"""Data sets, tables of Delta and files on the web, looked at, asked and recomputed.

A mesh of its own: which hosts files are fetched from is a setting, read at its start.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import pytest_asyncio

from assay.common.v1 import analysis_pb2, data_pb2, job_pb2
from assay.gateway.v1 import audit_service_pb2 as records_pb
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from mesh.config import MeshSettings
from mesh.ids import new_id
from tests.mesh.shared import settled_mesh
from tests.mesh.support import Caller, question
from tests.remote_world import Web, web_server

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    with web_server(tmp_path_factory.mktemp("web")) as server:
        yield server


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def settled(web: Web) -> AsyncIterator[MeshSettings]:
    environment = {
        "ASSAY_EXECUTOR_WEB_HOSTS": "localhost",
        "ASSAY_EXECUTOR_WEB_AUTHORITY": str(web.authority),
        "ASSAY_EXECUTOR_REMOTE_SECONDS": "0",
    }
    async with settled_mesh(environment) as settings:
        yield settings


@pytest_asyncio.fixture(loop_scope="module")
async def ann(settled: MeshSettings) -> AsyncIterator[Caller]:
    async with Caller(settled, f"ann-{new_id()[:8]}") as caller:
        yield caller


CHANGED = "has changed since the question was asked"
TOLD = [analysis_pb2.DELIVERABLE_TABLES, analysis_pb2.DELIVERABLE_SUMMARY]
SALES = pa.table(
    {"region": ["north", "south", "west", "north"], "amount": [10.0, 20.0, 30.0, 40.0]}
)


def write_years(folder: Path) -> None:
    """The same sales in two years, each in a folder of its own."""
    for year in (2024, 2025):
        file = folder / "sales" / f"year={year}" / "part-0.parquet"
        file.parent.mkdir(parents=True)
        pq.write_table(SALES, file)


async def differing(ann: Caller, job_id: str) -> dict[str, str]:
    """What is not the same when a job's calls are made again, by its step."""
    again = records_pb.RecomputeJobRequest(job_id=job_id)
    steps = [step async for step in ann.records.RecomputeJob(again)]
    assert steps[0].task_id == "sources" and (len(steps) > 1 or not steps[0].same)
    return {step.task_id: step.detail for step in steps if not step.same}


async def test_folders_of_keys_are_asked_as_one_table(ann: Caller, tmp_path: Path) -> None:
    write_years(tmp_path)
    job = await ann.asked(question("total amount by year", tmp_path / "sales", deliverables=TOLD))
    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    assert job.answer.text == "Total amount is the same throughout: 100."
    assert await differing(ann, job.job_id) == {}


async def test_a_table_of_delta_is_asked_in_the_version_that_the_answer_names(
    ann: Caller, tmp_path: Path
) -> None:
    deltalake = pytest.importorskip("deltalake", reason="the extra `lake` is not installed")
    deltalake.write_deltalake(tmp_path / "sales", SALES)
    deltalake.DeltaTable(tmp_path / "sales").delete("region = 'north'")
    job = await ann.asked(question("total amount by region", tmp_path / "sales", deliverables=TOLD))
    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    assert "version 1 of a Delta table" in str(job.answer) and "north" not in str(job.answer)
    assert await differing(ann, job.job_id) == {}
    deltalake.write_deltalake(tmp_path / "sales", SALES, mode="append")
    assert CHANGED in (await differing(ann, job.job_id))["sources"]


async def test_a_file_on_the_web_is_asked_and_a_change_there_is_noticed(
    ann: Caller, web: Web
) -> None:
    url = web.put("/sales.csv", "region,amount\nnorth,10\nsouth,20\n", ETag='"v1"')
    asked = question("total amount by region", deliverables=TOLD)
    asked.analysis.data_sources.add(connection_string=url.replace("//", "//ann:hush-hush@"))
    job = await ann.asked(asked)
    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    assert f"fetched from {url}" in str(job.answer)
    assert "hush-hush" not in str(job), "the password is kept apart"
    assert web.asked[0][1]["authorization"].startswith("Basic ")
    assert await differing(ann, job.job_id) == {}
    web.put("/sales.csv", "region,amount\nnorth,10\nsouth,25\n", ETag='"v2"')
    assert CHANGED in (await differing(ann, job.job_id))["sources"]


async def test_a_folder_and_a_file_on_the_web_are_looked_at_together(
    ann: Caller, web: Web, tmp_path: Path
) -> None:
    write_years(tmp_path)
    url = web.put("/shops.csv", "region,city\nnorth,Kiel\nsouth,Ulm\nwest,Trier\n")
    places = [
        data_pb2.DataSource(file_path=str(tmp_path / "sales")),
        data_pb2.DataSource(connection_string=url),
    ]
    seen = (await ann.jobs.LookAtSources(jobs_pb.LookAtSourcesRequest(data_sources=places))).look
    assert {table.name: table.rows for table in seen.tables} == {"sales": 8, "shops": 3}


async def test_an_inner_address_is_refused_whoever_asks(ann: Caller) -> None:
    asked = question("total amount by region", deliverables=TOLD)
    asked.analysis.data_sources.add(connection_string="https://169.254.169.254/latest/x.csv")
    job = await ann.asked(asked)
    assert job.failure.reason == "SOURCE_HOST_REFUSED", job
