"""What is stored of a source that was read, told by its digest."""

from __future__ import annotations

import os
import re
from pathlib import Path

from services.executor.sources.intact import fits_its_digest, is_intact
from services.executor.sources.manifest import Manifest
from services.executor.sources.sealing import seal_of_folder

_DIGEST = re.compile(r"[0-9a-f]{64}")


def stored_seal(folder: Path, digest: str) -> str:
    """The seal of what was read of a source, from every row of it; empty where nothing is here.

    Raises duckdb.Error for what cannot be read.
    """
    place = folder / digest
    manifest = manifest_of(place) if _DIGEST.fullmatch(digest) else None
    return seal_of_folder(place, manifest) if manifest is not None else ""


def stored_as_written(folder: Path, digest: str) -> bool:
    """Whether what was read of a source, if anything is here, is as it was written, every byte."""
    place = folder / digest
    if not _DIGEST.fullmatch(digest) or not os.path.lexists(place):
        return True
    return manifest_of(place, wholly=True) is not None


def manifest_of(place: Path, *, wholly: bool = False) -> Manifest | None:
    """What a folder says of itself; None where there is none, or not as it was written."""
    try:
        if not fits_its_digest(place / "manifest.json"):
            return None
        manifest = Manifest.model_validate_json((place / "manifest.json").read_bytes())
    except (OSError, ValueError):
        return None
    return manifest if is_intact(place, manifest.files, wholly=wholly) else None
