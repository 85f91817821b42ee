"""Every test of this folder runs over every vector store.

The client in local mode (`client`) stands for the served adapter's own code where no server is;
it is exempt from nothing but speed.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import pytest_asyncio

from services.memory.ports import VectorStore
from tests.contract.memory.stores import Open, open_store

QDRANT_IMAGE = "qdrant/qdrant:v1.16.0"


@pytest.fixture(scope="session")
def qdrant_url() -> Iterator[str]:
    """The URL of a real Qdrant server in a container."""
    docker = pytest.importorskip("docker")
    try:
        docker.from_env().ping()
    except docker.errors.DockerException as error:
        pytest.skip(f"no Qdrant server: Docker is not usable here ({error})")
    from testcontainers.core.container import DockerContainer
    from testcontainers.core.wait_strategies import HttpWaitStrategy

    server = DockerContainer(QDRANT_IMAGE).with_exposed_ports(6333)
    server.waiting_for(HttpWaitStrategy(6333, "/readyz"))
    try:
        server.start()
    except docker.errors.APIError as error:
        pytest.skip(f"no Qdrant server: {QDRANT_IMAGE} cannot be had ({error})")
    try:
        yield f"http://{server.get_container_host_ip()}:{server.get_exposed_port(6333)}"
    finally:
        server.stop()


@pytest.fixture(params=["edge", "client", "server"])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str]:
    """Which store, and the folder or URL it lives at."""
    kind: str = request.param
    place = request.getfixturevalue("qdrant_url") if kind == "server" else str(tmp_path / "store")
    return kind, place


@pytest_asyncio.fixture
async def opened(location: tuple[str, str]) -> AsyncIterator[Open]:
    """Opens collections under names of this test's own and closes them at its end."""
    suffix = uuid4().hex
    async with AsyncExitStack() as stack:

        async def open_one(name: str = "points", *arguments: Any) -> VectorStore:
            store = await open_store(location, f"{name}-{suffix}", *arguments)
            stack.push_async_callback(store.close)
            return store

        yield open_one
