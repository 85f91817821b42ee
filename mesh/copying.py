"""Durable copies of files and of SQLite databases, with what is needed to recognise them again."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from contextlib import closing
from pathlib import Path

from mesh.state_files import damaged, disk_full

_PIECE = 1 << 20


def copy_database(path: Path, to: Path) -> tuple[int, str]:
    """A database as it was at one moment, whatever is written to it meanwhile, in one file."""
    _folder(to.parent)
    try:
        address = f"{path.absolute().as_uri()}?mode=rw"  # does not make what is not there
        with (
            closing(sqlite3.connect(address, uri=True)) as source,
            closing(sqlite3.connect(to)) as copy,
        ):
            source.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
            (told,) = copy.execute("PRAGMA integrity_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        if not path.exists():
            raise FileNotFoundError(path) from error
        if error.sqlite_errorcode == sqlite3.SQLITE_FULL:
            raise disk_full(to) from error
        raise damaged(path, f"cannot be backed up: {error}") from error
    if told != "ok":
        raise damaged(path, f"is damaged: {told}")
    to.chmod(0o600)
    return synced(to)


def copy_file(path: Path, to: Path) -> tuple[int, str]:
    """Copy a file durably; its bytes as copied and their SHA-256."""
    _folder(to.parent)
    digest, size = hashlib.sha256(), 0
    with path.open("rb") as source:
        mode = os.fstat(source.fileno()).st_mode & 0o700
        with to.open("wb") as copy:
            while piece := source.read(_PIECE):
                digest.update(piece)
                size += copy.write(piece)
            copy.flush()
            os.fsync(copy.fileno())
    to.chmod(mode)
    return size, digest.hexdigest()


def _folder(path: Path) -> None:
    if not path.is_dir():
        _folder(path.parent)
        path.mkdir(mode=0o700)


def synced(path: Path) -> tuple[int, str]:
    """A file's bytes and SHA-256, once it is on the disk."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        os.fsync(file.fileno())
        while piece := file.read(_PIECE):
            digest.update(piece)
    return path.stat().st_size, digest.hexdigest()
