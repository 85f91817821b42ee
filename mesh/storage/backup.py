"""Copies of a home folder, taken while a mesh works on it or not, and homes made of them.

What refers comes before what it refers to, so that nothing in the copy names what is not there:
first sessions and jobs, then files, frames and artifacts, then who holds which of these (a lease
without a thing does no harm, a thing without a lease is never collected), then memory, checkpoints,
and last the log, which then holds all that any of them say was logged. What is released meanwhile
stays for an hour of grace (ASSAY_EXECUTOR_GRACE_SECONDS): a copy that takes longer may lack it.

Databases are copied by SQLite's own backup, which sees one transaction's end; the log and all
content are only ever added to. The recall's folder is copied until nothing changed meanwhile.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from mesh.clock import Clock, SystemClock
from mesh.errors import INVALID_ARGUMENT, NOT_FOUND, SERVICE_UNAVAILABLE, AssayError
from mesh.storage import copying
from mesh.storage.files import building_folder, sync_folder
from mesh.storage.state_files import damaged, state_failures

MANIFEST = "backup.json"
VERSION = 1
_TRIES = 10
_LONGEST_NAME = 255
_MOST_SHOWN = 80
_NO_OTHER = "assay backup writes plain files alone: use the backup as it was written."
RECALL = "memory"

# Beginnings of paths below the home, in the order in which they are copied; "" is all the rest.
ORDER = (
    "gateway/",
    "planner/",
    "",
    "executor/executor.sqlite",
    f"{RECALL}/",
    "audit/checkpoints/",
    "audit/log/",
)
# What is built again, belongs to the process that runs, or only tells of what it did.
LEFT_OUT = (
    "mesh.lock",
    "mesh.json",
    "mesh.log",
    "mesh.sock",
    "mesh.users",
    "executor.sock",
    "traces/",
    "executor/cache/",
    "executor/sending/",
    "executor/fetched/",
    "executor/sources/",
    "audit/log/cache/",
    "audit/log/lock",
)
_OF_DISKS = "lost+found"
_BESIDE_DATABASES = ("-wal", "-shm", "-journal")


@dataclass(frozen=True)
class Copied:
    """What a backup holds: each file's bytes and SHA-256, by its path below the home."""

    made_at: str
    files: dict[str, tuple[int, str]] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(size for size, _ in self.files.values())


def back_up(home: Path, to: Path, clock: Clock | None = None) -> Copied:
    """Copy what a home folder holds into the new folder `to`; nothing is left where that fails.

    Whoever has the copy has the keys of the log, the mesh and the passwords of databases: it is
    readable by this user alone. Blocks. Raises AssayError: NOT_FOUND without a home,
    INVALID_ARGUMENT where `to` exists or lies in the home, DISK_FULL, STATE_DAMAGED for a file that
    cannot be copied whole, SERVICE_UNAVAILABLE while memory is never at rest.
    """
    if not home.is_dir():
        raise AssayError(NOT_FOUND, f"there is no home folder {home} to back up")
    _require_new(to, home)
    moment = (clock or SystemClock()).now().isoformat(timespec="seconds")
    copied = Copied(moment)
    with state_failures(to), building_folder(to.parent) as building:
        building.chmod(0o700)
        for number, start in enumerate(ORDER):
            chosen = _chooser(number)
            if start == f"{RECALL}/":
                _copy_at_rest(home, building, chosen, copied)
            else:
                _copy_all(home, building, chosen, copied)
        _write_manifest(building, copied)
        building.rename(to)
        sync_folder(to.parent)
    return copied


def restore(backup: Path, home: Path) -> Copied:
    """Make a home folder of a backup, after all of it was found as it was written.

    Blocks. Raises AssayError: NOT_FOUND for a folder that is no whole backup, STATE_DAMAGED naming
    the first file that is missing, other than it was, no plain file or outside of the backup,
    INVALID_ARGUMENT where the home holds something, DISK_FULL.
    """
    copied = read_manifest(backup)
    if home.exists() and {each.name for each in home.iterdir()} - {_OF_DISKS}:
        raise AssayError(
            INVALID_ARGUMENT,
            f"the home folder {home} is not empty",
            hint="Move it away, or name another with --home: nothing is overwritten.",
        )
    # Where the home is a disk of its own, it cannot be replaced, only filled.
    there = home.exists()
    with state_failures(home), building_folder(home if there else home.parent) as building:
        building.chmod(0o700)
        for name, (size, digest) in copied.files.items():
            try:
                found = copying.copy_file(_plain_file(backup, name), building / name)
            except FileNotFoundError:
                raise damaged(backup / name, "is not in the backup any more") from None
            if found != (size, digest):
                raise damaged(backup / name, "is not what was backed up", "Use another backup.")
        if there:
            for each in sorted(building.iterdir()):
                each.rename(home / each.name)
            sync_folder(home)
        else:
            building.rename(home)
            sync_folder(home.parent)
    return copied


