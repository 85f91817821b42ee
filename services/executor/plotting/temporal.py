"""Dates on an axis: recognising them, the grain they come in, and how they are written."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from itertools import pairwise
from typing import Any

EPOCH = date(1970, 1, 1)


class Grain(StrEnum):
    """How finely a column tells time."""

    YEAR = "year"
    QUARTER = "quarter"
    MONTH = "month"
    DAY = "day"
    INSTANT = "instant"


_MONTH = re.compile(r"(\d{4})[-/](\d{1,2})")
_QUARTER = re.compile(r"(\d{4})[- ]?[Qq]([1-4])")
_QUARTER_FIRST = re.compile(r"[Qq]([1-4])[- ](\d{4})")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}.*)?")


def parse(texts: Sequence[str]) -> tuple[dict[str, float], Grain] | None:
    """Days since 1970 of each distinct text, if all of them are dates of one form."""
    days: dict[str, float] = {}
    grains: set[Grain] = set()
    for text in dict.fromkeys(texts):
        read = _parse_one(text.strip())
        if read is None or not days_in_range(read[0]):
            return None
        days[text] = read[0]
        grains.add(read[1])
        if len(grains) > 1:
            return None
    if not grains:
        return None
    grain = grains.pop()
    return days, coarsest(list(days.values()), grain) if grain is Grain.INSTANT else grain


def days_in_range(days: float) -> bool:
    """Whether the day lies between the years 1 and 9999, where calendars can name it."""
    return -719_162 <= days < 2_932_896


def _parse_one(text: str) -> tuple[float, Grain] | None:
    try:
        if match := _MONTH.fullmatch(text):
            return _days(date(int(match[1]), int(match[2]), 1)), Grain.MONTH
        if match := _QUARTER.fullmatch(text):
            return _days(date(int(match[1]), int(match[2]) * 3 - 2, 1)), Grain.QUARTER
        if match := _QUARTER_FIRST.fullmatch(text):
            return _days(date(int(match[2]), int(match[1]) * 3 - 2, 1)), Grain.QUARTER
        if match := _DAY.fullmatch(text):
            moment = datetime.fromisoformat(text)
            seconds = (moment.replace(tzinfo=None) - datetime(1970, 1, 1)).total_seconds()
            return seconds / 86400, Grain.INSTANT if match[1] else Grain.DAY
    except ValueError:
        return None
    return None


def _days(day: date) -> float:
    return float((day - EPOCH).days)


def coarsest(days: Sequence[float], finest: Grain, name: str = "") -> Grain:
    """The coarsest grain that loses nothing: all on the first of a month means months."""
    if finest is Grain.INSTANT and any(d != int(d) for d in days):
        return Grain.INSTANT
    moments = [moment(d) for d in set(days)]
    if len(moments) < 2 or any(m.day != 1 for m in moments):
        return Grain.DAY
    months = sorted(m.year * 12 + m.month - 1 for m in moments)
    words = name.lower()
    if all(m % 12 == 0 for m in months) and (len(months) > 2 or "year" in words):
        return Grain.YEAR
    if all(m % 3 == 0 for m in months) and (len(months) > 4 or "quarter" in words):
        return Grain.QUARTER
    return Grain.MONTH


def moment(days: float) -> datetime:
    """The naive UTC moment so many days after 1970 began."""
    return datetime(1970, 1, 1) + timedelta(days=days)


def write(days: float, grain: Grain) -> str:
    """The date as people write it at that grain: 1997, Q1 1997, Jan 1997, 5 Jan 1997."""
    at = moment(days)
    month = f"{_MONTHS[at.month - 1]} {at.year}"
    if grain is Grain.YEAR:
        return str(at.year)
    if grain is Grain.QUARTER:
        return f"Q{(at.month + 2) // 3} {at.year}"
    if grain is Grain.MONTH:
        return month
    if grain is Grain.DAY:
        return f"{at.day} {month}"
    return f"{at.day} {month} {at:%H:%M}" + (f":{at:%S}" if at.second else "")


def stacked(days: Sequence[float], grain: Grain) -> list[str]:
    """Texts of one or two lines; the second, a year or a day, only where it changes."""
    texts: list[str] = []
    before = ""
    for day in days:
        text, at = write(day, grain), moment(day)
        below = f"{at.day} {_MONTHS[at.month - 1]} {at.year}" if grain is Grain.INSTANT else ""
        below = below or ("" if grain is Grain.YEAR else str(at.year))
        above = text.removeprefix(below).removesuffix(below).strip()
        texts.append(f"{above}\n{below}" if below and below != before else above)
        before = below
    return texts


_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def ordinal(days: float, grain: Grain) -> float:
    """The count of grains since 1970, so that neighbours differ by one; days for an instant."""
    at = moment(days)
    if grain is Grain.YEAR:
        return at.year - 1970
    if grain is Grain.QUARTER:
        return (at.year - 1970) * 4 + (at.month - 1) // 3
    if grain is Grain.MONTH:
        return (at.year - 1970) * 12 + at.month - 1
    return days


def from_ordinal(count: int, grain: Grain) -> float:
    """Days since 1970 of the start of the grain with that count."""
    if grain is Grain.YEAR:
        return _days(date(1970 + count, 1, 1))
    if grain is Grain.QUARTER:
        return _days(date(1970 + count // 4, count % 4 * 3 + 1, 1))
    if grain is Grain.MONTH:
        return _days(date(1970 + count // 12, count % 12 + 1, 1))
    return float(count)


def usual_step(ordinals: Sequence[float]) -> float | None:
    """The step most neighbours are apart, or None where no step is usual."""
    if len(ordinals) < 3:
        return None
    steps = Counter(round(b - a, 6) for a, b in pairwise(ordinals) if b > a)
    if not steps:
        return None
    step, count = min(steps.items(), key=lambda item: (-item[1], item[0]))
    return step if count * 2 >= steps.total() else None


def ticks(low: float, high: float) -> tuple[list[float], list[str]]:
    """Round dates inside a range of days, with their texts."""
    from matplotlib.dates import AutoDateLocator

    make: Any = AutoDateLocator  # matplotlib.dates has no types
    locator = make(minticks=4, maxticks=8, tz=UTC)
    found = locator.tick_values(moment(low).replace(tzinfo=UTC), moment(high).replace(tzinfo=UTC))
    inside = [float(v) for v in found if low <= v <= high]
    if len(inside) < 2:
        inside = [low, high] if high > low else [low]
    exact = [round(v * 86400) / 86400 for v in inside]
    starts = [moment(v) for v in exact]
    if all((m.month, m.day, m.hour, m.minute) == (1, 1, 0, 0) for m in starts):
        grain = Grain.YEAR
    elif all((m.day, m.hour, m.minute) == (1, 0, 0) for m in starts):
        grain = Grain.MONTH
    elif all((m.hour, m.minute) == (0, 0) for m in starts):
        grain = Grain.DAY
    else:
        grain = Grain.INSTANT
    return inside, stacked(exact, grain)
