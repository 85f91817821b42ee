"""Headings in several lines: groups above names, as merged cells leave them, and words below.

Groups are joined with the names below them ("2024 Q1"). A second line under names that tell the
columns apart is kept as what is said of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from services.executor.domain.source import ReaderOptions
from services.executor.sources.delimited.dialect import Row
from services.executor.sources.delimited.plain import MISSING, looks_like_value
from services.executor.sources.delimited.units import units_row

_MOST_LEVELS = 4
_MOST_BEFORE = 30
_LOOKED_AT = 200
_MOSTLY = 0.6
_PERIOD = re.compile(
    r"(?i)(?:.* )?(?:(?:19|20)\d\d(?:[-/]\d{2,4})?|[QHST][1-4]|KW ?\d+|W\d+"
    r"|(?:jan|feb|mar|mär|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez)[a-zäé]*\.?(?: \d{2,4})?)"
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_KEY = re.compile(r"\{\s*'?\"?ImportId'?\"?\s*:.*\}")


@dataclass(frozen=True, slots=True)
class Headings:
    """The records, from `first` to `last`, that name the columns: as one name each, and for some
    columns in `remarks` what else is said of them."""

    first: int
    last: int
    names: tuple[str, ...]
    remarks: tuple[str, ...] = ()

    @property
    def levels(self) -> int:
        """In how many lines they stand."""
        return self.last - self.first + 1


def find_declared_levels(options: ReaderOptions) -> int | None:
    """In how many lines the names are said to stand."""
    texts = [r.value for r in options.repairs if r.kind == "headings" and r.value in "1234"]
    return int(texts[-1]) if texts and texts[-1] else None


def find_headings(
    body: Sequence[Row], start: int, width: int, options: ReaderOptions
) -> Headings | None:
    """The headings around the record that looks like the first of them, where there are several."""
    if width < 2 or options.header is False:
        return None
    number = find_declared_levels(options)
    if number is not None:
        return _read_declared(body, start, width, number) if number > 1 else None
    begins, start = start, _fullest(body, start, width)
    values = value_columns(body[start + 1 :], width)
    last = _lowest(body, start, width, values)
    first, names = last, _cells(body[last], width)
    top = 0 if options.skip_lines is None else start
    while first > top and last - first < _MOST_LEVELS - 1 and _adjacent(body, first):
        upper = _cells(body[first - 1], width)
        if not _groups(upper, names, body[first - 1]):
            break
        first, names = first - 1, joined(upper, names)
    if first == last == begins:
        return _explained(body, start, width, values)
    return Headings(first, last, names)


def joined(upper: Sequence[str], lower: Sequence[str]) -> tuple[str, ...]:
    """One name a column: a group goes before each of the names below it that need one."""
    repeated = _repeated(lower)
    names, group = [], ""
    for above, below in zip(upper, lower, strict=True):
        group = above or group
        spreads = below.casefold() in repeated if repeated else _is_period(below)
        over = above or (group if spreads else "")
        names.append(" ".join(dict.fromkeys(filter(None, (over, below)))))
    return tuple(names)


def _read_declared(body: Sequence[Row], start: int, width: int, levels: int) -> Headings:
    last = min(start + levels, len(body)) - 1
    names = _cells(body[last], width)
    for row in reversed(body[start:last]):
        names = joined(_cells(row, width), names)
    return Headings(start, last, names)


def _fullest(body: Sequence[Row], start: int, width: int) -> int:
    """The position of names for all columns below lines that have cells for a few: such as
    "Created;2024-05-01;;"."""
    if all(_cells(body[start], width)):
        return start
    for place in range(start + 1, min(start + _MOST_BEFORE, len(body) - 1)):
        row = _cells(body[place], width)
        if all(row) and len(body[place].cells) == width:
            values = value_columns(body[place + 1 :], width)
            return place if values and _are_words(row, values) else start
    return start


def _lowest(body: Sequence[Row], start: int, width: int, values: Sequence[int]) -> int:
    """The position of the last record that names columns, at or behind `start`."""
    last = start
    for place in range(start + 1, min(start + _MOST_LEVELS, len(body))):
        row, upper = _cells(body[place], width), _cells(body[last], width)
        if len(body[place].cells) != width or not _adjacent(body, place):
            break
        below = body[place + 1 :]
        if not _are_words(row, values) or _come_again(row, below, width):
            break
        if units_row(body[place], below):
            break
        if not _groups(upper, row, body[last]):
            break
        last = place
    return last


def _groups(upper: Sequence[str], lower: Sequence[str], row: Row) -> bool:
    """Whether a line holds groups of the names below it: these need it to be told apart."""
    filled = [place for place, cell in enumerate(upper) if cell]
    values = [cell for cell in upper if looks_like_value(cell) and not _YEAR.fullmatch(cell)]
    spans = len(filled) < len(upper) or _repeated(upper)
    if not filled or values or not spans or (filled == [0] and len(row.cells) > 1):
        return False
    names = joined(upper, lower)
    if len({name.casefold() for name in names if name}) < sum(map(bool, names)):
        return False
    if len(set(names)) > len(set(map(str, lower))):
        return True
    periods = sum(map(_is_period, lower))
    return periods > 1 and (not upper[0] or upper[0] == lower[0]) and len(filled) < len(upper)


def _explained(
    body: Sequence[Row], start: int, width: int, values: Sequence[int]
) -> Headings | None:
    """Names that tell the columns apart, and below them words over columns of numbers."""
    place = start + 1
    if place >= len(body) - 1 or len(values) < 2 or not _adjacent(body, place):
        return None
    names, row = _cells(body[start], width), _cells(body[place], width)
    words = [row[column].casefold() for column in values]
    if not all(names) or _repeated(names) or not all(words) or len(set(words)) < len(words):
        return None
    below = body[place + 1 :]
    if not _are_words(row, values) or _come_again(row, below, width):
        return None
    if units_row(body[place], below):
        return None
    if len(body) > place + 2 and _are_keys(body[place + 1], width):
        place += 1
    return Headings(start, place, names, row)


def _are_keys(row: Row, width: int) -> bool:
    """Whether a line holds what a survey's program calls its questions: {"ImportId":"QID1"}."""
    return len(row.cells) == width and all(_KEY.fullmatch(cell.strip()) for cell in row.cells)