def read_manifest(backup: Path) -> Copied:
    """What a backup says it holds. Raises AssayError: NOT_FOUND, STATE_DAMAGED."""
    path = backup / MANIFEST
    try:
        value = json.loads(_plain_file(backup, MANIFEST).read_text(encoding="utf-8"))
        if value["version"] != VERSION:
            raise damaged(path, f"is of version {value['version']!r}; this Assay reads {VERSION}")
        files = {str(name): (int(size), str(of)) for name, (size, of) in value["files"].items()}
        copied = Copied(str(value["made_at"]), files)
    except FileNotFoundError:
        raise AssayError(
            NOT_FOUND, f"{backup} is no backup: it has no {MANIFEST}, which is written last"
        ) from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise damaged(path, "is damaged") from error
    for name in copied.files:
        if not _may_be_of_a_home(name):
            raise damaged(path, f"names {name[:_MOST_SHOWN]!r}, which is no file of a home")
    return copied


def _may_be_of_a_home(name: str) -> bool:
    """Whether a path names a file below a folder, whatever lies there."""
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or ".." in parts or "\0" in name:
        return False
    try:
        return all(len(part.encode()) <= _LONGEST_NAME for part in parts)
    except UnicodeEncodeError:  # half of a surrogate pair, which JSON can hold
        return False


def _plain_file(backup: Path, name: str) -> Path:
    """A file of a backup, to be read: a pipe would be waited for, and a link could lead to any
    file of this machine. Raises AssayError(STATE_DAMAGED), FileNotFoundError."""
    path = backup / name
    try:
        place = path.resolve(strict=True)
    except RuntimeError as error:  # what pathlib calls links in a ring before Python 3.13
        raise damaged(path, "is a link that leads to itself", _NO_OTHER) from error
    if not place.is_relative_to(backup.resolve()):
        raise damaged(path, "leads out of the backup", _NO_OTHER)
    if not place.is_file():
        raise damaged(path, "is no file", _NO_OTHER)
    return place


def _require_new(to: Path, home: Path) -> None:
    if to.exists():
        raise AssayError(
            INVALID_ARGUMENT, f"{to} exists already", hint="A backup is a new folder each time."
        )
    if to.resolve().is_relative_to(home.resolve()):
        raise AssayError(
            INVALID_ARGUMENT,
            f"{to} lies in the home folder",
            hint="Choose a place outside of it, best on another disk.",
        )


def _chooser(number: int) -> Callable[[str], bool]:
    """Whether a path belongs to a step of the order: to the longest beginning that it has."""

    def chosen(name: str) -> bool:
        mine = max((each for each in ORDER if name.startswith(each)), key=len)
        return mine == ORDER[number]

    return chosen


def _names(home: Path, chosen: Callable[[str], bool]) -> Iterator[str]:
    """Paths of files below the home that are to be copied, sorted."""
    for folder, folders, files in os.walk(home, onerror=_refuse, followlinks=True):
        here = Path(folder).relative_to(home)
        folders[:] = sorted(
            each for each in folders if not _left_out(f"{(here / each).as_posix()}/")
        )
        for each in sorted(files):
            name = (here / each).as_posix()
            if chosen(name) and not _left_out(name) and (home / name).is_file():
                yield name


def _refuse(error: OSError) -> None:
    """A folder that cannot be read is no empty one."""
    raise error


def _left_out(name: str) -> bool:
    last = name.rstrip("/").rpartition("/")[2]
    return (
        name.startswith((*LEFT_OUT, f"{_OF_DISKS}/"))
        or last.startswith(".building-")
        or (last.endswith((".log", ".sock")) and "/" not in name)
        or last.endswith(tuple(f".sqlite{end}" for end in _BESIDE_DATABASES))
    )


def _copy_all(home: Path, to: Path, chosen: Callable[[str], bool], copied: Copied) -> None:
    for name in _names(home, chosen):
        with suppress(FileNotFoundError):  # collected meanwhile: nobody needs it
            if name.endswith(".sqlite"):
                copied.files[name] = copying.copy_database(home / name, to / name)
            else:
                copied.files[name] = copying.copy_file(home / name, to / name)


def _copy_at_rest(home: Path, to: Path, chosen: Callable[[str], bool], copied: Copied) -> None:
    """Copy files that are changed in place, once nothing changed while they were copied."""
    for _ in range(_TRIES):
        before = _state(home, chosen)
        found = Copied(copied.made_at)
        _copy_all(home, to, chosen, found)
        if _state(home, chosen) == before and set(found.files) == set(before):
            copied.files.update(found.files)
            return
        for name in found.files:
            (to / name).unlink()
    raise AssayError(
        SERVICE_UNAVAILABLE,
        f"{home / RECALL} was written to whenever it was copied",
        hint="Back up at a quieter time, or stop the mesh for it.",
    )


def _state(home: Path, chosen: Callable[[str], bool]) -> dict[str, tuple[int, int, int]]:
    found = {}
    for name in _names(home, chosen):
        with suppress(FileNotFoundError):
            stat_result = (home / name).stat()
            found[name] = (stat_result.st_ino, stat_result.st_size, stat_result.st_mtime_ns)
    return found


def _write_manifest(folder: Path, copied: Copied) -> None:
    values = {"version": VERSION, "made_at": copied.made_at, "files": copied.files}
    path = folder / MANIFEST
    path.write_text(json.dumps(values, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    path.chmod(0o600)
    copying.synced(path)
