"""The memory service, put together."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Protocol

from grpc import aio

from assay.memory.v1 import memory_service_pb2, memory_service_pb2_grpc
from mesh.config import MeshSettings, load
from mesh.errors import SERVICE_UNAVAILABLE, AssayError
from mesh.transport.dial import Dial
from services.memory.adapters.embedders import choose_embedder
from services.memory.app import Memory
from services.memory.ports import Embedder, VectorStore
from services.memory.rpc import MemoryServicer
from services.memory.settings import MemorySettings
from services.memory.shelf import DOCUMENT_KEYWORDS, RECIPE_KEYWORDS

log = logging.getLogger("assay.memory")


class _Opened(VectorStore, Protocol):
    async def open(self) -> None: ...


_Make = Callable[[AsyncExitStack, str, Embedder, tuple[str, ...]], _Opened]


class MemoryService:
    """Recall of recipes and documents, behind memory.v1."""

    name = "memory"
    contracts = (memory_service_pb2.DESCRIPTOR.services_by_name["MemoryService"].full_name,)

    def __init__(self, settings: MeshSettings, dial: Dial) -> None:
        self._settings = load(MemorySettings, **settings.model_dump())
        self._stack = AsyncExitStack()
        self._warming: asyncio.Task[None] | None = None

    async def __aenter__(self) -> MemoryService:
        """Open both collections; the embedder's model loads when first used."""
        chosen = choose_embedder(self._settings)
        if chosen.remark:
            log.warning("%s", chosen.remark)
        async with AsyncExitStack() as stack:
            make = self._served if self._settings.memory_qdrant_url else self._in_folder(stack)
            recipes = make(stack, "recipes", chosen.embedder, RECIPE_KEYWORDS)
            documents = make(stack, "documents", chosen.embedder, DOCUMENT_KEYWORDS)
            # For one question, what is remembered is opened when it is asked for.
            if self._settings.lasting or self._settings.memory_qdrant_url:
                await asyncio.gather(_reach(recipes), _reach(documents))
            self._memory = Memory(recipes, documents, chosen.embedder)
            self._stack = stack.pop_all()
        return self

    def _served(
        self, stack: AsyncExitStack, name: str, embedder: Embedder, keywords: tuple[str, ...]
    ) -> _Opened:
        from services.memory.adapters.qdrant_served import ServedVectorStore

        key = self._settings.memory_qdrant_key
        served = ServedVectorStore.at(
            self._settings.memory_qdrant_url,
            f"assay_{name}",
            embedder.dimension,
            keywords,
            api_key=key.get_secret_value() if key else None,
        )
        stack.push_async_callback(served.close)
        return served

    def _in_folder(self, stack: AsyncExitStack) -> _Make:
        from services.memory.adapters.edge_process import EdgeProcess
        from services.memory.adapters.qdrant_edge import EdgeVectorStore

        process = EdgeProcess()
        stack.push_async_callback(process.close)
        folder, room = self._settings.folder("memory"), self._settings.memory_room_bytes

        def make(
            _: AsyncExitStack, name: str, embedder: Embedder, keywords: tuple[str, ...]
        ) -> _Opened:
            return EdgeVectorStore(
                process, folder / name, embedder.dimension, keywords, room_bytes=room
            )

        return make

    def register(self, server: aio.Server) -> None:
        """Serve memory.v1."""
        memory_service_pb2_grpc.add_MemoryServiceServicer_to_server(
            MemoryServicer(self._memory, self._folder()), server
        )

    def _folder(self) -> Path | None:
        """Where the vectors lie; None where a Qdrant server has them."""
        settings = self._settings
        return None if settings.memory_qdrant_url else settings.folder("memory")

    async def started(self) -> None:
        """Load the embedder beside the first calls, where more than one question will come."""
        if self._settings.lasting:
            self._warming = asyncio.create_task(self._warm())

    async def _warm(self) -> None:
        try:
            await self._memory.warm()
        except AssayError as error:
            log.warning("%s", error)

    async def drain(self) -> None:
        """Nothing to stop: nobody waits for what is still loading."""

    async def __aexit__(self, *exception: Any) -> bool | None:
        """Close both collections."""
        if self._warming is not None:
            self._warming.cancel()
            await asyncio.wait([self._warming])
        return await self._stack.__aexit__(*exception)


async def _reach(store: _Opened) -> None:
    """Open a store: bad settings fail now, one that is away or damaged leaves jobs without."""
    try:
        await store.open()
    except AssayError as error:
        if error.reason is not SERVICE_UNAVAILABLE:
            raise
        log.warning(
            "%s; until then, nothing is remembered or recalled. %s", error.message, error.remedy
        )
