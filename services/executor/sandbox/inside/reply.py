"""How a run's outcome is laid out in its reply: a length, a header, a frame, figures.

    4 bytes   length of the header, little endian
    header    JSON: error or null, bytes of the frame, bytes of each figure, notes
    frame     an Arrow stream, where there is one
    figures   PNG, one after the other

A reply written by foreign code is as foreign as the code. It is read here, inside, by a process
made for that, which writes it anew; only what that process wrote is read outside.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
from dataclasses import dataclass, field
from typing import Any

MAX_HEADER_BYTES = 1 << 18
MAX_FIGURES = 20

_LENGTH = struct.Struct("<I")


class BadReply(Exception):
    """The bytes are no reply."""


@dataclass(frozen=True)
class Failure:
    """Why the code gave no result: the exception's type and message, and the line it came from.

    `line` counts from 1; 0 where there is none. `key` is what a KeyError missed.
    """

    type: str
    message: str
    line: int = 0
    source: str = ""
    key: str = ""


@dataclass(frozen=True)
class Reply:
    """What a run gave: a failure, or a frame as an Arrow stream and figures as PNG."""

    failure: Failure | None = None
    frame: bytes | memoryview = b""
    figures: tuple[bytes, ...] = ()
    notes: tuple[str, ...] = field(default=())


def write(reply: Reply, file: int) -> None:
    """Replace what is in the file. Raises OSError where it would become too large."""
    header = json.dumps(
        {
            "failure": vars(reply.failure) if reply.failure else None,
            "frame": len(reply.frame),
            "figures": [len(figure) for figure in reply.figures],
            "notes": list(reply.notes),
        }
    ).encode()
    os.ftruncate(file, 0)
    os.lseek(file, 0, os.SEEK_SET)
    for part in (_LENGTH.pack(len(header)), header, reply.frame, *reply.figures):
        _write_all(file, part)


def read(file: int, limit: int) -> Reply | None:
    """The reply in the file, its frame still mapped from it; None where nothing was written.

    Raises BadReply for anything that is not laid out as above or larger than `limit` bytes.
    """
    size = os.fstat(file).st_size
    if size == 0:
        return None
    if not _LENGTH.size < size <= limit:
        raise BadReply(f"it has {size:,} bytes, and may have {limit:,}")
    content = memoryview(mmap.mmap(file, size, access=mmap.ACCESS_READ))
    (length,) = _LENGTH.unpack_from(content)
    if length > min(MAX_HEADER_BYTES, size - _LENGTH.size):
        raise BadReply("its header is too long")
    start = _LENGTH.size + length
    try:
        header = json.loads(bytes(content[_LENGTH.size : start]))
        return _of(header, content[start:])
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise BadReply(f"its header is malformed ({type(error).__name__})") from error


def _of(header: dict[str, Any], rest: memoryview) -> Reply:
    sizes = [header["frame"], *header["figures"]]
    if len(sizes) > 1 + MAX_FIGURES or any(type(size) is not int or size < 0 for size in sizes):
        raise ValueError("sizes")
    if sum(sizes) != len(rest):
        raise ValueError("total size")
    parts, place = [], 0
    for size in sizes:
        parts.append(rest[place : place + size])
        place += size
    notes = header["notes"]
    if type(notes) is not list or len(notes) > 100 or any(type(note) is not str for note in notes):
        raise ValueError("notes")
    return Reply(
        failure=_failure(header["failure"]),
        frame=parts[0],
        figures=tuple(map(bytes, parts[1:])),
        notes=tuple(note[:500] for note in notes),
    )


def _failure(given: dict[str, Any] | None) -> Failure | None:
    if given is None:
        return None
    texts = {name: given[name] for name in ("type", "message", "source", "key")}
    if any(type(text) is not str for text in texts.values()) or type(given["line"]) is not int:
        raise ValueError("failure")
    return Failure(line=given["line"], **{name: text[:2000] for name, text in texts.items()})


def _write_all(file: int, part: bytes | memoryview) -> None:
    rest = memoryview(part)
    while rest:
        rest = rest[os.write(file, rest) :]
