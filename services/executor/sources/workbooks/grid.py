"""A sheet's cells as people mean them: what was merged filled, days that lost their format."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from services.executor.sources.delimited.plain import looks_like_value

Cells = list[list[object]]
Range = tuple[tuple[int, int], tuple[int, int]]
"""The first and the last cell that were merged, by row and column, from 0."""

_FIRST_DAY, _LAST_DAY = 20_000, 60_000  # 1954-10-03 and 2064-04-08 as a workbook counts days
_EPOCH = datetime.date(1899, 12, 30)
_FEWEST_ROWS = 2


def merged_down(ranges: Sequence[Range]) -> int:
    """How many of the merged ranges span several rows."""
    return sum(bottom > top for (top, _), (bottom, _) in ranges)


def fill_merged(cells: Cells, ranges: Sequence[Range], start: tuple[int, int]) -> None:
    """Give each of the merged cells the value of them all, but for titles that have a line of
    their own. `start` is where the first of the cells is on the sheet."""
    for (top, left), (bottom, right) in ranges:
        top, bottom = top - start[0], min(bottom - start[0], len(cells) - 1)
        left, right = left - start[1], right - start[1]
        if top < 0 or left < 0 or top >= len(cells) or left >= len(cells[top]):
            continue
        right = min(right, len(cells[top]) - 1)
        value = cells[top][left]
        alone = not any(is_filled(c) for at, c in enumerate(cells[top]) if not left <= at <= right)
        if is_filled(value) and not (right > left and alone):
            for row in cells[top : bottom + 1]:
                row[left : right + 1] = [value] * (right - left + 1)


def day_numbers(cells: Cells) -> list[tuple[int, int]]:
    """The places of numbers in columns of days, which are days whose format was lost."""
    found: list[tuple[int, int]] = []
    for column in range(max(map(len, cells), default=0)):
        places = [at for at, row in enumerate(cells) if column < len(row)]
        days = any(isinstance(cells[at][column], datetime.date) for at in places)
        numbers = [at for at in places if _is_number(cells[at][column])]
        if days and numbers and all(_is_day(cells[at][column]) for at in numbers):
            found += [(at, column) for at in numbers]
    return found


def make_days(cells: Cells, places: Sequence[tuple[int, int]]) -> None:
    """Replace the numbers at these places by the days that they count."""
    for row, column in places:
        number = cells[row][column]
        if isinstance(number, int | float):
            cells[row][column] = _EPOCH + datetime.timedelta(days=int(number))


def is_filled(cell: object) -> bool:
    """Whether there is something in a cell."""
    return cell is not None and (not isinstance(cell, str) or bool(cell.strip()))


def is_value(cell: object) -> bool:
    """Whether a cell holds a value rather than a word."""
    if isinstance(cell, str):
        return looks_like_value(cell.strip())
    return is_filled(cell)


def _is_number(cell: object) -> bool:
    return isinstance(cell, int | float) and not isinstance(cell, bool)


def _is_day(cell: object) -> bool:
    if not isinstance(cell, int | float):
        return False
    return float(cell).is_integer() and _FIRST_DAY <= cell <= _LAST_DAY
