"""The files of a job, made comparable with those of another that was asked the same."""

from __future__ import annotations

import re
from pathlib import Path

AWAY = "Memory was away: planned without recalling earlier analyses."
_FLAGS = (
    f"## Caveats\n\n- {AWAY}\n\n",
    f"<section>\n<h2>Caveats</h2>\n<ul>\n<li>{AWAY}</li>\n</ul>\n</section>\n",
)
_IMAGE = re.compile(r"data:image/png;base64,[\w+/=]+")
_VOLATILE = re.compile(
    r"\b[0-9a-f]{32}\b|\b[0-9a-f]{8}\b|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC|[\d,]+ ms\b"
)


def comparable_files(home: Path, job_id: str) -> dict[str, bytes]:
    """Every file of a job by kind and name, without the ids and times that reports hold.

    Where memory was away, or slow on a busy machine, a report says so and is right all the same.
    """
    return {
        f"{path.parent.parent.name}/{path.name}": _comparable(path)
        for path in sorted((home / "artifacts").glob(f"*/{job_id}/*"))
    }


def _comparable(path: Path) -> bytes:
    if path.suffix not in (".md", ".html"):
        return path.read_bytes()
    text = _IMAGE.sub("IMAGE", path.read_text())
    for flag in _FLAGS:
        text = text.replace(flag, "")
    return _VOLATILE.sub("…", text).encode()
