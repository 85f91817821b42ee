"""Which job each frame of a text is of: said at its head, or by the frame's name.

    ---
    frames:
      sales: 1a2b3c4d
    ---

A name of `f` and eight or more digits of a job's id is that job's, wherever it is not said.
"""

from __future__ import annotations

import re
from typing import Any

_FRONT = re.compile(r"\A---[ \t]*\n(?P<yaml>.*?)^---[ \t]*(?:\n|\Z)", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r"[^\W\d]\w*")
_OF_JOB = re.compile(r"\{[^{}|\n]*\|[^{}\n]*\}")
_ITS_NAME = re.compile(r"(?<![\w.\"])f(?P<job>[0-9a-f]{8,32})(?!\w)")
_SHORT = re.compile(r"(?<![\w.\"])f[1-9][0-9]{0,5}(?!\w)")


def front_of(source: str) -> tuple[int, int]:
    """First and last character of the front matter; twice nothing where there is none."""
    found = _FRONT.match(source)
    return found.span() if found else (0, 0)


def frame_name(job_id: str) -> str:
    """The name by which a text may cite a job's table without saying which job it is."""
    return f"f{job_id[:8]}"


def frames_named(source: str) -> dict[str, str]:
    """Jobs, by as much of their ids as is said, by the names that a text gives to their tables.

    Raises ValueError, in words for people, for front matter that says it in no such way.
    """
    front = _FRONT.match(source)
    texts = _parse_front_matter(front["yaml"]) if front else {}
    cited = "\n".join(_OF_JOB.findall(source))
    implied = {f"f{found['job']}": found["job"] for found in _ITS_NAME.finditer(cited)}
    return {**implied, **texts}


def is_short_name(name: str) -> bool:
    """Whether a name is one that a session gives to a frame: "f3"."""
    return _SHORT.fullmatch(name) is not None


def short_names(source: str) -> list[str]:
    """Names of frames that a text cites as its session numbers them: "f3"."""
    cited = "\n".join(_OF_JOB.findall(source))
    return list(dict.fromkeys(_SHORT.findall(cited)))


def _parse_front_matter(front: str) -> dict[str, str]:
    import yaml

    try:
        value: Any = yaml.safe_load(front) or {}
    except yaml.YAMLError as error:
        raise ValueError(f"the lines between --- are no YAML: {error}") from error
    frames = value.get("frames") if isinstance(value, dict) else None
    if frames is None:
        return {}
    if not isinstance(frames, dict):
        raise ValueError("`frames` lists names with jobs, as in `f7: 1a2b3c4d`")
    wrong = next((name for name in frames if not _NAME.fullmatch(str(name))), None)
    if wrong is not None:
        raise ValueError(f"{wrong!r} is no name of a frame: letters, digits and _, a letter first")
    return {str(name): str(job) for name, job in frames.items()}
