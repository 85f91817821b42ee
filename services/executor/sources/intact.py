"""Whether the files of a cached source are still as they were written."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

# Damage in what is larger shows in its size, or when it is queried.
_HASHED_BYTES = 16 << 20


def marks_of(folder: Path) -> dict[str, str]:
    """What tells each file in a folder from a damaged one: its size, and its digest if small."""
    return {path.name: _mark(path) for path in sorted(folder.iterdir()) if path.is_file()}


def is_intact(folder: Path, marks: Mapping[str, str]) -> bool:
    """Whether every file that was marked is there and fits its mark."""
    try:
        return all(_mark(folder / name) == mark for name, mark in marks.items())
    except OSError:
        return False


def _mark(path: Path) -> str:
    size = path.stat().st_size
    if size > _HASHED_BYTES:
        return str(size)
    with path.open("rb") as file:
        return f"{size} {hashlib.file_digest(file, 'sha256').hexdigest()}"
