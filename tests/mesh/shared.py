"""The mesh that tests share, with tenants that are each test's own.

A mesh starts processes for itself that import for a second, and its first question is slower than
any other. A file whose tests ask of a mesh nothing but that it works says

    pytestmark = shared.ON_ONE_LOOP
    mesh, ann, bob = shared.mesh, shared.ann, shared.bob

and meets a mesh at which others were before, under other names: nothing of theirs is to be seen.
What is about a mesh's own files, start or settings takes a mesh of its own.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from mesh.config import MeshSettings
from mesh.ids import new_id
from tests.mesh.support import Caller

ON_ONE_LOOP = pytest.mark.asyncio(loop_scope="session")
"""A mesh, and the channels to it, belong to the event loop that they began on."""


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
