"""The two ends of a text: what is sampled there, and copies without what is no row."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random
from typing import BinaryIO

from mesh.errors import AssayError
from services.executor.domain.source import ReaderOptions
from services.executor.sources.building import Building
from services.executor.sources.delimited import rejected_rows
from services.executor.sources.delimited.dialect import Dialect, Row, records
from services.executor.sources.delimited.judged import shortened
from services.executor.sources.delimited.layout import Layout, footer_lines
from services.executor.sources.encoding import line_end, line_of

_HEAD_BYTES, _TAIL_BYTES = 1 << 20, 1 << 17
SAMPLE_ROWS = 2_000
_SEED, _PLACES, _SAMPLED_PLACES, _PLACE_BYTES = 42, 500, 16, 1 << 14
_FROM, _TO = 0.1, 0.95  # of a large file: beyond what is sampled at its ends


def head_of(path: Path) -> tuple[str, bool]:
    """The beginning of a text in whole lines, and whether that is all of it."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        sample = file.read(_HEAD_BYTES)
        if not file.read(1):
            return sample, True
    return sample[: sample.rfind("\n") + 1] or sample, False


def sampled_records(text: str, dialect: Dialect, label: str) -> list[Row]:
    """The first records of a text. Raises AssayError(SOURCE_NOT_READABLE)."""
    found: list[Row] = []
    for row in records(text, dialect, label):
        found.append(row)
        if len(found) > SAMPLE_ROWS:
            break
    return found


def tail_of(path: Path, dialect: Dialect) -> list[Row]:
    """The last records of a text; their lines count from the first of them."""
    with path.open("rb") as file:
        file.seek(_tail_start(path))
        text = file.read().decode("utf-8", errors="ignore")
    try:
        return list(records(text[text.find("\n") + 1 :], dialect, ""))[-SAMPLE_ROWS:]
    except AssayError:
        return []  # it begins inside a quoted cell; the pass over the file will tell


def rows_between(path: Path, dialect: Dialect, width: int) -> list[tuple[str, ...]]:
    """Records from places between both ends, the same each time; none in whose line a quote is."""
    size, quote, found = path.stat().st_size, dialect.quote, list[tuple[str, ...]]()
    with path.open("rb") as file:
        for place in sorted(Random(_SEED).sample(range(_PLACES), _SAMPLED_PLACES)):
            file.seek(int(size * (_FROM + (_TO - _FROM) * place / _PLACES)))
            file.readline()
            lines = file.read(_PLACE_BYTES).decode("utf-8", errors="ignore").splitlines()[:-1]
            found += [
                cells
                for line in lines
                if not (quote and quote in line)
                and len(cells := tuple(line.split(dialect.delimiter))) == width
            ]
    return found


def ends_of(
    tail: list[Row], layout: Layout, options: ReaderOptions, *, complete: bool
) -> list[tuple[Row, str]]:
    """The records of a tail that are no rows, with the reason: as told, else as they look."""
    if options.skip_footer is not None:
        last = tail[len(tail) - options.skip_footer :] if options.skip_footer else []
        return [(row, "after the table, as told") for row in last]
    ends = footer_lines(tail, layout, complete=complete)
    if options.raw:  # what has a cell for every column may be a row
        return [(row, reason) for row, reason in ends if len(row.cells) != layout.width]
    return ends


def counted(ends: list[tuple[Row, str]], path: Path) -> list[tuple[Row, str]]:
    """The ends of a tail with their lines counted from the beginning of the file."""
    start = _tail_start(path)
    before = line_of(path, start)  # the tail begins with the line after the one it cuts
    return [(replace(row, line=row.line + before), reason) for row, reason in ends]


def keep_ends(ends: list[tuple[Row, str]], table: str, building: Building) -> None:
    """Keep the lines after the table aside, and tell it."""
    for row, reason in ends:
        rejected_rows.keep_line(
            building, table, row.line, reason, " ".join(filter(None, row.cells))
        )
    (first, reason), several = ends[0], len(ends) > 1
    shown = shortened(next(filter(None, first.cells), ""))
    building.note(
        f"{len(ends)} {'lines' if several else 'line'} after the table "
        f"{'are' if several else 'is'} kept aside, {'first ' if several else ''}line "
        f'{first.line:,} ({reason}): "{shown}"'
    )
    building.decide(
        table,
        "skip_footer",
        str(len(ends)),
        because=f"line {first.line:,} is {reason}",
        certain=False,
    )


def _tail_start(path: Path) -> int:
    return max(0, path.stat().st_size - _TAIL_BYTES)


def without_end(path: Path, lines: int, building: Building) -> Path:
    """A copy without the last lines that are not blank."""
    size = path.stat().st_size
    with path.open("rb") as file:
        start = max(0, size - _TAIL_BYTES)
        file.seek(start)
        end = file.read()
        for _ in range(lines):
            stripped = end.rstrip(b"\r\n\t ")
            end = stripped[: max(stripped.rfind(b"\n"), stripped.rfind(b"\r")) + 1]
        keep = start + len(end)
        target = building.scratch(f"cut-{path.name}")
        file.seek(0)
        with target.open("wb") as copy:
            done = 0
            while done < keep:
                done += os.copy_file_range(file.fileno(), copy.fileno(), keep - done) or keep
    return target


def without_comments(path: Path, layout: Layout, building: Building) -> Path:
    """A copy in which remarks are blank lines, so that lines keep their numbers."""
    marker = layout.comment.encode()
    target = building.scratch(f"plain-{path.name}")
    with path.open("rb") as file, target.open("wb") as copy:
        for number, line in enumerate(file, start=1):
            remark = number >= layout.first_line and line.lstrip().startswith(marker)
            copy.write(line_end(line) if remark else line)
    return target


def without_head(path: Path, dialect: Dialect, layout: Layout, building: Building) -> Path:
    """A copy in which the lines before the rows are blank, so that lines keep their numbers.

    The engine is told how many lines to skip and counts records: a quote there, which may hold
    line breaks or never close, would have it skip rows. The text itself where there is none.
    """
    mark = dialect.quote.encode()
    with path.open("rb") as file:
        skipped = list(islice(_lines(file), layout.first_line - 1))
        if not mark or not any(mark in line for line in skipped):
            return path
        target = building.scratch(f"headless-{path.name}")
        file.seek(sum(map(len, skipped)))
        with target.open("wb") as copy:
            copy.write(line_end(skipped[-1]) * len(skipped))  # breaks within cells may differ
            shutil.copyfileobj(file, copy, 1 << 20)
    return target


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """Lines as editors count them, also where a carriage return alone ends them."""
    for line in file:
        yield from line.splitlines(keepends=True) if b"\r" in line else (line,)
