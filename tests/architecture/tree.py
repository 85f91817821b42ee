"""The repository as these tests see it: what git tracks or would track."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GENERATED = ("gen/", "requirements/")
IGNORED = {".git", ".venv", ".assay", "__pycache__", "build", "dist"}


@cache
def files() -> tuple[Path, ...]:
    """Every file of the project, relative to its root; generated ones too."""
    if shutil.which("git") and (ROOT / ".git").exists():
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        names = [Path(name) for name in listed.split("\0") if name]
    else:
        names = [
            path.relative_to(ROOT)
            for path in ROOT.rglob("*")
            if path.is_file() and not IGNORED.intersection(path.relative_to(ROOT).parts)
        ]
    return tuple(sorted(name for name in names if (ROOT / name).is_file()))


def written(*suffixes: str) -> tuple[Path, ...]:
    """Files that people write, with one of the suffixes; all of them where none is named."""
    return tuple(
        path
        for path in files()
        if not path.as_posix().startswith(GENERATED) and (not suffixes or path.suffix in suffixes)
    )


def text(path: Path) -> str:
    """The file's text; empty for a file that is not text."""
    content = (ROOT / path).read_bytes()
    return "" if b"\0" in content else content.decode("utf-8")