def value_columns(rows: Sequence[Row], width: int) -> list[int]:
    """The columns that hold numbers or dates, but for few of their cells."""
    even = [row.cells for row in rows[:_LOOKED_AT] if len(row.cells) == width]
    found = []
    for column in range(width):
        cells = [cell for row in even if (cell := row[column].strip()) and cell not in MISSING]
        values = sum(map(looks_like_value, cells))
        if values > 1 and values >= _MOSTLY * len(cells):
            found.append(column)
    return found


def _are_words(row: Sequence[str], values: Sequence[int]) -> bool:
    """Whether no cell is a value, and one above a column of values is a word."""
    filled = [cell for cell in row if cell]
    if any(looks_like_value(cell) and not _YEAR.fullmatch(cell) for cell in filled):
        return False
    above = [row[column] for column in values if row[column] and row[column] not in MISSING]
    years = all(map(_YEAR.fullmatch, above))
    return (bool(above) and not (years and len(above) < 2)) if values else bool(filled)


def _come_again(row: Sequence[str], rows: Sequence[Row], width: int) -> bool:
    """Whether many of the cells stand below too, as those of rows do."""
    even = [other.cells for other in rows[:_LOOKED_AT] if len(other.cells) == width]
    again = sum(
        any(other[column].strip() == cell for other in even if other is not row)
        for column, cell in enumerate(row)
        if cell
    )
    return again >= sum(map(bool, row)) / 2


def _adjacent(body: Sequence[Row], place: int) -> bool:
    """Whether there is no line between a record and the one above it."""
    above = body[place - 1]
    return body[place].line == above.line + 1 + sum(cell.count("\n") for cell in above.cells)


def _repeated(names: Sequence[str]) -> set[str]:
    counts = Counter(name.casefold() for name in names if name)
    return {name for name, count in counts.items() if count > 1}


def _is_period(name: str) -> bool:
    return _PERIOD.fullmatch(name) is not None


def _cells(row: Row, width: int) -> tuple[str, ...]:
    cells = tuple(" ".join(cell.split()) for cell in row.cells[:width])
    return cells + ("",) * (width - len(cells))
