"""Start the mesh of a home in the background, handing it the home's lock."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Collection
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from clients.python.background.choosing import in_background
from clients.python.background.fingerprint import fingerprint
from clients.python.background.using import USERS, Users
from clients.python.owning import lock_file, try_lock
from mesh.errors import SERVICE_UNAVAILABLE, AssayError
from mesh.storage.state_files import state_failures

OUTPUT = "mesh.log"
"""What a mesh in the background prints, which is little: its own log is <home>/assay.log."""

_MOST_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class Starting:
    """A mesh that was started. `line` is the socket by which it tells that it is ready."""

    home: Path
    pid: int
    line: socket.socket

    async def ready(self) -> str:
        """Its gRPC target. Raises the AssayError that it failed to start with."""
        from mesh.processes.lifeline import parse_ready_line

        try:
            with self.line:
                return str((await parse_ready_line(self.line, "the mesh"))["target"])
        except AssayError as error:
            if error.reason is not SERVICE_UNAVAILABLE or error.hint:
                raise
            where = self.home / OUTPUT
            raise AssayError(
                error.reason, error.message, hint=f"What it said last is in {where}."
            ) from error


def start(home: Path, lock: IO[str], soon: Collection[str] = ()) -> Starting:
    """Start the mesh of `home`, whose `lock` this process holds; the new one has it from now on.

    The lock is of the open file, which both processes have: at no moment can another take it.
    It is another session's process, so that Ctrl-C and the end of a terminal do not reach it.
    Raises AssayError(DISK_FULL).
    """
    ours, theirs = socket.socketpair()
    with theirs, state_failures(home / OUTPUT), _output(home / OUTPUT) as output:
        command = [
            *(sys.executable, "-P", "-m", str(__package__), str(home)),
            *(str(lock.fileno()), str(theirs.fileno()), fingerprint(), ",".join(soon)),
        ]
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=home,
            start_new_session=True,
            pass_fds=(lock.fileno(), theirs.fileno()),
        )
    process.returncode = 0  # it outlives this one, which is no news when both end
    return Starting(home, process.pid, ours)


def _output(path: Path) -> IO[bytes]:
    size = path.stat().st_size if path.exists() else 0
    descriptor = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
    if size > _MOST_BYTES:
        os.truncate(descriptor, 0)
    return os.fdopen(descriptor, "ab")


_BEGUN: dict[Path, tuple[Starting, ExitStack]] = {}


def begin(home: Path, soon: Collection[str] = ()) -> None:
    """Start the mesh of `home` where none runs and one should, before it is asked for.

    What a command imports for itself then takes no time of its own. Whatever stands in the way is
    told when the mesh is asked for.
    """
    try:
        if not in_background():
            return
        with ExitStack() as stack:
            users = Users(stack.enter_context(lock_file(home, USERS)))
            with lock_file(home) as lock:
                if try_lock(lock) and users.join():
                    _BEGUN[home] = start(home, lock, soon), stack.pop_all()
    except AssayError:
        return


def begun(home: Path) -> tuple[Starting, ExitStack] | None:
    """What `begin` started for this home, once; closing the stack says that it is used no more."""
    return _BEGUN.pop(home, None)
