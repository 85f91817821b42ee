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

from mesh.testing.qdrant import QdrantAbsent, qdrant_server
from services.memory.ports import VectorStore
from tests.contract.memory.stores import Open, open_store


@pytest.fixture(scope="session")
def qdrant_url() -> Iterator[str]:
    """The URL of a real Qdrant server in a container."""
    try:
        with qdrant_server() as url:
            yield url
    except QdrantAbsent as absent:
        pytest.skip(f"no Qdrant server: {absent}")


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
