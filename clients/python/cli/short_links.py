"""Short names for an answer's files, so that a path can be read, copied and typed."""

from __future__ import annotations

from pathlib import Path

from clients.python.cli.words import short_id

_STORE, _LINKS = "artifacts", "jobs"


def short_link(path: Path, job_id: str, *, name: str = "") -> Path:
    """A link artifacts/jobs/7c1e7c1e/chart.png to a file that lies under artifacts/charts/….

    The file's own path where it lies elsewhere, where no link can be made, or where another job
    has that name already. `name` is the link's, else it is the file's.
    """
    if len(path.parents) < 3 or path.parents[2].name != _STORE or not path.is_file():
        return path
    link = path.parents[2] / _LINKS / short_id(job_id) / (name or path.name)
    target = Path("..", "..", *path.parts[-3:])  # relative, so that the folder can be moved
    try:
        link.parent.mkdir(parents=True, exist_ok=True)
        if not link.is_symlink():
            link.symlink_to(target)
        return link if link.readlink() == target else path
    except OSError:
        return path
