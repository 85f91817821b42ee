"""Connect a command to its mesh: the server it names, or the one of its home folder."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clients.python.cli.screen import Screen
    from clients.python.client import AssayClient
    from mesh.errors import AssayError


@dataclass(frozen=True, slots=True)
class Place:
    """Which mesh a command talks to, and as whom."""

    home: Path | None = None
    server: str | None = None
    user: str | None = None


@asynccontextmanager
async def connected(
    place: Place, screen: Screen, soon: Collection[str] = ()
) -> AsyncGenerator[AssayClient]:
    """A client of the mesh at `place`, started in this process if need be; `soon` names services
    that the command is sure to call.

    Raises AssayError as `mesh_at` does.
    """
    from clients.python.cli.credentials import authority_given, in_clear, token_given
    from clients.python.cli.logs import keep_logs
    from clients.python.client import AssayClient
    from clients.python.home import mesh_at
    from mesh.config import home_folder
    from mesh.errors import AssayError

    if place.server:
        token = token_given()
        if token and in_clear(place.server):
            screen.remark("the token travels in the clear: --server https://… keeps it secret")
        async with AssayClient(
            place.server, place.user, token=token, authority=authority_given()
        ) as client:
            try:
                yield client
            except AssayError as error:
                raise _named(error, place.server) from error
        return
    home = home_folder(place.home)
    keep_logs(home)
    async with mesh_at(home, say=screen.remark, soon=soon) as mesh:
        # Over a unix socket the server is this user's own and may open this user's files.
        mine = mesh.target.startswith("unix:")
        async with AssayClient(
            mesh.target, place.user, same_machine=True, local_paths=mine
        ) as client:
            yield client


def _named(error: AssayError, server: str) -> AssayError:
    """The error; one about a mesh that is away says where it was looked for."""
    from mesh.errors import SERVICE_UNAVAILABLE, AssayError

    if error.reason is not SERVICE_UNAVAILABLE:
        return error
    return AssayError(
        error.reason, f"{server}: {error.message}", hint=error.hint, fields=error.fields
    )
