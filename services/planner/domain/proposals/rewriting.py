"""Whether two results are one answer that is written in two ways.

A month is a date, a text or a number; a person one name or two columns. Both are brought into one
form where the other result has it, and compared anew (`comparing.compare`).
"""

from __future__ import annotations

import calendar
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date, datetime
from itertools import permutations

from services.planner.domain.proposals.comparing import (
    Agreement,
    Cell,
    Column,
    Rows,
    alike,
    compare,
)

_MOST_NAMES = 5
"""Columns of texts of which two may be parts of a name: of more there are too many pairs to try."""
_BETWEEN = (" ", ", ")
_QUARTERS = (1, 4, 7, 10)


def compare_as_written(left: Rows, right: Rows) -> Agreement:
    """As `compare`, with periods and names in either of the forms that people give them."""
    found = compare(left, right)
    few = left.count == right.count and left.complete and right.complete
    if found.agrees or found.reordered or not few:
        return found
    ours = _with_periods(left, right)
    theirs = _with_periods(right, ours)
    ours, theirs = with_names(ours, theirs), with_names(theirs, ours)
    return found if ours is left and theirs is right else compare(ours, theirs)


def _with_periods(ours: Rows, theirs: Rows) -> Rows:
    """Dates that are the first of a month or year as the other result writes such a period."""
    changed = ours
    for place, column in enumerate(ours.columns):
        if _is_among(column, theirs):
            continue
        form = next((one for one in _forms(column) if _is_among(one, theirs)), None)
        if form is not None:
            columns = (*changed.columns[:place], form, *changed.columns[place + 1 :])
            changed = replace(changed, columns=columns)
    return changed


def _forms(column: Column) -> Iterator[Column]:
    """The ways to write the periods that begin on the dates of a column; none of other columns."""
    days = [cell for cell in column.cells if cell is not None]
    firsts = [day for day in days if isinstance(day, date) and not isinstance(day, datetime)]
    if not days or len(firsts) < len(days) or any(day.day != 1 for day in firsts):
        return
    ways: list[Callable[[date], Cell]] = [lambda day: f"{day:%Y-%m}"]
    if all(day.month == 1 for day in firsts):
        ways += [lambda day: float(day.year), lambda day: str(day.year)]
    quarters = all(day.month in _QUARTERS for day in firsts)
    if quarters:
        ways += [
            lambda day: f"{day.year}-Q{_quarter(day)}",
            lambda day: f"{day.year} Q{_quarter(day)}",
        ]
    if len({day.year for day in firsts}) == 1:  # or a number would stand for several
        ways += [
            lambda day: float(day.month),
            lambda day: calendar.month_name[day.month],
            lambda day: calendar.month_abbr[day.month],
        ]
        ways += (
            [lambda day: float(_quarter(day)), lambda day: f"Q{_quarter(day)}"] if quarters else []
        )
    for way in ways:
        yield Column(
            column.name,
            tuple(way(cell) if isinstance(cell, date) else None for cell in column.cells),
        )


def _quarter(day: date) -> int:
    return (day.month + 2) // 3


def with_names(ours: Rows, theirs: Rows) -> Rows:
    """Two columns that are parts of a name as the one that the other result has of both."""
    texts = [n for n, column in enumerate(ours.columns) if _is_text(column)]
    wanted = [one for one in theirs.columns if _is_text(one) and not _is_among(one, ours)]
    if not wanted or len(texts) > _MOST_NAMES:
        return ours
    for first, second in permutations(texts, 2):
        for between in _BETWEEN:
            whole = _joined(ours.columns[first], ours.columns[second], between)
            if any(alike(whole, one) for one in wanted):
                return _in_one(ours, first, second, whole)
    return ours


def _joined(first: Column, second: Column, between: str) -> Column:
    cells = zip(first.cells, second.cells, strict=True)
    return Column(
        first.name,
        tuple(
            between.join(str(part) for part in pair if part is not None) or None for pair in cells
        ),
    )


def _in_one(rows: Rows, first: int, second: int, whole: Column) -> Rows:
    """The rows with a column in place of two. What was ordered by a part is ordered by no other
    result alike."""
    kept = [n for n in range(len(rows.columns)) if n != second]
    columns = tuple(whole if n == first else rows.columns[n] for n in kept)
    by = rows.ordered_by
    ordered = kept.index(by) if by is not None and by not in (first, second) else None
    return replace(rows, columns=columns, ordered_by=ordered)


def _is_among(column: Column, others: Rows) -> bool:
    return any(alike(column, one) for one in others.columns)


def _is_text(column: Column) -> bool:
    held = [cell for cell in column.cells if cell is not None]
    return bool(held) and all(isinstance(cell, str) for cell in held)
