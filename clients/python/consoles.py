"""Where the console of a home is: its mesh notes the link by which this machine's user signs in."""

from __future__ import annotations

from pathlib import Path

START_FILE = "console"


def start_link(home: Path) -> str:
    """The link that opens the console of the mesh that runs on a home; empty where none does."""
    try:
        return (home / START_FILE).read_text(encoding="utf-8").strip()
    except OSError:
        return ""
