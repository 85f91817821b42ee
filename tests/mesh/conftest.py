"""Data, homes and meshes for the tests of the whole."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from mesh.config import SERVICES, MeshSettings, load
from mesh.testing.mesh import running_mesh
from mesh.testing.postgres import PostgresAbsent
from services.__main__ import factories
from tests.busy import allowing
from tests.calibrating import calibrate_seldom
from tests.mesh.owned import Owned, own_something
from tests.mesh.postgres_world import shop_owner
from tests.mesh.shared import settled_mesh
from tests.mesh.support import Caller
from tests.thorough import THOROUGH


@pytest.fixture(scope="module", autouse=True)
def quick_memory() -> Iterator[None]:
    """Memory without its model, which takes seconds to load; here nothing depends on meaning."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASSAY_EMBEDDER", "hashed")
        yield


@pytest.fixture(scope="session", autouse=True)
def seldom_calibrated() -> Iterator[None]:
    """Causal studies calibrate by few repetitions, but where everything is run."""
    with pytest.MonkeyPatch.context() as patch:
        if not THOROUGH:
            calibrate_seldom(patch)
        yield


@pytest.fixture
def home() -> Iterator[Path]:
    """A home of its own; short, because a socket's path must be.

    The thread of a tool whose job is over may write a last file while the folder is removed.
    """
    with tempfile.TemporaryDirectory(prefix="assay-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def sales(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sixty sales of three regions in 2024."""
    path = tmp_path_factory.mktemp("data") / "sales.csv"
    regions, products = ("North", "South", "West"), ("chair", "desk", "lamp", "shelf")
    lines = ["sale_id,sold_on,region,product,quantity,price,customer_email"]
    for number in range(60):
        month, day = number % 12 + 1, number % 28 + 1
        lines.append(
            f"{number + 1},2024-{month:02d}-{day:02d},{regions[number % 3]},"
            f"{products[number % 4]},{number % 5 + 1},{10 + number % 7}.5,"
            f"person{number % 9}@example.com"
        )
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="session")
def owner() -> Iterator[str]:
    """The owner of a shop in PostgreSQL."""
    try:
        with shop_owner() as uri:
            yield uri
    except PostgresAbsent as absent:
        pytest.skip(str(absent))


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def shared_mesh() -> AsyncIterator[MeshSettings]:
    """Every service on one server, in this process, for all tests that `tests.mesh.shared` is for.

    It reads its settings once: what a test puts into the environment comes too late for it.
    """
    async with settled_mesh({}) as settings:
        yield settings


@pytest_asyncio.fixture
async def mesh(home: Path) -> AsyncIterator[MeshSettings]:
    """Every service on one server, in this process."""
    async with running_mesh(home, factories) as settings:
        yield settings


@pytest_asyncio.fixture
async def ann(mesh: MeshSettings) -> AsyncIterator[Caller]:
    async with Caller(mesh, "ann") as caller:
        yield caller


@pytest_asyncio.fixture
async def bob(mesh: MeshSettings) -> AsyncIterator[Caller]:
    async with Caller(mesh, "bob") as caller:
        yield caller


@pytest.fixture
def apart(home: Path) -> MeshSettings:
    """Settings of five services, each with a socket of its own; nothing runs yet."""
    addresses = {f"{name}_address": f"unix:{home}/{name}.sock" for name in SERVICES}
    return load(
        MeshSettings, home=home, drain_seconds=allowing(10.0), local_paths=True, **addresses
    )


@pytest.fixture
def together(home: Path) -> MeshSettings:
    """Settings of five services on one socket; nothing runs yet."""
    socket = f"unix:{home}/mesh.sock"
    addresses = {f"{name}_address": socket for name in SERVICES}
    return load(
        MeshSettings,
        home=home,
        drain_seconds=allowing(10.0),
        local_paths=True,
        listen=socket,
        **addresses,
    )


@pytest_asyncio.fixture
async def owned(ann: Caller, sales: Path) -> Owned:
    """What is ann's."""
    return await own_something(ann, sales)
