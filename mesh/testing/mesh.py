"""A running mesh for tests: all in one server, or one server each."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from mesh.config import SERVICES, MeshSettings, load
from mesh.transport.server import running
from mesh.transport.service import ServiceFactory

Factories = Callable[[Sequence[str]], list[ServiceFactory]]


@asynccontextmanager
async def running_mesh(
    home: Path,
    factories: Factories,
    *,
    apart: bool = False,
    without: Sequence[str] = (),
    **settings: object,
) -> AsyncIterator[MeshSettings]:
    """Run every service below `home`; yields the settings that reach them.

    `factories` makes services by name (services.__main__.factories). With `apart` each service has
    a server and a socket of its own, as in Kubernetes; otherwise all share one, as in `assay ask`.
    Services named in `without` are left to the test, at the addresses that the settings give.
    """
    home.mkdir(parents=True, exist_ok=True)
    sockets = {name: home / f"{name if apart else 'mesh'}.sock" for name in SERVICES}
    addresses = {f"{name}_address": f"unix:{path}" for name, path in sockets.items()}
    values = {"local_paths": True, "drain_seconds": 2.0, **settings, **addresses}
    complete = load(MeshSettings, home=home, **values)
    started = [
        name
        for name in ("audit", "memory", "executor", "planner", "gateway")
        if name not in without
    ]
    async with AsyncExitStack() as stack:
        for group in [[name] for name in started] if apart else [started]:
            listen = complete.address(group[0])
            await stack.enter_async_context(running(factories(group), complete, listen))
        yield complete
