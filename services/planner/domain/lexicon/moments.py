"""Moments as people write them ("Q1 2021", "May 1997", "2024-02-29"), and the days they hold."""

from __future__ import annotations

import re
from datetime import date, timedelta

from dateutil.relativedelta import relativedelta

_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
MONTH = "|".join(f"{name[:3]}(?:{name[3:]})?" if name != "may" else "may" for name in _MONTHS)
_ONE_MONTH = re.compile(MONTH)
YEAR = r"(?:1[89]|20)\d{2}"
_ORDINAL = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "1st": 1,
    "2nd": 2,
    "3rd": 3,
    "4th": 4,
}
MOMENT = (
    rf"\d{{4}}-\d{{2}}-\d{{2}}|\d{{4}}-\d{{2}}|Q[1-4],?\s*(?:of\s+)?{YEAR}|{YEAR}[ -]?Q[1-4]|"
    rf"(?:first|second|third|fourth|1st|2nd|3rd|4th) quarter (?:of |in )?{YEAR}|"
    rf"(?:{MONTH})\.?(?:\s+\d{{1,2}}(?:st|nd|rd|th)?)?,?\s+(?:of\s+)?{YEAR}|"
    rf"\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:{MONTH}),?\s+{YEAR}|"
    rf"(?:the year |year )?{YEAR}"
)


def range_of(text: str) -> tuple[date, date]:
    """The first day of a moment as written, and the first day after it."""
    lower = text.lower()
    if iso := re.fullmatch(r"(\d{4})-(\d{2})(?:-(\d{2}))?", lower):
        year, month, day = int(iso[1]), int(iso[2]), int(iso[3] or 0)
        return _day(year, month, day) if day else _month(year, min(max(month, 1), 12))
    year_found = re.search(YEAR, lower)
    year = int(year_found.group()) if year_found else 1970
    if quarter := re.search(r"q([1-4])", lower):
        return _quarter(year, int(quarter[1]))
    if "quarter" in lower:
        return _quarter(year, _ORDINAL[lower.split()[0]])
    for number, name in enumerate(_MONTHS, start=1):
        if re.search(rf"\b{name[:3]}(?:{name[3:]})?\b", lower):
            day_found = re.search(r"\b(\d{1,2})(?:st|nd|rd|th)?\b", lower.replace(str(year), ""))
            return _day(year, number, int(day_found[1])) if day_found else _month(year, number)
    return date(year, 1, 1), date(year + 1, 1, 1)


def _day(year: int, month: int, day: int) -> tuple[date, date]:
    first = date(year, min(max(month, 1), 12), 1)
    start = min(first + timedelta(days=max(day, 1) - 1), first + relativedelta(months=1, days=-1))
    return start, start + timedelta(days=1)


def _month(year: int, month: int) -> tuple[date, date]:
    start = date(year, month, 1)
    return start, start + relativedelta(months=1)


def _quarter(year: int, quarter: int) -> tuple[date, date]:
    start = date(year, 3 * quarter - 2, 1)
    return start, start + relativedelta(months=3)


def is_month(word: str) -> bool:
    """Whether a word in lower case is the name of a month, or short for one."""
    return _ONE_MONTH.fullmatch(word) is not None
