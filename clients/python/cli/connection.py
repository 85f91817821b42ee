"""Connect a command to its mesh: the server it names, or the one of its home folder."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clients.python.cli.screen import Screen
    from clients.python.client import AssayClient
    from clients.python.owning import OwnerKind
    from mesh.errors import AssayError


TO_ASK = ("executor", "planner", "memory", "audit", "df.transform", "plot.render")
"""Services and tools that nearly every question calls."""


@dataclass(frozen=True, slots=True)
class Place:
    """Which mesh a command talks to, and as whom."""

    home: Path | None = None
    server: str | None = None
    user: str | None = None

    def begin(self, *soon: str) -> Place:
        """Have a mesh in the background start now, where none runs and one should, while the
        command imports what it needs itself; `soon` names what is sure to be called."""
        if not self.server:
            from clients.python.background.starting import begin
            from mesh.homes import home_folder

            begin(home_folder(self.home), soon)
        return self


@dataclass(frozen=True, slots=True)
class Reach:
    """A mesh that was found, and how to talk to it. `mine`: it opens this user's files itself."""

    target: str
    user: str | None
    token: str | None
    authority: Path | None
    same_machine: bool
    mine: bool

    def client(self, token: str | None = None) -> AssayClient:
        """A client of it, for whoever has the token; else for this command's own caller."""
        from clients.python.client import AssayClient

        return AssayClient(
            self.target,
            None if token else self.user,
            token=token or self.token,
            authority=self.authority,
            same_machine=self.same_machine,
            local_paths=self.mine,
        )


@asynccontextmanager
async def reached(
    place: Place, say: Callable[[str], None], soon: Collection[str] = (), kind: OwnerKind = "ask"
) -> AsyncGenerator[Reach]:
    """The mesh at `place`, started in this process if need be, which then is an owner of `kind`;
    `soon` names services that are sure to be called.

    Raises AssayError as `mesh_at` does, and what it is left with says where the mesh was.
    """
    from clients.python.cli.credentials import authority_given, in_clear, token_given
    from clients.python.cli.logs import keep_logs
    from clients.python.home import mesh_at
    from mesh.errors import AssayError
    from mesh.homes import home_folder

    if place.server:
        token = token_given()
        if token and in_clear(place.server):
            say("the token travels in the clear: --server https://… keeps it secret")
        try:
            yield Reach(place.server, place.user, token, authority_given(), False, False)
        except AssayError as error:
            raise _named(error, place.server) from error
        return
    home = home_folder(place.home)
    keep_logs(home)
    async with mesh_at(home, kind=kind, function=say, soon=soon) as mesh:
        # Over a unix socket the server is this user's own and may open this user's files.
        mine = mesh.target.startswith("unix:")
        yield Reach(mesh.target, place.user, None, None, True, mine)


@asynccontextmanager
async def connected(
    place: Place, screen: Screen, soon: Collection[str] = ()
) -> AsyncGenerator[AssayClient]:
    """A client of the mesh at `place`, as `reached` finds it. Raises AssayError."""
    async with reached(place, screen.remark, soon) as reach, reach.client() as client:
        yield client


def _named(error: AssayError, server: str) -> AssayError:
    """The error; one about a mesh that is away says where it was looked for."""
    from mesh.errors import SERVICE_UNAVAILABLE, AssayError
    from mesh.transport.status import WAITED

    if error.reason is not SERVICE_UNAVAILABLE or WAITED in error.metadata:
        return error
    return AssayError(
        error.reason, f"{server}: {error.message}", hint=error.hint, fields=error.fields
    )
