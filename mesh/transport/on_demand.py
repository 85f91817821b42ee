"""Services that are made when they are first called, for a mesh that runs for one command.

A command calls two or three of five services; making the others would cost more than most commands
do. A server that serves others for long makes all of them when it starts: see
`mesh.transport.server`.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any, cast

import grpc
from grpc import aio

from mesh.config import MeshSettings
from mesh.storage.state_files import state_failures
from mesh.transport.dial import Dial
from mesh.transport.service import Service, ServiceFactory

if TYPE_CHECKING:
    Handler = grpc.RpcMethodHandler[Any, Any]


class OnDemand:
    """A service whose code is imported, and whose stores are opened, by its first call.

    A `Service` itself: entering it costs nothing, leaving it closes what was made. Whether it can
    be made is told by that first call, which fails with what its start raised, as later ones do.
    One that the settings name as called `soon` is begun before that call.
    """

    def __init__(
        self,
        name: str,
        contracts: Sequence[str],
        find: Callable[[], ServiceFactory],
        settings: MeshSettings,
        dial: Dial,
    ) -> None:
        self.name = name
        self.contracts = tuple(contracts)
        self._find = find
        self._settings = settings
        self._dial = dial
        self._stack = AsyncExitStack()
        self._service: Service | None = None
        self._making: asyncio.Task[None] | None = None
        self._draining = self._closed = False
        self._methods = _Methods()
        # What it does lasts longer than the call that woke it, whose deadline and caller are not
        # those of everything after.
        self._surroundings = contextvars.copy_context()

    def register(self, server: aio.Server) -> None:
        """Nothing yet: a server that has started takes no methods, so `Waking` has them."""

    async def method(self, name: str) -> Handler | None:
        """What answers a method, "/package.Service/Name"; None for one there is not.

        Makes the service if need be. Raises what its start raised.
        """
        self._begin()
        if self._making is not None:
            await asyncio.shield(self._making)  # others may wait for it too
        return self._methods.handlers.get(name)

    def _begin(self) -> None:
        if self._making is None and not self._closed:
            making = self._surroundings.copy().run(asyncio.create_task, self._make())
            making.set_name(f"make {self.name}")
            self._making = making

    async def _make(self) -> None:
        factory = await asyncio.to_thread(self._find)
        with state_failures():
            service = await self._stack.enter_async_context(factory(self._settings, self._dial))
        service.register(cast("aio.Server", self._methods))
        self._service = service
        if not self._draining:  # what is made for others' last words begins nothing of its own
            await service.started()

    async def started(self) -> None:
        """Nothing runs before the first call, unless one is sure to come."""
        if self.name in self._settings.soon:
            self._begin()

    async def drain(self) -> None:
        """Stop background work, where there is any; calls are answered until the server stops."""
        self._draining = True
        if self._making is not None:
            await asyncio.wait([self._making])
        if self._service is not None:
            await self._service.drain()

    async def __aenter__(self) -> OnDemand:
        """Nothing to open yet."""
        return self

    async def __aexit__(self, *exception: Any) -> bool | None:
        """Close what was made, also what is being made."""
        self._closed = True
        if self._making is not None:
            await asyncio.wait([self._making])
            self._making.exception()  # whoever called was told
        return await self._stack.__aexit__(*exception)


class _Methods:
    """The part of a server by which a service adds its methods."""

    def __init__(self) -> None:
        self.handlers: dict[str, Handler] = {}

    def add_generic_rpc_handlers(self, handlers: Iterable[grpc.GenericRpcHandler]) -> None:
        """Nothing: generated code registers the same methods by name."""

    def add_registered_method_handlers(self, service: str, handlers: Mapping[str, Handler]) -> None:
        """Add methods, or replace them."""
        self.handlers |= {f"/{service}/{name}": handler for name, handler in handlers.items()}
