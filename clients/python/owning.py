"""Who owns a home folder: an OS lock, which the kernel lets go when its holder dies, in any way.

The owner holds <home>/mesh.lock. <home>/mesh.json says who that is and where it listens; it is a
hint only, believed while the lock is held and, for attaching, when the target answers.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import IO, Literal

from mesh.errors import HOME_BUSY, INVALID_ARGUMENT, AssayError
from mesh.storage.state_files import damaged, full_in, state_failures

OwnerKind = Literal["up", "ask", "mcp", "background"]
SHARED = ("up", "mcp", "background")
"""Owners that stay, and let others use their mesh meanwhile."""

LOCK, RECORD = "mesh.lock", "mesh.json"
REACH_SECONDS = 1.0
_NO_LOCKS_HERE = (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS)
# What a client of HTTP/2 says first, with a frame of no settings (RFC 9113, 3.4 and 6.5).
_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes.fromhex("000000040000000000")
_CREDENTIALS = struct.Struct("3i")


@dataclass(frozen=True, slots=True)
class Owner:
    """Who runs the mesh of a home folder. `target` is empty while the mesh is starting.

    `made_of` is the fingerprint of its code and settings; `host` the machine that it runs on;
    `began` when it was started, in seconds since 1970; and it ends after `idle_seconds` without
    use, where that is not 0.
    """

    pid: int
    kind: OwnerKind
    target: str = ""
    made_of: str = ""
    host: str = ""
    began: float = 0.0
    idle_seconds: float = 0.0


def read_owner(home: Path) -> Owner | None:
    """Who says to own the home; None when nobody does or the file cannot be read as that."""
    known = {field.name for field in fields(Owner)}
    try:
        record = json.loads((home / RECORD).read_text(encoding="utf-8"))
        owner = Owner(**{name: value for name, value in record.items() if name in known})
        return owner if isinstance(owner.pid, int) and isinstance(owner.target, str) else None
    except (OSError, ValueError, AttributeError, TypeError):
        return None


def write_owner(home: Path, owner: Owner) -> None:
    """Replace the record as a whole, so that nobody reads half of it. Raises AssayError."""
    path = home / RECORD
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    with state_failures(path):
        try:
            beside.write_text(json.dumps(asdict(owner)), encoding="utf-8")
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)


def forget_owner(home: Path) -> None:
    """Take the record away, where that can be: it is a hint only."""
    with suppress(OSError):
        (home / RECORD).unlink(missing_ok=True)


@contextmanager
def lock_file(home: Path, name: str = LOCK) -> Iterator[IO[str]]:
    """A file of the home that is there to be locked, open; closing it lets the lock go.

    Raises AssayError: INVALID_ARGUMENT for a home that cannot be a folder, DISK_FULL,
    STATE_DAMAGED.
    """
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = (home / name).open("a", encoding="utf-8")
    except OSError as error:
        if (full := full_in(error)) is not None:
            raise full from error
        # The folder is this user's own, so that its file is to blame.
        if os.access(home, os.W_OK | os.X_OK) and home.is_dir():
            raise _unusable(error, home / name) from error
        raise AssayError(
            INVALID_ARGUMENT,
            f"the home folder {home} cannot be used: {error.strerror}",
            hint="Choose another with --home or ASSAY_HOME.",
        ) from error
    with file:
        yield file


def _unusable(error: OSError, path: Path) -> AssayError:
    """The lock's file cannot be opened, though the home is a folder."""
    return damaged(
        path,
        f"cannot be used: {(error.strerror or 'it failed').lower()}",
        "Remove it if it is no plain file, let this user write it, or choose another home folder "
        "with --home or ASSAY_HOME. Nothing is kept in it.",
    )


def try_lock(file: IO[str], *, shared: bool = False) -> bool:
    """Take the lock if that needs no waiting; whether it was taken.

    Raises AssayError(INVALID_ARGUMENT) where the folder's file system has no locks.
    """
    try:
        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in _NO_LOCKS_HERE:
            raise
        raise AssayError(
            INVALID_ARGUMENT,
            f"{file.name} cannot be locked: its file system has no locks ({error.strerror})",
            hint="Keep the home on a disk of this machine: --home or ASSAY_HOME.",
        ) from error
    return True


def let_go(file: IO[str]) -> None:
    """Give a lock back."""
    fcntl.flock(file, fcntl.LOCK_UN)


def elsewhere(owner: Owner, home: Path) -> AssayError | None:
    """The error where the owner works on another machine, which shares this disk."""
    if owner.host in ("", socket.gethostname()):
        return None
    return AssayError(
        HOME_BUSY,
        f"assay on {owner.host} (pid {owner.pid} there) uses the home {home}",
        hint="Stop it there, or keep a home on a disk of this machine: --home or ASSAY_HOME.",
    )


def answering(target: str) -> int:
    """The pid of who serves the socket at `target`, a gRPC target; 0 where nobody does.

    Only this user's own process counts, and one that answers the first words of HTTP/2 within a
    second: one that was stopped, or hangs, does not.
    """
    if not target.startswith("unix:"):
        return 0
    with socket.socket(socket.AF_UNIX) as speaking:
        speaking.settimeout(REACH_SECONDS)
        try:
            speaking.connect(target.removeprefix("unix:"))
            data = speaking.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
            pid, user, _ = _CREDENTIALS.unpack(data)
            if user != os.getuid():
                return 0
            speaking.sendall(_PREFACE)
            return int(pid) if speaking.recv(1) else 0
        except OSError:
            return 0
