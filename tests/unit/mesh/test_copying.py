"""A copy of a file has its bytes, and takes no more of the disk than the file does."""

from __future__ import annotations

import errno
import hashlib
import os
from pathlib import Path

import pytest

from mesh.storage.backup import back_up, restore
from mesh.storage.copying import copy_file

HOLE = 4 << 20
DATA = b"some data that is no hole " * 400


def with_holes(path: Path, *parts: bytes | int) -> bytes:
    """Write a file of data and of holes, which are numbers of bytes; what it reads as."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        for part in parts:
            if isinstance(part, int):
                file.seek(part, os.SEEK_CUR)
            else:
                file.write(part)
        file.truncate()
        os.fsync(file.fileno())
    return path.read_bytes()


def on_disk(path: Path) -> int:
    return path.stat().st_blocks * 512


def require_holes(folder: Path) -> None:
    content = with_holes(folder / "probe", HOLE)
    if not hasattr(os, "SEEK_DATA") or on_disk(folder / "probe") >= len(content):
        pytest.skip("this file system keeps no holes")


FILES = pytest.mark.parametrize(
    "parts",
    [
        (),
        (DATA,),
        (HOLE,),
        (HOLE, DATA),
        (DATA, HOLE),
        (DATA, HOLE, DATA, HOLE, DATA),
        (b"\0" * HOLE, DATA),
        (b"x" * (3 << 20), HOLE + 1, b"y"),
    ],
    ids=["empty", "data", "hole", "begin", "end", "between", "written zeros", "odd"],
)


@FILES
def test_a_copy_has_the_bytes_and_tells_them(tmp_path: Path, parts: tuple[bytes | int]) -> None:
    content = with_holes(tmp_path / "file", *parts)

    told = copy_file(tmp_path / "file", tmp_path / "to/copy")

    assert told == (len(content), hashlib.sha256(content).hexdigest())
    assert (tmp_path / "to/copy").read_bytes() == content


@FILES
def test_a_copy_takes_no_more_of_the_disk(tmp_path: Path, parts: tuple[bytes | int]) -> None:
    require_holes(tmp_path)
    with_holes(tmp_path / "file", *parts)

    copy_file(tmp_path / "file", tmp_path / "copy")

    # How data are laid out costs a block more or less; a hole that was filled costs four MiB.
    assert on_disk(tmp_path / "copy") < on_disk(tmp_path / "file") + (64 << 10)


def test_a_home_with_holes_is_backed_up_and_restored_with_them(tmp_path: Path) -> None:
    require_holes(tmp_path)
    name = "memory/collection/recipes/segments/0/data.mmap"
    content = with_holes(tmp_path / "home" / name, DATA, 8 * HOLE)

    back_up(tmp_path / "home", tmp_path / "b")
    restore(tmp_path / "b", tmp_path / "again")

    for folder in ("b", "again"):
        assert (tmp_path / folder / name).read_bytes() == content
        assert on_disk(tmp_path / folder / name) < HOLE


@FILES
@pytest.mark.parametrize("lack", ["system", "file system"])
def test_where_holes_cannot_be_asked_for_all_is_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lack: str, parts: tuple[bytes | int]
) -> None:
    content = with_holes(tmp_path / "file", *parts)
    if lack == "system":
        monkeypatch.delattr(os, "SEEK_DATA", raising=False)
    else:

        def without_holes(*_: int) -> int:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))

        monkeypatch.setattr(os, "lseek", without_holes)

    told = copy_file(tmp_path / "file", tmp_path / "copy")

    assert told == (len(content), hashlib.sha256(content).hexdigest())
    assert (tmp_path / "copy").read_bytes() == content
