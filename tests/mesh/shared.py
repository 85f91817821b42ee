"""The mesh that tests share, with tenants that are each test's own.

A mesh starts processes for itself that import for a second, and its first question is slower than
any other. A file whose tests ask of a mesh nothing but that it works says

    pytestmark = shared.ON_ONE_LOOP
    mesh, ann, bob = shared.mesh, shared.ann, shared.bob

and meets a mesh at which others were before, under other names: nothing of theirs is to be seen.
What is about a mesh's own files, start or settings takes a mesh of its own.
"""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio

from mesh.config import MeshSettings
from mesh.ids import new_id
from mesh.testing.mesh import running_mesh
from services.__main__ import factories
from tests.mesh.support import Caller

ON_ONE_LOOP = pytest.mark.asyncio(loop_scope="session")
"""A mesh, and the channels to it, belong to the event loop that they began on."""


@asynccontextmanager
async def settled_mesh(
    environment: Mapping[str, str], public: str = ""
) -> AsyncIterator[MeshSettings]:
    """A mesh with settings that a whole file is about, for a fixture of that file's."""
    async with AsyncExitStack() as stack:
        folder = tempfile.TemporaryDirectory(prefix="assay-", ignore_cleanup_errors=True)
        home = Path(stack.enter_context(folder))
        with pytest.MonkeyPatch.context() as patch:  # they are read at its start
            for name, value in environment.items():
                patch.setenv(name, value)
            started = running_mesh(home, factories, public=public)
            settings = await stack.enter_async_context(started)
        yield settings


@pytest.fixture
def mesh(shared_mesh: MeshSettings) -> MeshSettings:
    return shared_mesh


@pytest_asyncio.fixture(loop_scope="session")
async def ann(shared_mesh: MeshSettings) -> AsyncIterator[Caller]:
    async with Caller(shared_mesh, f"ann-{new_id()[:8]}") as caller:
        yield caller


@pytest_asyncio.fixture(loop_scope="session")
async def bob(shared_mesh: MeshSettings) -> AsyncIterator[Caller]:
    async with Caller(shared_mesh, f"bob-{new_id()[:8]}") as caller:
        yield caller
