"""Durable copies of files and of SQLite databases, with what is needed to recognise them again."""

from __future__ import annotations

import errno
import hashlib
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import BinaryIO

from mesh.storage.state_files import damaged, disk_full

_PIECE = 1 << 20
_ZEROS = bytes(_PIECE)


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
            (value,) = copy.execute("PRAGMA integrity_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        if not path.exists():
            raise FileNotFoundError(path) from error
        if error.sqlite_errorcode == sqlite3.SQLITE_FULL:
            raise disk_full(to) from error
        raise damaged(path, f"cannot be backed up: {error}") from error
    if value != "ok":
        raise damaged(path, f"is damaged: {value}")
    to.chmod(0o600)
    return synced(to)


def copy_file(path: Path, to: Path) -> tuple[int, str]:
    """Copy a file durably, its holes as holes; its bytes as copied and their SHA-256.

    Memory's files are made of holes that are filled as it learns: full they take 32 MiB each.
    """
    _folder(to.parent)
    with path.open("rb", buffering=0) as source:
        mode = os.fstat(source.fileno()).st_mode & 0o700
        with to.open("wb") as copy:
            copied = _copy_stretches(source, copy)
            os.fsync(copy.fileno())
    to.chmod(mode)
    return copied


def _copy_stretches(source: BinaryIO, copy: BinaryIO) -> tuple[int, str]:
    """Copy the bytes that are there now: what is added meanwhile belongs to no copy."""
    digest, at, size = hashlib.sha256(), 0, os.fstat(source.fileno()).st_size
    while at < size:
        begin, end = _next_data(source, at, size)
        for zero in range(at, begin, _PIECE):
            digest.update(_ZEROS[: begin - zero])
        source.seek(begin)
        copy.seek(begin)
        at = begin
        while at < end and (piece := source.read(min(_PIECE, end - at))):
            digest.update(piece)
            at += copy.write(piece)
        if at < end:  # it became shorter meanwhile
            break
    copy.truncate(at)
    return at, digest.hexdigest()


def _next_data(source: BinaryIO, at: int, size: int) -> tuple[int, int]:
    """Where the next stretch of data begins and ends: `size` twice where only a hole follows.

    All that is left is one where the system, or the file's own file system, tells of no holes.
    """
    if not hasattr(os, "SEEK_DATA"):
        return at, size
    try:
        begin = os.lseek(source.fileno(), at, os.SEEK_DATA)
        end = os.lseek(source.fileno(), begin, os.SEEK_HOLE)
    except OSError as error:
        return (size, size) if error.errno == errno.ENXIO else (at, size)
    return min(begin, size), min(end, size)


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
