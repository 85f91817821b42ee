"""Opens any of the vector stores, for tests and for the process that a test kills."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from services.memory.adapters.edge_process import EdgeProcess
from services.memory.adapters.qdrant_edge import EdgeVectorStore
from services.memory.adapters.qdrant_served import ServedVectorStore
from services.memory.ports import Vector, VectorStore

Open = Callable[..., Awaitable[VectorStore]]


async def open_store(
    location: tuple[str, str], collection: str, dimension: int = 384, keywords: Sequence[str] = ()
) -> VectorStore:
    kind, place = location
    if kind == "edge":
        return await in_folder(Path(place) / collection, dimension, keywords)
    if kind == "server":
        served = ServedVectorStore.at(place, collection, dimension, keywords)
    else:
        from qdrant_client import AsyncQdrantClient

        client = AsyncQdrantClient(path=f"{place}/{collection}")
        served = ServedVectorStore(client, collection, dimension, keywords)
    try:
        await served.open()
    except BaseException:
        await served.close()
        raise
    return served


class Owned(EdgeVectorStore):
    """A store with a process of its own."""

    async def close(self) -> None:
        await self._process.close()


async def in_folder(
    folder: Path, dimension: int, keywords: Sequence[str] = (), **more: Any
) -> Owned:
    store = Owned(EdgeProcess(), folder, dimension, keywords, **more)
    try:
        await store.open()
    except BaseException:
        await store.close()
        raise
    return store


def unit(*numbers: float) -> Vector:
    vector: Vector = np.array(numbers, dtype=np.float32)
    length: Any = np.linalg.norm(vector)
    scaled: Vector = vector / length
    return scaled
