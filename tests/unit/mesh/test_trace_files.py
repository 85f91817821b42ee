"""Traces are kept as long as the settings say, and no longer."""

from __future__ import annotations

import os
from pathlib import Path

from mesh.trace_files import DAY_SECONDS, remove_old

NOW = 2_000_000_000.0


def trace(folder: Path, number: int, days_old: float) -> Path:
    path = folder / f"{number:032x}.jsonl"
    path.write_text("{}\n")
    os.utime(path, (NOW - days_old * DAY_SECONDS,) * 2)
    return path


def test_old_traces_go_once_a_day_and_nothing_else_does(tmp_path: Path) -> None:
    old, young = trace(tmp_path, 1, 31), trace(tmp_path, 2, 29)
    other = tmp_path / "notes.txt"
    other.write_text("mine")
    os.utime(other, (0, 0))
    assert remove_old(tmp_path, 30, NOW) == 1
    assert not old.exists()
    assert young.exists()
    assert other.exists()

    late = trace(tmp_path, 3, 31)
    os.utime(tmp_path / ".swept", (NOW, NOW))
    assert remove_old(tmp_path, 30, NOW + DAY_SECONDS / 2) == 0
    assert remove_old(tmp_path, 30, NOW + DAY_SECONDS) == 1
    assert not late.exists()
