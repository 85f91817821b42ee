"""Whether the files of a cached source are still as they were written."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

# Damage in what is larger shows in its size when it is used, and in its digest when it is verified.
_HASHED_BYTES = 16 << 20
_DIGEST_NAME = "manifest.sha256"


def marks_of(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """What tells each of these files in a folder from a damaged one: its size and its digest."""
    paths = [folder / name for name in sorted(names)]
    return {path.name: f"{path.stat().st_size} {_digest(path)}" for path in paths}


def is_intact(folder: Path, marks: Mapping[str, str], *, wholly: bool = False) -> bool:
    """Whether every file that was marked is there and fits its mark; `wholly` reads large ones."""
    try:
        return all(_fits(folder / name, mark, wholly) for name, mark in marks.items())
    except OSError:
        return False


def mark_manifest(manifest: Path) -> None:
    """Note the digest of the file that holds the marks of all others, beside it."""
    manifest.with_name(_DIGEST_NAME).write_text(_digest(manifest), encoding="ascii")


def fits_its_digest(manifest: Path) -> bool:
    """Whether that file is as it was noted; older versions noted nothing. Raises OSError."""
    noted = manifest.with_name(_DIGEST_NAME)
    return not noted.exists() or noted.read_bytes() == _digest(manifest).encode()


def _fits(path: Path, mark: str, wholly: bool) -> bool:
    size, _, digest = mark.partition(" ")
    found = path.stat().st_size
    if str(found) != size:
        return False
    return not digest or (found > _HASHED_BYTES and not wholly) or _digest(path) == digest


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
