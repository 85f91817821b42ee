"""How cells are printed: numbers with few decimals, times as people say them. Pure.

Whoever writes an answer and whoever checks one print a cell by the same rules, so that a number in
a text is held against its cell letter by letter.
"""

from __future__ import annotations

import calendar
import contextlib
import math
import re
from datetime import date, datetime
from decimal import Decimal
from typing import Any

LONGEST_LABEL = 60
_GRAINS = ("", "year", "quarter", "month", "week", "day", "month_of_year", "hour")
_SPACE = re.compile(r"\s+")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
POINTS = "points"
"""The unit of a difference of two shares: percentage points."""


def shown(value: Any, *, unit: str = "", percent: bool = False) -> str:
    """A value as people read it: thousands separators, few decimals, unit behind.

    `percent` writes a part of one in per cent, and with the unit POINTS in percentage points.
    """
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Decimal):
        whole = value.is_finite() and value == value.to_integral_value()
        value = int(value) if whole else float(value)
    if isinstance(value, int | float):
        return _number(value, unit, percent)
    if isinstance(value, datetime) and (value.hour, value.minute, value.second) == (0, 0, 0):
        return value.date().isoformat()
    if isinstance(value, datetime):
        return value.isoformat(sep=" ", timespec="seconds")
    return value.isoformat() if isinstance(value, date) else str(value)


_NOISE = 1e-12
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def _number(value: float, unit: str, percent: bool) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return "not a number" if math.isnan(value) else ("∞" if value > 0 else "−∞")
    if percent:
        share = value * 100
        if unit == POINTS:
            return f"{share:.2f} {POINTS}" if abs(share) < 1 else f"{share:.1f} {POINTS}"
        return f"{share:,.0f} %" if abs(share) >= 10 else f"{share:.1f} %"
    whole = round(value)
    if isinstance(value, int) or (abs(value - whole) <= _NOISE * abs(value) and abs(value) < 1e15):
        text = f"{whole:,}"  # a sum of thirds that is 408 but for its last digit
    elif abs(value) >= 10_000:
        text = f"{value:,.0f}"
    elif abs(value) >= 1:
        text = f"{value:,.2f}"
    else:
        digits, _, power = f"{value:.3g}".partition("e")
        text = f"{digits}×10{str(int(power)).translate(_RAISED)}" if power else digits
    return f"{text} {unit}".rstrip()


def label_text(value: Any, grain: str = "", *, short: bool = False) -> str:
    """A dimension's value for a sentence; `grain` is one of language.intent.Grain or empty.

    `short` leaves the year out of a month.
    """
    if value is None or value == "":
        return "(missing)"
    if isinstance(value, datetime | date):
        return _moment(value, grain, short)
    if isinstance(value, bool):
        return shown(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _ordinal(value, grain)
    return shortened(str(value))


def spellings(value: Any) -> frozenset[str]:
    """Every way in which `label_text` may write the value, also at the head of a sentence.

    A text that is a day in ISO's form is called as a day is.
    """
    if isinstance(value, str) and _DAY.fullmatch(value):
        with contextlib.suppress(ValueError):
            return spellings(date.fromisoformat(value)) | {value}
    texts = {label_text(value, grain, short=short) for grain in _GRAINS for short in (False, True)}
    return frozenset(texts | {capitalised(text) for text in texts})


def capitalised(text: str) -> str:
    """The text with a capital at its beginning."""
    return text[:1].upper() + text[1:]


def shortened(text: str, longest: int = LONGEST_LABEL) -> str:
    """One line of at most `longest` characters."""
    line = _SPACE.sub(" ", text[: 4 * longest]).strip()
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def _moment(value: date, grain: str, short: bool) -> str:
    if grain == "year":
        return f"{value.year}"
    if grain == "quarter":
        quarter = f"Q{(value.month + 2) // 3}"
        return quarter if short else f"{quarter} {value.year}"
    if grain == "month":
        month = calendar.month_name[value.month]
        return month if short else f"{month} {value.year}"
    day = f"{value.day} {calendar.month_name[value.month]} {value.year}"
    if grain == "week":
        return f"the week of {day}"
    clock = (value.hour, value.minute) if isinstance(value, datetime) else (0, 0)
    if clock != (0, 0) and grain != "day":
        return f"{day}, {clock[0]:02}:{clock[1]:02}"
    return day


def _ordinal(value: float, grain: str) -> str:
    whole = float(value).is_integer()
    if grain == "month_of_year" and whole and 1 <= value <= 12:
        return calendar.month_name[int(value)]
    if grain == "hour" and whole:
        return f"{int(value):02}:00"
    exact = isinstance(value, int) or (whole and abs(value) < 1e15)
    return str(int(value)) if exact else f"{value:g}"
