"""A service as an async context manager: complete, then run; closed in reverse, gently."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from grpc import aio

from mesh.config import MeshSettings
from mesh.transport.dial import Dial


class Service(Protocol):
    """What `mesh.transport.server` runs. Entering it opens stores; leaving it closes them."""

    @property
    def name(self) -> str:
        """One of mesh.config.SERVICES."""
        ...

    @property
    def contracts(self) -> tuple[str, ...]:
        """Full names of the gRPC services it serves, for health and reflection."""
        ...

    def register(self, server: aio.Server) -> None:
        """Add its servicers; called after it was entered."""
        ...

    async def started(self) -> None:
        """Called once the server takes calls: the time to begin background work."""
        ...

    async def drain(self) -> None:
        """Stop taking new background work; called before the server stops."""
        ...

    async def __aenter__(self) -> Service:
        """Open what it needs."""
        ...

    async def __aexit__(self, *exception: Any) -> bool | None:
        """Close what it opened."""
        ...


class ServiceFactory(Protocol):
    """Makes a service of validated settings; the only thing that differs between services."""

    def __call__(self, settings: MeshSettings, dial: Dial) -> AbstractAsyncContextManager[Service]:
        """The service, not yet entered."""
        ...
