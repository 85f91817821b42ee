"""What serves a home, and stopping it."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from clients.python.background.fingerprint import fingerprint
from clients.python.background.using import USERS
from clients.python.owning import Owner, answering, elsewhere, lock_file, read_owner, try_lock
from mesh.errors import HOME_BUSY, SERVICE_UNAVAILABLE, AssayError

_POLL_SECONDS = 0.05
_STARTING_POLLS = 20


@dataclass(frozen=True, slots=True)
class Standing:
    """The owner of a home, as it stands: whether its mesh answers, whether a command here would
    use it as it is, how long ago one came, and how much memory its processes take."""

    owner: Owner
    answers: bool
    fits: bool
    unused_seconds: float
    processes: int
    memory_bytes: int


async def standing(home: Path) -> Standing | None:
    """Who owns `home`; None where nobody does. Raises AssayError as `lock_file` does."""
    owner = await _owner(home)
    if owner is None:
        return None
    there = elsewhere(owner, home) is not None
    pids = [] if there else list(_family(owner.pid))
    return Standing(
        owner,
        not there and bool(answering(owner.target)),
        owner.kind != "background" or owner.made_of == fingerprint(),
        _unused(home),
        len(pids),
        sum(map(_memory, pids)),
    )


async def stop(home: Path, seconds: float) -> Owner | None:
    """End the mesh that serves `home`, and wait until it has; None where none does.

    What it was doing goes on with the next one. Raises AssayError: HOME_BUSY for a command that has
    a mesh of its own, which ends with it, and for an owner on another machine; SERVICE_UNAVAILABLE
    for one that does not end within `seconds`.
    """
    owner = await _owner(home)
    if owner is None:
        return None
    if (there := elsewhere(owner, home)) is not None:
        raise there
    if owner.kind not in ("background", "up"):
        raise AssayError(
            HOME_BUSY,
            f"the command of pid {owner.pid} uses this home by itself",
            hint="It ends by itself, or by Ctrl-C where it runs.",
        )
    pid = answering(owner.target) or owner.pid  # who holds the lock, and wrote its pid beside it
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGTERM)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if _free(home) or read_owner(home) not in (None, owner):  # a command started another
            return owner
        await asyncio.sleep(_POLL_SECONDS)
    raise AssayError(
        SERVICE_UNAVAILABLE,
        f"the mesh of {home} (pid {pid}) did not end in {seconds:,.0f} s",
        hint=f"kill -9 {pid} ends it; nothing is lost by that.",
    )


async def _owner(home: Path) -> Owner | None:
    """The owner's record while the lock is held, once it is written."""
    if not home.is_dir():
        return None
    for _ in range(_STARTING_POLLS):
        if _free(home):
            return None
        if (owner := read_owner(home)) is not None:
            return owner
        await asyncio.sleep(_POLL_SECONDS)
    return None


def _free(home: Path) -> bool:
    with lock_file(home) as lock:
        return try_lock(lock)


def _unused(home: Path) -> float:
    try:
        return max(0.0, time.time() - (home / USERS).stat().st_mtime)
    except OSError:
        return 0.0


def _family(pid: int) -> Iterator[int]:
    """A process and all below it; proc(5)."""
    yield pid
    for listing in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            for child in listing.read_text().split():
                yield from _family(int(child))


def _memory(pid: int) -> int:
    """What a process takes, of pages that it shares its part (PSS); proc(5)."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0
