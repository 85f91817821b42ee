"""The line that a file of JSON Lines breaks off in: whoever wrote or fetched it was stopped."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

from services.executor.sources.encoding import line_of

REASON = "it breaks off before its end"
_LONGEST = 4 << 20  # of the last two lines together; whose rows are longer is refused
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)


class CutOff(NamedTuple):
    """The number of the line, from 1, what is left of it, and a copy of the text without it."""

    line: int
    content: str
    path: Path


def cut_off(path: Path, copy: Path) -> CutOff | None:
    """The last line, where nothing ends it, its object is not closed, and the line before is an
    object; None where the text is otherwise, broken or not. `copy` is where the rest is written."""
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(0, size - _LONGEST))
        before, _, last = file.read().rpartition(b"\n")
    whole = before.rstrip().rpartition(b"\n")[2].strip()
    if not (_is_open(last) and whole.startswith(b"{") and _is_object(whole)):
        return None
    place = size - len(last)
    with path.open("rb") as file, copy.open("wb") as rest:
        while place > rest.tell():
            rest.write(file.read(min(_LONGEST, place - rest.tell())))
    return CutOff(line_of(path, place), last.decode(errors="replace"), copy)


def _is_open(line: bytes) -> bool:
    """Whether an object begins that is not closed, brackets within texts aside."""
    rest = _STRING.sub(b"", line.strip())
    closed = rest.count(b"}") + rest.count(b"]") >= rest.count(b"{") + rest.count(b"[")
    return rest.startswith(b"{") and (b'"' in rest or not closed)


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False
