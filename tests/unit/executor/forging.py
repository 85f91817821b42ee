"""Somebody who changes rows that were read, and all that lies beside them."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import duckdb

from services.executor.sources import intact


def forged(folder: Path, name: str, change: str) -> None:
    """Change the rows of a stored file, and with them all marks and digests that lie beside it."""
    place = folder / name
    if name.endswith(".parquet"):
        moved = place.rename(folder / "moved")
        changed = f"SELECT * REPLACE ({change}) FROM read_parquet('{moved}')"
        duckdb.execute(f"COPY ({changed}) TO '{place}' (FORMAT parquet)")
        moved.unlink()
    else:
        with duckdb.connect(str(place)) as connection:
            connection.execute(change)
    manifest = json.loads((folder / "manifest.json").read_text())
    digest = hashlib.sha256(place.read_bytes()).hexdigest()
    manifest["files"][name] = f"{place.stat().st_size} {digest}"
    (folder / "manifest.json").write_text(json.dumps(manifest))
    intact.mark_manifest(folder / "manifest.json")
