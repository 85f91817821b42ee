"""What is stored of a source that was read, told by its digest."""

from __future__ import annotations

import os
import re
from pathlib import Path

from services.executor.sources.intact import fits_its_digest, is_intact
from services.executor.sources.manifest import Manifest
from services.executor.sources.sealing import seal_of_folder

_DIGEST = re.compile(r"[0-9a-f]{64}")


PART = "-part-"
"""Between a digest and a name of its own in the folder of what was read in part."""


def fits_seal(folder: Path, digest: str, seal: str) -> bool:
    """Whether what was read of a source has this seal, from every row of it; so has what is not
    here. The seal of what was read in part ends with the name of the part.

    Raises duckdb.Error for what cannot be read.
    """
    _, part, name = seal.partition(PART)
    place = folder / f"{digest}{part}{name}"
    manifest = manifest_of(place) if place in _places(folder, digest) else None
    return manifest is None or seal_of_folder(place, manifest) + part + name == seal


def stored_as_written(folder: Path, digest: str) -> bool:
    """Whether what was read of a source, if anything is here, is as it was written, every byte."""
    return all(manifest_of(place, wholly=True) is not None for place in _places(folder, digest))


def _places(folder: Path, digest: str) -> list[Path]:
    """The folders in which something of a source lies."""
    if not _DIGEST.fullmatch(digest):
        return []
    whole = [folder / digest] if os.path.lexists(folder / digest) else []
    return [*whole, *sorted(folder.glob(f"{digest}{PART}*"))]


def manifest_of(place: Path, *, wholly: bool = False) -> Manifest | None:
    """What a folder says of itself; None where there is none, or not as it was written."""
    try:
        if not fits_its_digest(place / "manifest.json"):
            return None
        manifest = Manifest.model_validate_json((place / "manifest.json").read_bytes())
    except (OSError, ValueError):
        return None
    return manifest if is_intact(place, manifest.files, wholly=wholly) else None
