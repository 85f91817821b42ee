"""When the memory service loads its embedder: before a server's first question, not in it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from mesh.config import MeshSettings
from mesh.errors import SERVICE_UNAVAILABLE, AssayError
from mesh.transport.dial import Dial
from services.memory import service
from services.memory.adapters.embedder_hashed import HashedEmbedder
from services.memory.adapters.embedders import ChosenEmbedder
from services.memory.ports import Vectors


class Loading(HashedEmbedder):
    """Says when it was first used."""

    def __init__(self) -> None:
        self.loaded = asyncio.Event()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.loaded.set()
        return await super().embed(texts)


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> Loading:
    made = Loading()
    chosen = ChosenEmbedder(made, "")
    monkeypatch.setattr(service, "choose_embedder", lambda settings: chosen)
    return made


async def started(home: Path, **settings: Any) -> None:
    """Start the service and stop it again, once what it does in the background is done."""
    wanted = MeshSettings(home=home, **settings)
    async with Dial(wanted) as dial, service.MemoryService(wanted, dial) as memory:
        await memory.started()
        if memory._warming is not None:
            await memory._warming


async def test_a_server_has_its_embedder_ready(tmp_path: Path, embedder: Loading) -> None:
    await started(tmp_path)
    assert embedder.loaded.is_set()


async def test_a_mesh_for_one_command_loads_nothing_it_may_not_need(
    tmp_path: Path, embedder: Loading
) -> None:
    await started(tmp_path, lasting=False)
    assert not embedder.loaded.is_set()


async def test_an_embedder_that_cannot_be_loaded_stops_nobody(
    tmp_path: Path, embedder: Loading, monkeypatch: pytest.MonkeyPatch, caplog: Any
) -> None:
    async def broken(texts: Sequence[str]) -> Vectors:
        raise AssayError(SERVICE_UNAVAILABLE, "the model is damaged")

    monkeypatch.setattr(embedder, "embed", broken)
    await started(tmp_path)
    assert "the model is damaged" in caplog.text
