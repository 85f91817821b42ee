"""One form for equal cells, and when two of them count as the same."""

from __future__ import annotations

import calendar
import math
import re
from datetime import date, datetime
from decimal import Decimal
from typing import Any

Cell = str | float

_RELATIVE = 1e-3
_ABSOLUTE = 1e-9
_MIDNIGHT = "00:00:00"
_MOMENT = re.compile(
    r"(\d{4})-(\d{1,2})(?:-(\d{1,2})(?:[ T](\d\d:\d\d)(:\d\d)?(?:\.\d+)?(?:Z|\+00(?::00)?)?)?)?"
)
_OTHER_FORMS: dict[str, Cell] = {
    "true": 1.0,
    "false": 0.0,
    **{name.lower(): name[:3].lower() for name in calendar.month_name if name},
    **{name.lower(): name[:3].lower() for name in calendar.day_name},
}


def canonical(value: Any) -> Cell:
    """Numbers as floats, true and false as 1 and 0, years for their first day, small letters.

    Nothing, an empty text and NaN are the empty text. Texts that are numbers are numbers, and a
    moment at midnight is its day.
    """
    if value is None:
        return ""
    if isinstance(value, int | float | Decimal):
        number = float(value)
        return "" if math.isnan(number) else number
    if isinstance(value, datetime):
        return _moment(value.year, value.month, value.day, value.strftime("%H:%M:%S"))
    if isinstance(value, date):
        return _moment(value.year, value.month, value.day)
    text = str(value).strip()
    if re.fullmatch(r"-?\d+(\.\d+)?", text):
        return float(text)
    if moment := _MOMENT.fullmatch(text):
        clock = f"{moment[4] or '00:00'}{moment[5] or ':00'}"
        return _moment(int(moment[1]), int(moment[2]), int(moment[3] or 1), clock)
    plain = re.sub(r"\s+", " ", text).lower()
    return _OTHER_FORMS.get(plain, plain)


def _moment(year: int, month: int, day: int, clock: str = _MIDNIGHT) -> Cell:
    """A month is its first day, and a year that of its January: either way of telling is right."""
    if clock != _MIDNIGHT:
        return f"{year:04d}-{month:02d}-{day:02d} {clock}"
    return float(year) if month == day == 1 else f"{year:04d}-{month:02d}-{day:02d}"


def day_of(cell: Cell) -> Cell:
    """A moment's day; anything else as it is."""
    moment = _MOMENT.fullmatch(cell) if isinstance(cell, str) else None
    return _moment(int(moment[1]), int(moment[2]), int(moment[3] or 1)) if moment else cell


def same(one: Cell, other: Cell) -> bool:
    """Equal texts; whole numbers that are equal; other numbers within a thousandth."""
    if isinstance(one, float) and isinstance(other, float):
        if one == other:
            return True
        if one.is_integer() and other.is_integer():
            return False
        return abs(one - other) <= max(_ABSOLUTE, _RELATIVE * max(abs(one), abs(other)))
    return one == other
