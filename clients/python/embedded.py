"""Find the mesh that is installed on this machine, without importing a service."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import AbstractAsyncContextManager
from importlib.metadata import entry_points
from pathlib import Path
from typing import Protocol, cast

from mesh.errors import SERVICE_UNAVAILABLE, AssayError

GROUP = "assay.mesh"
NAME = "embedded"


class Served(Protocol):
    """A mesh that runs."""

    @property
    def target(self) -> str:
        """The gRPC target of its gateway."""
        ...

    @property
    def public(self) -> str:
        """The address that strangers may call, with the port it has; empty where none may."""
        ...

    @property
    def web(self) -> str:
        """The address of the console, with the port it has; empty where there is none."""
        ...

    @property
    def at_work(self) -> Callable[[], bool]:
        """Tells whether a call is under way."""
        ...


class EmbeddedMesh(Protocol):
    """What an installed mesh registers under the entry point."""

    def __call__(
        self,
        home: Path,
        *,
        listen: str | None = None,
        web: str | None = None,
        soon: Collection[str] = ...,
        apart: bool = False,
    ) -> AbstractAsyncContextManager[Served]:
        """Run every service; in this process, or, with `apart`, what needs much in one of its own.

        Strangers may call at `listen`, browsers at `web`. `soon` names services that are sure to be
        called. With `apart` it may fork when it is called, not when it is entered: no thread and no
        event loop runs then.
        """
        ...


def find_embedded_mesh() -> EmbeddedMesh:
    """The installed mesh. Raises AssayError(SERVICE_UNAVAILABLE) when there is none."""
    for entry in entry_points(group=GROUP, name=NAME):
        return cast("EmbeddedMesh", entry.load())
    raise AssayError(
        SERVICE_UNAVAILABLE,
        "no mesh is installed here, only its client",
        hint="Install the assay services, or name a running mesh with --server host:port.",
    )
