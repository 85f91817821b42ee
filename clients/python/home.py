"""One owner a home folder: attach to the mesh that runs there, start one, or wait a turn.

A command starts a mesh in the background, which later ones find; where that is not wanted it runs
one itself, and others wait. `clients.python.owning` says how the owner is known.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import time
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from clients.python.background.choosing import in_background
from clients.python.background.fingerprint import fingerprint
from clients.python.background.reviving import revived
from clients.python.background.starting import Starting, begun, start
from clients.python.background.using import USERS, Users
from clients.python.embedded import EmbeddedMesh, find_embedded_mesh
from clients.python.owning import (
    SHARED,
    Owner,
    OwnerKind,
    answering,
    elsewhere,
    forget_owner,
    lock_file,
    read_owner,
    try_lock,
    write_owner,
)
from mesh.errors import HOME_BUSY, AssayError

WAIT_SECONDS = 120.0
_POLL_SECONDS = 0.1
_NOTIFY_AFTER_POLLS = 3  # by then the owner has said who it is, or is about to leave


@dataclass(frozen=True, slots=True)
class Mesh:
    """A mesh to talk to; `own` when it runs in this process, and ends with it.

    `public` is where an own one lets strangers in, and `web` where it has its console, with the
    ports they have; else empty.
    """

    target: str
    own: bool
    public: str = ""
    web: str = ""


@asynccontextmanager
async def mesh_at(
    home: Path,
    *,
    kind: OwnerKind = "ask",
    listen: str | None = None,
    web: str | None = None,
    wait_seconds: float = WAIT_SECONDS,
    function: Callable[[str], None] = lambda _: None,
    find: Callable[[], EmbeddedMesh] = find_embedded_mesh,
    soon: Collection[str] = (),
) -> AsyncIterator[Mesh]:
    """The mesh that owns `home`; where none does, one in the background, or in this process.

    `say` is told once when another process is waited for; `soon` names services that are sure to
    be called. Raises AssayError: HOME_BUSY after
    `wait_seconds`, or when `kind` is "up" and the home has a server already; INVALID_ARGUMENT for
    a home that cannot be a folder; DISK_FULL; STATE_DAMAGED for a file of the home that cannot be
    used; SERVICE_UNAVAILABLE when no mesh is installed.
    """
    with ExitStack() as stack:
        background = kind != "up" and in_background()
        if background and (early := begun(home)) is not None:
            stack.enter_context(early[1])
            async with _started(early[0], soon) as mesh:
                yield mesh
            return
        users = Users(stack.enter_context(lock_file(home, USERS)))
        with lock_file(home) as lock:
            owner = await _own_or_attach(lock, users, home, kind, wait_seconds, function)
            if owner is None and not background:
                async with _own(home, kind, (listen, web), find(), soon) as mesh:
                    yield mesh
                return
            if owner is None:
                users.join()  # who has the lock of the home keeps all others from being alone
                starting = start(home, lock, soon)
        if owner is None:
            async with _started(starting, soon) as mesh:
                yield mesh
        elif owner.kind == "background":
            async with revived(home, owner.pid, soon):
                yield Mesh(owner.target, own=False)
        else:
            yield Mesh(owner.target, own=False)


@asynccontextmanager
async def _started(starting: Starting, soon: Collection[str]) -> AsyncIterator[Mesh]:
    """A mesh in the background that this command started."""
    target = await starting.ready()
    async with revived(starting.home, starting.pid, soon):
        yield Mesh(target, own=False)


@asynccontextmanager
async def _own(
    home: Path,
    kind: OwnerKind,
    listen: tuple[str | None, str | None],
    embedded: EmbeddedMesh,
    soon: Collection[str],
) -> AsyncIterator[Mesh]:
    """A mesh in this process, which holds the home's lock; strangers and browsers call where it is
    to `listen`."""
    me = Owner(os.getpid(), kind, host=socket.gethostname(), began=time.time())
    try:
        write_owner(home, me)
        async with embedded(home, listen=listen[0], web=listen[1], soon=soon) as mesh:
            write_owner(home, replace(me, target=mesh.target))
            yield Mesh(mesh.target, own=True, public=mesh.public, web=mesh.web)
    finally:
        forget_owner(home)


async def _own_or_attach(
    lock: IO[str],
    users: Users,
    home: Path,
    kind: OwnerKind,
    wait_seconds: float,
    function: Callable[[str], None],
) -> Owner | None:
    """Whose mesh this process uses from now on; None once it holds the lock."""
    end = time.monotonic() + wait_seconds
    polls = 0
    while not try_lock(lock):
        owner = read_owner(home)
        if owner is not None:
            if (there := elsewhere(owner, home)) is not None:
                raise there
            if owner.kind in SHARED and _attached(owner, users, kind):
                return owner
        who = f" (pid {owner.pid})" if owner else ""
        if time.monotonic() >= end:
            raise AssayError(
                HOME_BUSY,
                f"another assay{who} has held {home} for {wait_seconds:,.0f} s",
                hint="Wait for it, `assay status` says what it is, or choose another --home.",
            )
        polls += 1
        if polls == _NOTIFY_AFTER_POLLS:
            function(f"waiting for another assay on this home{who}…")
        await asyncio.sleep(_POLL_SECONDS)
    return None


def _attached(owner: Owner, users: Users, kind: OwnerKind) -> bool:
    """Whether the owner's mesh is used from now on; else that must be waited for.

    One in the background that is of other code or settings, or in the way of a server, is asked to
    make room. Raises AssayError(HOME_BUSY) where a server is in the way of another.
    """
    if not users.join():
        return False
    pid = answering(owner.target)
    if not pid:
        users.leave()
        return False
    if owner.kind != "background":
        if kind != "up":
            return True
        raise AssayError(
            HOME_BUSY,
            f"assay {owner.kind} runs on this home already (pid {owner.pid}) at {owner.target}",
            hint="Use it, stop it, or choose another --home.",
        )
    if kind != "up" and owner.made_of == fingerprint():
        return True
    users.leave()
    with suppress(ProcessLookupError):  # it ends already
        os.kill(pid, signal.SIGHUP)
    return False
