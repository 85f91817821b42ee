"""Lines that would take others with them: too long for the reader, or with a quote left open.

Each is kept aside, and a blank line stands in its place, so that lines keep their numbers.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Iterator
from pathlib import Path

from mesh.errors import SOURCE_NOT_READABLE, AssayError
from services.executor.sources.building import Building
from services.executor.sources.delimited import rejected_rows
from services.executor.sources.delimited.dialect import Dialect
from services.executor.sources.encoding import line_end

LONGEST_LINE = 4 << 20
_CHUNK = 1 << 20
_KEPT_CHARACTERS = 1_000
_MOST_LINES_OF_A_CELL = 10_000
_LIKE_ROWS = 0.8  # of the lines within a cell, from which on they are rows that it swallowed
_FEWEST_LIKE_ROWS = 2


def without_long_lines(path: Path, table: str, building: Building) -> Path:
    """A copy without lines that no reader takes; the text itself where there are none.

    Raises AssayError(SOURCE_NOT_READABLE) where there are no others.
    """
    longest, others = _longest(path)
    if longest <= LONGEST_LINE:
        return path
    if not others:
        raise AssayError(
            SOURCE_NOT_READABLE,
            f"{building.label} has a line of {longest:,} bytes, and none of less than "
            f"{LONGEST_LINE:,}, which is the most that a row may have.",
            hint="A table as text has a line for each row.",
        )
    target = building.scratch(f"short-{path.name}")
    with path.open("rb") as file, target.open("wb") as copy:
        number = 1
        while line := file.readline(LONGEST_LINE + 1):
            if len(line) <= LONGEST_LINE:
                copy.write(line)
                number += 1
                continue
            rejected_rows.keep_line(building, table, number, "longer than 4 MiB", _beginning(line))
            while line and not line.endswith(b"\n"):
                line = file.readline(LONGEST_LINE)
            copy.write(line_end(line))
            number += 1
    return target


def _longest(path: Path) -> tuple[int, bool]:
    """The bytes of the longest line, and whether there is one that is not too long."""
    longest, line, others = 0, 0, False
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            first = chunk.find(b"\n")
            if first < 0:
                line += len(chunk)
                continue
            longest = max(longest, line + first)
            last = chunk.rfind(b"\n")
            others = others or line + first <= LONGEST_LINE or bool(chunk[first:last].strip())
            line = len(chunk) - last - 1
    return max(longest, line), others or 0 < line <= LONGEST_LINE


def without_open_quotes(
    path: Path, table: str, dialect: Dialect, width: int, first_line: int, building: Building
) -> Path:
    """A copy without lines whose quote does not close, or closes rows later; the text itself where
    there are none. `width` is how many cells a row has."""
    opened = dict(_open_quotes(path, dialect, width, first_line))
    if not opened:
        return path
    for number, line in opened.items():
        rejected_rows.keep_line(
            building, table, number, "a quote that does not close", _beginning(line)
        )
    return _blanked(path, opened, building)


def lines_from(path: Path, first_line: int) -> int:
    """How many lines there are from one on."""
    lines, last = 0, b"\n"
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            lines += chunk.count(b"\n")
            last = chunk[-1:]
    return lines + (last != b"\n") - first_line + 1


def _blanked(path: Path, lines: Collection[int], building: Building) -> Path:
    target = building.scratch(f"closed-{path.name}")
    with path.open("rb") as file, target.open("wb") as copy:
        for number, line in enumerate(file, start=1):
            copy.write(line_end(line) if number in lines else line)
    return target


def _open_quotes(
    path: Path, dialect: Dialect, width: int, first_line: int
) -> Iterator[tuple[int, bytes]]:
    """Numbers and contents of the lines at fault."""
    quote, delimiter = dialect.quote.encode(), dialect.delimiter.encode()
    ends_open = _ending_open(quote, delimiter)
    with path.open("rb") as file:
        lines = enumerate(file, start=1)
        waiting: deque[tuple[int, bytes]] = deque()  # read ahead for a cell that was none
        while True:
            number, line = waiting.popleft() if waiting else next(lines, (0, b""))
            if not number:
                return
            if number < first_line or not line.count(quote) % 2 or not ends_open.match(line):
                continue
            within: list[tuple[int, bytes]] = []
            closed = False
            for following in _chained(waiting, lines):
                within.append(following)
                closed = bool(following[1].count(quote) % 2)
                if closed or len(within) >= _MOST_LINES_OF_A_CELL:
                    break
            if not closed or _are_rows([text for _, text in within[:-1]], delimiter, width):
                yield number, line
                waiting.extendleft(reversed(within))


def _chained(
    waiting: deque[tuple[int, bytes]], lines: Iterator[tuple[int, bytes]]
) -> Iterator[tuple[int, bytes]]:
    while waiting:
        yield waiting.popleft()
    yield from lines


def _ending_open(quote: bytes, delimiter: bytes) -> re.Pattern[bytes]:
    """Matches a line, begun outside of quotes, that ends within them."""
    q, d = re.escape(quote), re.escape(delimiter)
    quoted, plain = (
        rb"%b(?:[^%b]|%b%b)*%b[^%b]*" % (q, q, q, q, q, d),
        rb"[^%b%b][^%b]*" % (q, d, d),
    )
    return re.compile(rb"(?:(?:%b|%b|)%b)*+ *%b(?:[^%b]|%b%b)*$" % (quoted, plain, d, q, q, q, q))


def _are_rows(lines: list[bytes], delimiter: bytes, width: int) -> bool:
    """Whether lines within a cell look like rows of the table."""
    rows = sum(line.count(delimiter) == width - 1 for line in lines)
    return width > 1 and rows >= max(_FEWEST_LIKE_ROWS, _LIKE_ROWS * len(lines))


def _beginning(line: bytes) -> str:
    return line[:_KEPT_CHARACTERS].decode(errors="replace").rstrip("\r\n")
