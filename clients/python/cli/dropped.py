"""Files that are dropped on a terminal where words are expected."""

from __future__ import annotations

import shlex
from pathlib import Path


def dropped_files(line: str) -> tuple[str, ...]:
    """The files whose paths, and nothing else, a line holds: typed, pasted, or dropped on the
    terminal, which quotes spaces; none where it is anything else."""
    try:
        words = shlex.split(line)
    except ValueError:  # an apostrophe of a sentence
        return ()
    paths = [Path(word).expanduser() for word in words]
    return tuple(map(str, paths)) if paths and all(path.is_file() for path in paths) else ()
