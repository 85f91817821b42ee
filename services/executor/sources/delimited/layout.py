"""Where the table is in a text: what comes before it, its header, what follows it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from services.executor.domain.source import ReaderOptions
from services.executor.sources.delimited.dialect import Row
from services.executor.sources.delimited.headings import (
    Headings,
    find_declared_levels,
    find_headings,
    value_columns,
)
from services.executor.sources.delimited.plain import looks_like_value
from services.executor.sources.delimited.units import find_declared_units, units_row

_MOST_PREAMBLE = 100
_TOTAL = re.compile(
    r"(grand |sub)?totals?\b|sum\b|summe\b|gesamt\b|insgesamt\b|gesamtsumme\b|total général\b"
    r"|totaal\b|totale\b|suma\b|all\s+rows\b",
    re.IGNORECASE,
)
_REMARK = re.compile(
    r"\s*(?:\*|©|†|[¹²³]|\(?\d\)\s|(?:data )?sources?\b\s*:|notes?\b\s*[:.]|quelle|hinweis"
    r"|anm(?:erkung)?\b|stand\s*:|fuentes?\b\s*:|nota\b\s*:|remarks?\b\s*:"
    r"|as of |last updated|generated )",
    re.IGNORECASE,
)
_LINE_BREAK = re.compile(r"\r\n|\r|\n")
_MARKERS = ("#", "//", "%", "--")


@dataclass(frozen=True, slots=True)
class Layout:
    """The place of a table. Lines count from 1 as in an editor.

    `names` are as written, empty without a header; `line` is where the table begins, `first_line`
    that of the first data row, `preamble` the texts before the header. Headings in several lines
    are `headings`, of which names are made unless that is undone (`joined`); `heads` are the cells
    of each without regard to case. `units` are those of the columns where a line below the names
    holds them. `ghost` says that every row ends with a delimiter, which would make one more column;
    `row_names` that the header has one name less than rows have cells.
    """

    names: tuple[str, ...]
    width: int
    line: int
    first_line: int
    header: bool
    units: tuple[str, ...] = ()
    preamble: tuple[str, ...] = ()
    comment: str = ""
    ghost: bool = False
    row_names: bool = False
    headings: Headings | None = None
    joined: bool = False
    heads: tuple[tuple[str, ...], ...] = ()


def find_layout(rows: Sequence[Row], options: ReaderOptions) -> Layout:
    """The layout of sampled records, of which there is at least one."""
    marker = comment_marker(rows, options)
    body = [row for row in rows if not _is_comment(row, marker)]
    if not body:
        body, marker = list(rows), ""
    width = modal_width(body)
    start = _start(body, width, options)
    headings = find_headings(body, start, width, options)
    joined = headings is not None and (not options.raw or find_declared_levels(options) is not None)
    top, last = (headings.first, headings.last) if headings and joined else (start, start)
    before = [row for row in rows if row.line < body[top].line]
    first, data = body[last], body[last + 1 :]
    hashed = _hashed_header(before, marker, width) if marker else None
    if hashed is not None:
        before = [row for row in before if row.line < hashed.line]
        header, first, data, headings, joined = True, hashed, body[top:], None, False
    elif joined:
        header = True
    elif options.header is not None:
        header = options.header
    else:
        header = is_header(first, data)
    line = body[top].line if joined else first.line
    cells = headings.names if headings and joined else first.cells
    heads = (*body[top:last], first) if header else ()
    units = _units(data, options) if header else ()
    if units:
        first, data = data[0], data[1:]
        heads = (*heads, first)
    ghost = row_names = False
    if header and data and len(cells) == width - 1:
        ends = [row.cells[-1] for row in data if len(row.cells) == width]
        ghost = not any(cell.strip() for cell in ends)
        row_names = not ghost
    return Layout(
        names=cells if header else (),
        width=width if not header or data else len(cells),
        line=line,
        first_line=_next_line(first) if header else first.line,
        header=header,
        units=units,
        preamble=tuple(" ".join(cell for cell in row.cells if cell) for row in before),
        comment=marker,
        ghost=ghost,
        row_names=row_names,
        headings=headings,
        joined=joined,
        heads=tuple(tuple(cell.strip().casefold() for cell in row.cells) for row in heads),
    )


def comment_marker(rows: Sequence[Row], options: ReaderOptions) -> str:
    """What begins lines that are remarks: a marker whose lines never look like rows."""
    if options.comment is not None:
        return options.comment
    width = modal_width(rows)
    for marker in _MARKERS:
        marked = [row for row in rows if row.cells[0].lstrip().startswith(marker)]
        others = len(rows) - len(marked)
        if not marked or others == 0:
            continue
        leads = marked[0] is rows[0] and marker == "#"
        if len(marked) <= others and (leads or all(len(row.cells) != width for row in marked)):
            return marker if width > 1 or leads else ""
    return ""


def is_header(first: Row, data: Sequence[Row]) -> bool:
    """Names are not numbers or dates, except years beside at least one word.

    Where all is text, a first row whose cells come again below is a row like any other.
    """
    cells = [cell.strip() for cell in first.cells]
    values = [cell for cell in cells if looks_like_value(cell)]
    if values:
        words = [cell for cell in cells if cell and cell not in values]
        years = all(re.fullmatch(r"(19|20)\d\d", cell) for cell in values)
        return bool(words) and years and len(set(values)) == len(values) > 1
    below = [row.cells for row in data if len(row.cells) == len(cells)]
    numbers = value_columns(data, len(cells))
    if numbers:  # names above numbers, which may come again on every page
        below = [row for row in below if row != first.cells]
    if len(below) < 3 or len(cells) < 2:
        return True
    again = sum(
        1
        for position, cell in enumerate(cells)
        if cell and position not in numbers
        if sum(1 for row in below if row[position].strip() == cell) > 0
    )
    return again < len(cells) / 2


def footer_lines(rows: Sequence[Row], layout: Layout, *, complete: bool) -> list[tuple[Row, str]]:
    """Records at the end of a file that are no rows of its table, with the reason.

    `complete` says that the records are all there are after the header.
    """
    found: list[tuple[Row, str]] = []
    data = [row for row in rows if not complete or row.line >= layout.first_line]
    values = value_columns(data, layout.width)
    if other := _another_table(data, layout):
        return [(row, "another table below") for row in other]
    for row in reversed(data[-20:]):
        filled = [cell for cell in row.cells if cell.strip()]
        first = next(iter(filled), "")
        if len(row.cells) == layout.width and layout.width > 1:
            if (_TOTAL.match(first.strip()) and not _usual(first, data)) and len(filled) > 1:
                found.append((row, "a line of totals"))
                continue
            alone = len(filled) == 1 and row.cells[0] == first
            of_values = 0 in values and _is_word(first)
            long = layout.width > 3 and len(first) > 20
            if alone and (_REMARK.match(first) or of_values or long):
                found.append((row, "a remark after the table"))
                continue
            break
        if len(row.cells) < layout.width and len(row.cells) <= 2 and _is_word(first):
            found.append((row, "a remark after the table"))
            continue
        break
    return found[::-1] if len(found) < len(data) else []


def _is_word(text: str) -> bool:
    return bool(re.search(r"[^\W\d]{2}", text)) and not looks_like_value(text.strip())


def _another_table(data: Sequence[Row], layout: Layout) -> list[Row]:
    """The records from one on that comes after an empty line and has a word over each column of
    values, as names have."""
    for place in range(len(data) - 1, 1, -1):
        row, above = data[place], data[place - 1]
        gap = row.line > _next_line(above)
        if gap and len(row.cells) == layout.width:
            values = value_columns(data[:place], layout.width)
            cells = [row.cells[column].strip() for column in values]
            if len(cells) > 1 and all(cells) and not any(map(looks_like_value, cells)):
                return list(data[place:])
    return []


def _usual(first: str, data: Sequence[Row]) -> bool:
    """Whether a word like Total also stands inside the table, so that it is a name there."""
    return sum(1 for row in data if row.cells and row.cells[0].strip() == first.strip()) > 1


def modal_width(rows: Sequence[Row]) -> int:
    """The commonest number of cells, weighted so that wide rows beat a few remarks."""
    counts = Counter(len(row.cells) for row in rows)
    first = len(rows[0].cells)
    return max(
        counts,
        key=lambda width: (counts[width] * (1.0 if width > 1 else 0.5), width == first, width),
    )


def _start(body: Sequence[Row], width: int, options: ReaderOptions) -> int:
    """The position of the header, or of the first row where there is none."""
    if options.skip_lines is not None:
        return next(
            (i for i, row in enumerate(body) if row.line > options.skip_lines), len(body) - 1
        )
    if width < 2:
        return 0
    for position, row in enumerate(body[:_MOST_PREAMBLE]):
        filled = sum(1 for cell in row.cells if cell.strip())
        after = body[position + 1 : position + 3]
        even = all(len(other.cells) == width for other in after[:1]) or not after
        if len(row.cells) == width and (filled > max(1, width // 3) or position == 0 == width % 9):
            return position
        short_header = len(row.cells) == width - 1 and filled == width - 1 and filled > 1
        if short_header and even:
            return position
    return 0


def _is_comment(row: Row, marker: str) -> bool:
    return bool(marker) and row.cells[0].lstrip().startswith(marker)


def _hashed_header(before: Sequence[Row], marker: str, width: int) -> Row | None:
    """The names, where they stand in the last remark before the rows."""
    if not before or width < 2 or not _is_comment(before[-1], marker):
        return None
    last = before[-1]
    if len(last.cells) != width:
        return None
    cells = (last.cells[0].lstrip().removeprefix(marker).lstrip(), *last.cells[1:])
    return Row(last.line, cells)


def _units(data: Sequence[Row], options: ReaderOptions) -> tuple[str, ...]:
    """The units in the line below the names: as told, else as they look."""
    if not data or options.units_row is False:
        return ()
    return find_declared_units(data[0]) if options.units_row else units_row(data[0], data[1:])


def _next_line(first: Row) -> int:
    """The line after a header; blank lines may come between."""
    return first.line + 1 + sum(len(_LINE_BREAK.findall(cell)) for cell in first.cells)
