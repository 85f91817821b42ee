"""What no job needs is collected, also from a bucket."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import pytest_asyncio
from pyarrow.fs import FileSelector, FileType, S3FileSystem

from assay.common.v1 import job_pb2
from assay.executor.v1 import executor_service_pb2 as executor_pb
from assay.gateway.v1 import audit_service_pb2 as records_pb
from mesh.config import MeshSettings
from mesh.errors import NOT_FOUND
from mesh.frames import codec
from mesh.storage.objects.bucket import BucketPlace
from mesh.testing.mesh import running_mesh
from mesh.testing.object_server import ObjectServerAbsent, fresh_bucket, object_server
from services.__main__ import factories
from tests.fault.supervised import supervised
from tests.mesh.support import Caller, question, refusal

pytestmark = pytest.mark.asyncio(loop_scope="module")

QUESTION = "total quantity by region as a bar chart"


@pytest.fixture(scope="module")
def server() -> Iterator[BucketPlace]:
    try:
        with object_server() as place:
            yield place
    except ObjectServerAbsent as absence:
        pytest.skip(str(absence))


@pytest.fixture
def place(server: BucketPlace) -> BucketPlace:
    return fresh_bucket(server)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def around() -> AsyncIterator[MeshSettings]:
    """Everything but an executor; short, because a socket's path must be."""
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        async with running_mesh(
            Path(folder), factories, apart=True, without=["executor"]
        ) as settings:
            yield settings


def folder(place: BucketPlace, around: MeshSettings, disk: str) -> Path:
    return around.home / f"{place.bucket}-{disk}"


def sharing(place: BucketPlace, around: MeshSettings, disk: str) -> dict[str, str]:
    """The environment of an executor with a disk of its own and a bucket it shares."""
    return {
        "ASSAY_EXECUTOR_FOLDER": str(folder(place, around, disk)),
        "ASSAY_EXECUTOR_DATABASE": f"sqlite:///{around.home / place.bucket}.sqlite",
        "ASSAY_EXECUTOR_STORE_URL": f"s3://{place.bucket}/{place.prefix}",
        "ASSAY_EXECUTOR_STORE_ENDPOINT": place.endpoint,
        "ASSAY_EXECUTOR_STORE_REGION": place.region,
        "ASSAY_EXECUTOR_STORE_KEY": place.access_key,
        "ASSAY_EXECUTOR_STORE_SECRET": place.secret_key,
        "ASSAY_EXECUTOR_GRACE_SECONDS": "0",
        "ASSAY_EXECUTOR_COLLECT_SECONDS": "0.2",
    }


def stored(place: BucketPlace) -> set[str]:
    """Keys in the bucket."""
    files = S3FileSystem(
        access_key=place.access_key,
        secret_key=place.secret_key,
        region=place.region,
        endpoint_override=place.endpoint,
    )
    wanted = FileSelector(f"{place.bucket}/{place.prefix}", recursive=True, allow_not_found=True)
    return {found.path for found in files.get_file_info(wanted) if found.type == FileType.File}


async def frame(caller: Caller, digest: str) -> pa.Table:
    request = executor_pb.ReadFrameRequest(digest=digest)
    pieces = [told.chunk.data async for told in caller.executor.ReadFrame(request)]
    return codec.read_stream(pieces)


async def verified(caller: Caller, job: job_pb2.Job) -> Any:
    return await caller.records.VerifyJob(records_pb.VerifyJobRequest(job_id=job.job_id))


async def emptied(place: BucketPlace) -> None:
    for _ in range(100):
        if not await asyncio.to_thread(stored, place):
            return
        await asyncio.sleep(0.1)
    raise AssertionError(f"still there: {sorted(stored(place))[:5]}")


async def test_what_a_deleted_job_alone_needed_goes_and_says_how_to_get_it_back(
    around: MeshSettings, place: BucketPlace, sales: Path
) -> None:
    async with (
        supervised(around, "executor", extra=sharing(place, around, "first")),
        Caller(around) as caller,
    ):
        job = await caller.asked(question(QUESTION, sales))
        same = await caller.asked(question(QUESTION, sales))
        before = await asyncio.to_thread(stored, place)
        release = executor_pb.ReleaseJobRequest(request_id=job.job_id)
        await caller.executor.ReleaseJob(release)
        for _ in range(100):
            if len(await asyncio.to_thread(stored, place)) < len(before):
                break
            await asyncio.sleep(0.1)
        assert (await verified(caller, same)).ok, "another job needs the same frames"
        await caller.executor.ReleaseJob(executor_pb.ReleaseJobRequest(request_id=same.job_id))
        await emptied(place)
        refused = await refusal(frame(caller, job.answer.table.digest))
        assert refused.reason is NOT_FOUND
        assert "make it again" in refused.remedy
        again = await caller.asked(question(QUESTION, sales))
        assert again.answer.table.digest == job.answer.table.digest
        assert (await verified(caller, again)).ok


async def test_a_cap_on_what_is_stored_ends_the_job_with_what_to_do(
    around: MeshSettings, place: BucketPlace, sales: Path
) -> None:
    small = sharing(place, around, "first") | {"ASSAY_EXECUTOR_STORE_BYTES": "100"}
    async with supervised(around, "executor", extra=small), Caller(around) as caller:
        job = await caller.asked(question(QUESTION, sales))
        assert job.state == job_pb2.JOB_STATE_FAILED
        assert "ASSAY_EXECUTOR_STORE_BYTES" in str(job)
        left = await asyncio.to_thread(stored, place)
        assert not [name for name in left if "/calls/" not in name], "a call's record is no frame"
