"""One form for equal cells, and when two of them count as the same."""

from __future__ import annotations

import calendar
import math
import re
from datetime import date, datetime
from decimal import Decimal
from typing import Any

_RELATIVE = 1e-3
_ABSOLUTE = 1e-9
_SHORT_NAMES = {
    **{name.lower(): name[:3].lower() for name in calendar.month_name if name},
    **{name.lower(): name[:3].lower() for name in calendar.day_name},
}

Cell = str | float


def canonical(value: Any) -> Cell:
    """Numbers as floats, days for moments, years for their first day, plain text in small letters.

    Nothing, an empty text and NaN are the empty text. Texts that are numbers are numbers.
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float | Decimal):
        number = float(value)
        return "" if math.isnan(number) else number
    if isinstance(value, datetime):
        value = value.date()
    if isinstance(value, date):
        return _day(value.year, value.month, value.day)
    text = str(value).strip()
    if re.fullmatch(r"-?\d+(\.\d+)?", text):
        return float(text)
    if moment := re.match(r"(\d{4})-(\d{1,2})(?:-(\d{1,2})([ T]\d.*)?)?$", text):
        return _day(int(moment[1]), int(moment[2]), int(moment[3] or 1))
    plain = re.sub(r"\s+", " ", text).lower()
    return _SHORT_NAMES.get(plain, plain)


def _day(year: int, month: int, day: int) -> Cell:
    """A month is its first day, and a year that of its January: either way of telling is right."""
    return float(year) if month == day == 1 else f"{year:04d}-{month:02d}-{day:02d}"


def same(one: Cell, other: Cell) -> bool:
    """Equal texts; whole numbers that are equal; other numbers within a thousandth."""
    if isinstance(one, float) and isinstance(other, float):
        if one == other:
            return True
        if one.is_integer() and other.is_integer():
            return False
        return abs(one - other) <= max(_ABSOLUTE, _RELATIVE * max(abs(one), abs(other)))
    return one == other
