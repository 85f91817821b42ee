"""Copies of a text that the engine can read: lines that end in one way, no blanks before quotes."""

from __future__ import annotations

import csv
from pathlib import Path

from services.executor.sources.building import Building
from services.executor.sources.delimited.dialect import Dialect, reader_of

_CHUNK = 1 << 22


def evened(path: Path, dialect: Dialect, building: Building) -> Path:
    """The text itself, or a copy with the same lines where the engine would stumble."""
    if dialect.blanks:
        return _without_blanks(path, dialect, building)
    if not _ends_differ(path, dialect):
        return path
    target = building.scratch(f"evened-{path.name}")
    with path.open("rb") as source, target.open("wb") as copy:
        for line in source:
            copy.write(line[:-2] + b"\n" if line.endswith(b"\r\n") else line)
    building.note("its lines end in two ways; read as one")
    return target


def _ends_differ(path: Path, dialect: Dialect) -> bool:
    """Whether some records end with a line feed alone and others with a carriage return before it;
    breaks inside quoted cells may be of either kind."""
    with path.open("rb") as file:
        counts = [0, 0]
        last = b""
        while chunk := file.read(_CHUNK):
            counts[0] += chunk.count(b"\n")
            counts[1] += chunk.count(b"\r\n") + (last == b"\r" and chunk[:1] == b"\n")
            last = chunk[-1:]
    if not 0 < counts[1] < counts[0]:
        return False
    mark, inside, seen = dialect.quote.encode(), False, set[bool]()
    with path.open("rb") as file:
        for line in file:
            if mark and line.count(mark) % 2:
                inside = not inside
            if not inside:
                seen.add(line.endswith(b"\r\n"))
                if len(seen) > 1:
                    return True
    return False


def _without_blanks(path: Path, dialect: Dialect, building: Building) -> Path:
    target = building.scratch(f"evened-{path.name}")
    with (
        path.open(encoding="utf-8-sig", newline="") as source,
        target.open("w", encoding="utf-8", newline="") as copy,
    ):
        writer = csv.writer(
            copy, delimiter=dialect.delimiter, quotechar=dialect.quote, lineterminator="\n"
        )
        for cells in reader_of(source, dialect):
            writer.writerow(cells)  # an empty line stays one
    return target
