"""One mesh of replicas for all tests of the scaled profile; what one kills is started again."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from mesh.storage.objects.bucket import BucketPlace
from mesh.testing.mesh import running_mesh
from mesh.testing.object_server import ObjectServerAbsent
from mesh.testing.postgres import PostgresAbsent
from services.__main__ import factories
from tests.mesh.conftest import quick_memory, sales  # noqa: F401 - fixtures
from tests.mesh.support import Caller, question
from tests.scaled.asking import LIMIT_SECONDS, QUESTIONS, Told, told_of
from tests.scaled.world import Scaled, scaled, stores


@pytest.fixture(scope="session")
def shared() -> Iterator[tuple[dict[str, str], BucketPlace, str]]:
    """The databases, the bucket and the vectors that replicas share."""
    try:
        with stores() as found:
            yield found
    except (PostgresAbsent, ObjectServerAbsent) as absent:
        pytest.skip(f"the scaled profile needs it: {absent}")


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def mesh(shared: tuple[dict[str, str], BucketPlace, str]) -> AsyncIterator[Scaled]:
    with tempfile.TemporaryDirectory(prefix="assay-scaled-") as folder:
        async with scaled(Path(folder), *shared) as running:
            yield running
        for replica in running.all():  # shown with whatever failed
            for line in replica.log.read_text(encoding="utf-8").splitlines():
                if '"level": "ERROR"' in line or "TEMP" in line:
                    print(replica.address, replica.service, line)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def truth(
    sales: Path,  # noqa: F811
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Told]:
    """What one process with nothing beside it answers to each question."""
    with tempfile.TemporaryDirectory(prefix="assay-") as home:
        async with running_mesh(Path(home), factories) as settings, Caller(settings) as caller:
            asked = {each: question(each, sales, timeout=LIMIT_SECONDS) for each in QUESTIONS}
            return {each: told_of(await caller.asked(wanted)) for each, wanted in asked.items()}
