"""Files that are there in full or not at all, and what killed builders leave."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mesh.storage.files import building_file, building_folder, put_in_place, sweep, write_durably


def test_what_is_written_is_there_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "new" / "record"
    write_durably(path, b"old")
    write_durably(path, b"new")
    assert path.read_bytes() == b"new"
    assert list(path.parent.iterdir()) == [path]


def test_a_builder_that_fails_leaves_nothing_and_the_old_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "record"
    write_durably(path, b"old")
    with pytest.raises(ValueError, match="halfway"), building_file(tmp_path) as (file, _):
        file.write(b"ne")
        raise ValueError("halfway")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_sweep_leaves_what_is_being_built_and_what_was_built(tmp_path: Path) -> None:
    with building_file(tmp_path / "a") as (file, building), building_folder(tmp_path) as folder:
        (folder / "part").write_bytes(b"part")
        file.write(b"content")
        assert sweep(tmp_path) == 0
        put_in_place(file, building, tmp_path / "a" / "file", "file")
        folder.rename(tmp_path / "b")
    assert sweep(tmp_path) == 0
    assert (tmp_path / "a" / "file").read_bytes() == b"content"
    assert (tmp_path / "b" / "part").read_bytes() == b"part"


def test_a_sweep_removes_what_a_killed_builder_left(tmp_path: Path) -> None:
    write_durably(tmp_path / "a" / "done", b"done")
    program = f"""
import os, pathlib, signal
from mesh.storage.files import building_folder, write_durably
with building_folder(pathlib.Path({str(tmp_path)!r})) as folder:
    (folder / "part").write_bytes(b"part")
    write_durably(pathlib.Path({str(tmp_path / "a" / "never")!r}), b"never")
"""
    killed = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "ASSAY_FAILPOINT": "file, synced"},
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    assert len(list(tmp_path.rglob(".building-*"))) == 2
    assert sweep(tmp_path) == 2
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["done"]
