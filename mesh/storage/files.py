"""Files that are there in full or not at all: built beside their place, made durable, renamed.

What is being built has a name of its own and is locked by its builder. A builder that was killed
leaves it behind unlocked, which is how `sweep` tells it from one that is at work.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from mesh.processes.failpoint import failpoint

_PREFIX = ".building-"


def write_durably(path: Path, content: bytes, name: str = "file") -> None:
    """Replace `path` with `content`; when this returns it survives a power cut.

    Folders are made as needed, readable by their owner alone. `name` is what failpoints call it.
    Raises OSError.
    """
    with building_file(path.parent) as (file, building):
        file.write(content)
        put_in_place(file, building, path, name)


@contextmanager
def building_file(folder: Path) -> Iterator[tuple[BinaryIO, Path]]:
    """An empty file in `folder`, for `put_in_place`; gone after the block unless it was put.

    Folders are made as needed, and all of it is readable by its owner alone. Raises OSError.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    while True:
        descriptor, name = tempfile.mkstemp(prefix=_PREFIX, dir=folder)
        building = Path(name)
        if _locked(descriptor, building):
            break
        os.close(descriptor)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file, building
    finally:
        building.unlink(missing_ok=True)


def put_in_place(file: BinaryIO, building: Path, path: Path, name: str) -> None:
    """Make a built file durable under its own name, in the same folder. Raises OSError."""
    file.flush()
    failpoint(f"{name}, unsynced")
    os.fsync(file.fileno())
    failpoint(f"{name}, synced")
    building.replace(path)
    failpoint(f"{name}, renamed")
    sync_folder(path.parent)


@contextmanager
def building_folder(parent: Path) -> Iterator[Path]:
    """An empty folder below `parent`; gone after the block unless it was renamed.

    Raises OSError.
    """
    parent.mkdir(parents=True, exist_ok=True)
    while True:
        building = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
        descriptor = os.open(building, os.O_RDONLY)
        if _locked(descriptor, building):
            break
        os.close(descriptor)
    try:
        yield building
    finally:
        shutil.rmtree(building, ignore_errors=True)
        os.close(descriptor)


def sweep(root: Path) -> int:
    """Remove what killed builders left anywhere below `root`; returns how many things that were.

    Those that are at work, in this process or another, are not disturbed.
    """
    removed = 0
    for folder, folders, files in os.walk(root):
        begun = [name for name in (*folders, *files) if name.startswith(_PREFIX)]
        removed += sum(_abandoned(Path(folder) / name) for name in begun)
        folders[:] = [name for name in folders if not name.startswith(_PREFIX)]
    return removed


def _locked(descriptor: int, building: Path) -> bool:
    """Take the builder's lock; False when a sweep was faster and the thing is gone."""
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        return os.path.samestat(os.fstat(descriptor), building.stat())
    except FileNotFoundError:
        return False


def _abandoned(building: Path) -> bool:
    """Remove a thing that nobody builds; whether it was one."""
    try:
        descriptor = os.open(building, os.O_RDONLY)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if building.is_dir():
            shutil.rmtree(building)
        else:
            building.unlink()
    except (BlockingIOError, FileNotFoundError):
        return False
    finally:
        os.close(descriptor)
    return True


def sync_folder(folder: Path) -> None:
    """Make a rename durable: the folder's own entry list has to reach the disk too."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def folder_size(folder: Path) -> tuple[int, int]:
    """How many files are anywhere below a folder, and their bytes; what goes meanwhile is left out.

    Blocks. Nothing for a folder that is not there.
    """
    files = size = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                size += (Path(place) / name).lstat().st_size
            except OSError:
                continue
            files += 1
    return files, size
