"""How deep a JSON text is and how many names it has, found before it is parsed.

The engine's time grows with the square of both: 3,000 arrays in one another keep it for minutes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from mesh.errors import RESOURCE_EXHAUSTED, AssayError
from services.executor.sources.limits import ReadingLimits

LONGEST_TEXT = 64 << 20
_CHUNK = 1 << 20
# Texts name their members early; who hides more names behind these is held by the limits on time
# and memory.
_NAMED_BYTES = 32 << 20
_STRING = re.compile(rb'"([^"\\]*+(?:\\.[^"\\]*+)*+)"(\s*+:)?', re.DOTALL)


def check_shape(path: Path, label: str, limits: ReadingLimits) -> None:
    """Raise AssayError(RESOURCE_EXHAUSTED) for a text that is deeper or has more names."""
    if (longest := _longest_text(path)) > LONGEST_TEXT:
        raise AssayError(
            RESOURCE_EXHAUSTED,
            f"{label} has a text of {longest:,} bytes or more; {LONGEST_TEXT:,} is the most.",
            hint="Leave that member out, or keep what it holds in a file of its own.",
        )
    if _deeper(path, limits.depth):
        raise AssayError(
            RESOURCE_EXHAUSTED,
            f"{label} has objects or arrays more than {limits.depth:,} deep in one another.",
            hint="Write the values you ask about into flat objects; the limit is "
            "ASSAY_EXECUTOR_JSON_DEPTH.",
            metadata={"limit": "ASSAY_EXECUTOR_JSON_DEPTH"},
        )
    if _more_names(path, limits.columns):
        raise AssayError(
            RESOURCE_EXHAUSTED,
            f"{label} has more than {limits.columns:,} different names of members, which would be "
            "columns.",
            hint='Write names that are values as values, as in {"id": …, "value": …}; the limit '
            "is ASSAY_EXECUTOR_COLUMNS.",
            metadata={"limit": "ASSAY_EXECUTOR_COLUMNS"},
        )


def _longest_text(path: Path) -> int:
    """The bytes between the two quotes that are farthest apart, of a text or between two."""
    longest, since = 0, 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            first = chunk.find(b'"')
            if first < 0:
                since += len(chunk)
                if since > LONGEST_TEXT:
                    return since
                continue
            longest = max(longest, since + first)
            since = len(chunk) - chunk.rfind(b'"') - 1
    return longest


def _deeper(path: Path, most: int) -> bool:
    """Whether brackets outside strings are ever more than `most` deep."""
    import numpy as np

    step = np.zeros(256, dtype=np.int8)
    step[[ord("["), ord("{")]] = 1
    step[[ord("]"), ord("}")]] = -1
    depth, inside = 0, False
    with path.open("rb") as file:
        for chunk in _without_escapes(file):
            data = np.frombuffer(chunk, dtype=np.uint8)
            within = np.logical_xor.accumulate(np.concatenate(([inside], data == ord('"'))))[1:]
            steps = step[data]
            steps[within] = 0
            depths = np.cumsum(steps, dtype=np.int64) + depth
            if int(depths.max()) > most:
                return True
            depth, inside = int(depths[-1]), bool(within[-1])
    return False


def _without_escapes(file: BinaryIO) -> Iterator[bytes]:
    """The text in pieces, in which no quote is escaped."""
    while chunk := file.read(_CHUNK):
        while chunk.endswith(b"\\") and (more := file.read(1)):
            chunk += more
        yield chunk.replace(rb"\\", b"  ").replace(rb"\"", b"  ")


def _more_names(path: Path, most: int) -> bool:
    """Whether there are more than `most` different names, in the beginning of a large text."""
    with path.open("rb") as file:
        text = file.read(_NAMED_BYTES)
    names: set[bytes] = set()
    for match in _STRING.finditer(text):
        if match.group(2):
            names.add(match.group(1))
            if len(names) > most:
                return True
    return False
