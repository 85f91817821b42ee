"""Times that prose mentions ("July", "the second quarter of 2023", "1997"), and those of rows."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

from mesh.prose.frames import Cell

_MONTHS = {name.casefold(): at for at, name in enumerate(calendar.month_name) if name}
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4}
_YEAR = r"(?:1[5-9]|2[01])\d\d"
MENTION = re.compile(
    rf"\b(?:(?P<iso>{_YEAR})-(?:Q(?P<isoq>[1-4])|(?P<isom>0[1-9]|1[0-2]))(?:-\d\d)?"
    rf"|(?P<month>{'|'.join(name for name in _MONTHS if name != 'may')}|(?-i:May))"
    rf"(?:,?\s+(?:of\s+)?(?P<of>{_YEAR}))?"
    rf"|(?:Q(?P<q>[1-4])|(?P<nth>first|second|third|fourth)\s+quarter)"
    rf"(?:\s+(?:of\s+)?(?P<qof>{_YEAR}))?|(?P<year>{_YEAR}))(?![\w-])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Time:
    """A time of which some parts are known, and where prose mentions it."""

    year: int | None = None
    quarter: int | None = None
    month: int | None = None
    start: int = 0
    end: int = 0
    text: str = ""

    def denies(self, other: Time) -> bool:
        """Whether a part that both know differs."""
        return any(
            one is not None and two is not None and one != two
            for one, two in (
                (self.year, other.year),
                (self.quarter, other.quarter),
                (self.month, other.month),
            )
        )

    @property
    def months(self) -> int | None:
        """Months since the year 0 at which it begins, where it says enough."""
        if self.year is None:
            return None
        within = self.month or (3 * self.quarter - 2 if self.quarter else 1)
        return 12 * self.year + within


def mentioned(prose: str) -> Iterator[Time]:
    """The times of a stretch of prose, in order."""
    for found in MENTION.finditer(prose):
        year = found["iso"] or found["of"] or found["qof"] or found["year"]
        quarter = found["isoq"] or found["q"] or _ORDINALS.get((found["nth"] or "").casefold())
        month = found["isom"] or _MONTHS.get((found["month"] or "").casefold())
        yield Time(
            int(year) if year else None,
            int(quarter) if quarter else (int(month) + 2) // 3 if month else None,
            int(month) if month else None,
            found.start(),
            found.end(),
            found.group(),
        )


def time_of(cell: Cell) -> Time | None:
    """The time of a cell's row; None where no column, or several, tell it."""
    times = [
        time
        for name in cell.frame.labels
        if (time := _time(name, cell.frame.values[name][cell.row])) is not None
    ]
    return times[0] if len(times) == 1 else None


def _time(name: str, value: Any) -> Time | None:
    if isinstance(value, date):
        return Time(value.year, (value.month + 2) // 3, value.month)
    if isinstance(value, int) and re.search(r"year", name, re.IGNORECASE):
        return Time(value)
    if not isinstance(value, str):
        return None
    found = MENTION.fullmatch(value)
    return next(mentioned(value)) if found and (found["iso"] or found["year"]) else None


def in_time(one: Cell, other: Cell) -> tuple[Cell, Cell] | None:
    """Two cells of a frame in the order of a column of times in which their rows differ."""
    if one.frame is not other.frame:
        return None
    for name, column in one.frame.values.items():
        left, right = column[one.row], column[other.row]
        if left != right and _is_time(name, left) and _is_time(name, right):
            return (one, other) if left < right else (other, one)
    return None


def _is_time(name: str, value: object) -> bool:
    if isinstance(value, date):
        return True
    if isinstance(value, str):
        return re.fullmatch(r"\d{4}(?:-(?:\d\d|Q\d|W\d\d))?(?:-\d\d)?", value) is not None
    named = re.search(r"year|month|quarter|week|day|date|period", name, re.IGNORECASE)
    return isinstance(value, int) and not isinstance(value, bool) and named is not None
