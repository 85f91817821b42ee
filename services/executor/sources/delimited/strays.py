"""Rows that are none: lines of delimiters alone, rows that add up others, headings again.

Each becomes a blank line, so that lines keep their numbers; what it held is kept aside.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from services.executor.domain.doubt import Doubt, Use
from services.executor.domain.source import ReaderOptions, Repair
from services.executor.sources.building import Building
from services.executor.sources.delimited import rejected_rows
from services.executor.sources.delimited.dialect import Dialect, Row
from services.executor.sources.delimited.judged import shortened
from services.executor.sources.delimited.layout import Layout
from services.executor.sources.delimited.totals import totals_among
from services.executor.sources.encoding import line_end
from services.executor.sources.settling import settled

_CHUNK = 1 << 20
_LARGE = 1 << 22
_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class _Kind:
    """One kind of rows that are none: the `value` of its repair, and its words."""

    value: str
    code: str
    one: str
    several: str
    reason: str
    weight: float


_BLANK = _Kind(
    "blank",
    "blank-rows",
    "line holds nothing but delimiters",
    "lines hold nothing but delimiters",
    "",
    0.1,
)
_AGAIN = _Kind(
    "headings",
    "headings-again",
    "line repeats the headings",
    "lines repeat the headings",
    "the headings again",
    0.1,
)
_TOTALS = _Kind(
    "totals", "total-rows", "row adds up others", "rows add up others", "a line of totals", 0.2
)


def without_strays(
    path: Path,
    table: str,
    dialect: Dialect,
    layout: Layout,
    rows: Sequence[Row],
    options: ReaderOptions,
    building: Building,
) -> tuple[Path, tuple[int, ...]]:
    """A copy without rows that are none, and their lines; the text itself where there are none.

    `rows` are the first records of the text, or all: totals are told among these.
    """
    if layout.width < 2:
        return path, ()
    data = [
        row
        for row in rows
        if row.line >= layout.first_line and not any("\n" in cell for cell in row.cells)
    ]
    blank = {line: "" for line in _blank_lines(path, dialect, layout.width, layout.first_line)}
    again = {row.line: _text(row) for row in data if _is_heading(row, layout)}
    if again:  # pages have titles too
        again |= {r.line: _text(r) for r in data if _text(r) in layout.preamble}
        again = dict(sorted(again.items()))
    kept = [row for row in data if row.line not in again]
    # Whoever says how many lines come after the table says that the others are rows of it.
    added = totals_among(kept) if options.skip_footer is None else ()
    totals = {row.line: _text(row) for row in added}
    gone: set[int] = set()
    number = len(data) + len(blank)
    for kind, lines in ((_BLANK, blank), (_AGAIN, again), (_TOTALS, totals)):
        if lines and settled(_doubt(kind, table, lines, number), options, building):
            gone |= lines.keys()
            _tell(kind, table, lines, building)
    return (_blanked(path, gone, building), tuple(sorted(gone))) if gone else (path, ())


def _doubt(kind: _Kind, table: str, lines: dict[int, str], rows: int) -> Doubt:
    share = len(lines) / max(rows, len(lines))
    return Doubt(
        code=kind.code,
        table=table,
        rows=len(lines),
        share=share,
        examples=tuple(shortened(text) for text in lines.values() if text)[:_EXAMPLES],
        said=_describe_strays(kind, lines),
        changes="counts, sums and means, if they are rows",
        repairs=(Repair(kind="leave-out", value=kind.value),),
        uses=(Use.ROWS, Use.COMPUTED),
        weight=kind.weight,
        certain=True,
    )


def _describe_strays(kind: _Kind, lines: dict[int, str]) -> str:
    first = min(lines)
    shown = f' ("{shortened(lines[first])}")' if lines[first] else ""
    if len(lines) == 1:
        return f"1 {kind.one}, line {first:,}{shown}"
    return f"{len(lines):,} {kind.several}, first line {first:,}{shown}"


def _tell(kind: _Kind, table: str, lines: dict[int, str], building: Building) -> None:
    building.note(f"{_describe_strays(kind, lines)}: left out")
    for line, text in lines.items() if kind.reason else ():
        rejected_rows.keep_line(building, table, line, kind.reason, text)


def _text(row: Row) -> str:
    return " ".join(cell for cell in row.cells if cell)


def _is_heading(row: Row, layout: Layout) -> bool:
    cells = tuple(cell.strip().casefold() for cell in row.cells)
    return sum(map(bool, cells)) > 1 and cells in layout.heads


def _blank_lines(path: Path, dialect: Dialect, width: int, first_line: int) -> Iterator[int]:
    """The lines from one on, outside of quotes, that hold delimiters and nothing else.

    Of a large file a quick look comes first, for lines of delimiters without blanks between.
    """
    delimiter, quote = dialect.delimiter.encode(), dialect.quote.encode()
    if path.stat().st_size > _LARGE and not _holds(path, b"\n" + delimiter * (width - 1)):
        return
    space = rb"[ \xa0]" if delimiter == b"\t" else rb"[ \t]"
    empty = (
        rb"(?:%b|%b%b)*" % (space, re.escape(quote), re.escape(quote)) if quote else space + b"*"
    )
    pattern = re.compile(rb"^%b(?:%b%b)+\r?$" % (empty, re.escape(delimiter), empty), re.MULTILINE)
    line, within = 1, 0
    for chunk in _chunks(path):
        at = 0
        for match in pattern.finditer(chunk):
            start = match.start()
            line += chunk.count(b"\n", at, start)
            within += chunk.count(quote, at, start) if quote else 0
            at = start
            if line >= first_line and not within % 2:
                yield line
        line += chunk.count(b"\n", at)
        within += chunk.count(quote, at) if quote else 0


def _chunks(path: Path) -> Iterator[bytes]:
    """A text in pieces of whole lines."""
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            yield chunk + file.readline()


def _holds(path: Path, needle: bytes) -> bool:
    """Whether a text has these bytes within a line or at its beginning."""
    return any(needle in chunk or chunk.startswith(needle[1:]) for chunk in _chunks(path))


def _blanked(path: Path, lines: Collection[int], building: Building) -> Path:
    target = building.scratch(f"rows-{path.name}")
    with path.open("rb") as file, target.open("wb") as copy:
        for number, line in enumerate(file, start=1):
            copy.write(line_end(line) if number in lines else line)
    return target
