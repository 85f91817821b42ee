"""Where a mesh keeps its state: one folder."""

from __future__ import annotations

import os
from pathlib import Path


def home_folder(explicit: str | Path | None = None) -> Path:
    """Where state lives: `explicit`, else ASSAY_HOME, else the platform's own place for data."""
    chosen = explicit or os.environ.get("ASSAY_HOME")
    if chosen:
        return Path(chosen).expanduser().resolve()
    from platformdirs import user_data_path

    return user_data_path("assay")
