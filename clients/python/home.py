"""One owner a home folder: start the embedded mesh, attach to a running one, or wait a turn.

The owner holds an OS lock on <home>/mesh.lock, which the kernel lets go when the process dies,
however it dies. <home>/mesh.json says who the owner is and where it listens; it is a hint only,
believed while the lock is held and, for attaching, when the target answers.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import time
from collections.abc import AsyncIterator, Callable, Collection, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Literal

from clients.python.embedded import EmbeddedMesh, find_embedded_mesh
from mesh.errors import HOME_BUSY, INVALID_ARGUMENT, AssayError
from mesh.state_files import damaged, full_in, state_failures

WAIT_SECONDS = 120.0
_POLL_SECONDS = 0.1
_REACH_SECONDS = 1.0
_SAY_AFTER_POLLS = 3  # by then the owner has said who it is, or is about to leave

OwnerKind = Literal["up", "ask", "mcp"]
_SHARED = ("up", "mcp")
"""Owners that stay, and let others use their mesh meanwhile."""


@dataclass(frozen=True, slots=True)
class Owner:
    """Who runs the mesh of a home folder. `target` is empty while the mesh is starting."""

    pid: int
    kind: OwnerKind
    target: str = ""


@dataclass(frozen=True, slots=True)
class Mesh:
    """A mesh to talk to; `own` when it runs in this process, and ends with it.

    `public` is where an own one lets strangers in, with the port it has; else empty.
    """

    target: str
    own: bool
    public: str = ""


def read_owner(home: Path) -> Owner | None:
    """Who says to own the home; None when nobody does or the file cannot be read as that."""
    try:
        record = json.loads((home / "mesh.json").read_text(encoding="utf-8"))
        return Owner(int(record["pid"]), record["kind"], str(record["target"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


@asynccontextmanager
async def mesh_at(
    home: Path,
    *,
    kind: OwnerKind = "ask",
    listen: str | None = None,
    wait_seconds: float = WAIT_SECONDS,
    say: Callable[[str], None] = lambda _: None,
    find: Callable[[], EmbeddedMesh] = find_embedded_mesh,
    soon: Collection[str] = (),
) -> AsyncIterator[Mesh]:
    """The mesh that owns `home`, started here unless `assay up` runs it.

    `say` is told once when another process is waited for; `soon` names services that are sure to
    be called. Raises AssayError: HOME_BUSY after
    `wait_seconds`, or when `kind` is "up" and the home has a server already; INVALID_ARGUMENT for
    a home that cannot be a folder; DISK_FULL; STATE_DAMAGED for a file of the home that cannot be
    used; SERVICE_UNAVAILABLE when no mesh is installed.
    """
    embedded = find()
    with _lock_file(home) as lock:
        target = await _own_or_attach(lock, home, kind, wait_seconds, say)
        if target:
            yield Mesh(target, own=False)
            return
        record = home / "mesh.json"
        try:
            _write(record, Owner(os.getpid(), kind))
            public: list[str] = []
            async with embedded(home, listen=listen, told=public.append, soon=soon) as target:
                _write(record, Owner(os.getpid(), kind, target))
                yield Mesh(target, own=True, public="".join(public))
        finally:
            with suppress(OSError):  # it is a hint only
                record.unlink(missing_ok=True)


@contextmanager
def _lock_file(home: Path) -> Iterator[IO[str]]:
    """The lock's file, open; closing it lets the lock go."""
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = (home / "mesh.lock").open("a", encoding="utf-8")
    except OSError as error:
        if (full := full_in(error)) is not None:
            raise full from error
        if home.is_dir():
            raise _unusable(error, home) from error
        raise AssayError(
            INVALID_ARGUMENT,
            f"the home folder {home} cannot be used: {error.strerror}",
            hint="Choose another with --home or ASSAY_HOME.",
        ) from error
    with file:
        yield file


def _unusable(error: OSError, home: Path) -> AssayError:
    """The lock's file cannot be opened, though the home is a folder."""
    return damaged(
        home / "mesh.lock",
        f"cannot be used: {(error.strerror or 'it failed').lower()}",
        "Remove it if it is no plain file, let this user write it, or choose another home folder "
        "with --home or ASSAY_HOME. Nothing is kept in it.",
    )


async def _own_or_attach(
    lock: IO[str], home: Path, kind: OwnerKind, wait_seconds: float, say: Callable[[str], None]
) -> str:
    """A running server's target, or "" once this process holds the lock."""
    end = time.monotonic() + wait_seconds
    polls = 0
    while not _try_lock(lock):
        owner = read_owner(home)
        if owner is not None and owner.kind in _SHARED and await _answers(owner.target):
            if kind == "up":
                raise AssayError(
                    HOME_BUSY,
                    f"assay {owner.kind} runs on this home already (pid {owner.pid}) at "
                    f"{owner.target}",
                    hint="Use it, stop it, or choose another --home.",
                )
            return owner.target
        who = f" (pid {owner.pid})" if owner else ""
        if time.monotonic() >= end:
            raise AssayError(
                HOME_BUSY,
                f"another assay{who} has held {home} for {wait_seconds:,.0f} s",
                hint="Wait for it, run `assay up` once and share it, or choose another --home.",
            )
        polls += 1
        if polls == _SAY_AFTER_POLLS:
            say(f"waiting for another assay on this home{who}…")
        await asyncio.sleep(_POLL_SECONDS)
    return ""


def _try_lock(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


async def _answers(target: str) -> bool:
    from grpc import aio

    if not target:
        return False
    async with aio.insecure_channel(target) as channel:
        try:
            await asyncio.wait_for(channel.channel_ready(), _REACH_SECONDS)
        except TimeoutError:
            return False
    return True


def _write(path: Path, owner: Owner) -> None:
    """Replace the file as a whole, so that nobody reads half of it."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    with state_failures(path):
        try:
            beside.write_text(json.dumps(asdict(owner)), encoding="utf-8")
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
