"""Numbers that follow from the words of a question, without being written in it.

"80 %" is 0.8, "November" the month 11, "5 kg" 5000 of a column of grams, "2 hours" 120 minutes.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from decimal import Decimal

_FIGURE = r"(?<![\w.,])(\d[\d,]*(?:\.\d+)?)"
_PER_CENT = re.compile(rf"{_FIGURE}\s*(?:%|per ?cent\b|pct\b)", re.IGNORECASE)
_WITH_UNIT = re.compile(rf"{_FIGURE}\s*-?\s*([a-zµ]+)", re.IGNORECASE)
_QUARTER = re.compile(r"\b(?:q([1-4])|(first|second|third|fourth|last) quarter)\b", re.IGNORECASE)
_QUARTERS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": 4}
_MONTHS = {
    name.casefold(): number
    for names in (calendar.month_name, calendar.month_abbr)
    for number, name in enumerate(names)
    if name
}
_MONTH = re.compile(rf"\b({'|'.join(sorted(_MONTHS, key=len, reverse=True))})\b", re.IGNORECASE)

# What one of a unit is in others: SI, and the calendar's.
_FACTORS = {
    "kg": "1000",
    "kilo": "1000",
    "kilogram": "1000",
    "kilogramme": "1000",
    "ton": "1000 1000000",
    "tonne": "1000 1000000",
    "g": "0.001 1000",
    "gram": "0.001 1000",
    "mg": "0.001",
    "km": "1000",
    "kilometre": "1000",
    "kilometer": "1000",
    "m": "0.001 100 1000",
    "metre": "0.001 100 1000",
    "meter": "0.001 100 1000",
    "cm": "0.01 10",
    "mm": "0.001 0.1",
    "l": "1000",
    "litre": "1000",
    "liter": "1000",
    "ml": "0.001",
    "gb": "1000 1024 1000000 1000000000 1048576 1073741824",
    "mb": "1000 1024 1000000 1048576",
    "kb": "1000 1024",
    "kwh": "1000",
    "mwh": "1000",
    "kw": "1000",
    "mw": "1000",
    "minute": "60 60000",
    "min": "60 60000",
    "hour": "60 3600 3600000",
    "hr": "60 3600",
    "h": "60 3600",
    "day": "24 1440 86400",
    "week": "7 168 604800",
    "month": "30",
    "year": "12 365",
    "second": "1000",
    "sec": "1000",
    "decade": "10",
    "century": "100",
    "dozen": "12",
    "k": "1000",
    "thousand": "1000",
    "million": "1000000",
    "mio": "1000000",
    "billion": "1000000000",
    "bn": "1000000000",
    "euro": "100",
    "dollar": "100",
    "pound": "100",
    "cent": "0.01",
}


def of_figures(text: str) -> Iterator[Decimal]:
    """The numbers that follow from figures with their units and signs alone: no months."""
    for figure in _PER_CENT.findall(text):
        share = _decimal(figure) / 100
        yield from (share, 1 - share, 1 + share)
    for figure, unit in _WITH_UNIT.findall(text):
        for factor in _FACTORS.get(_singular(unit.casefold()), "").split():
            yield _decimal(figure) * Decimal(factor)


def months_of(text: str) -> Iterator[tuple[str, int]]:
    """The names of months that a text has, with their numbers."""
    for name in _MONTH.findall(text):
        yield name, _MONTHS[name.casefold()]


def following(text: str) -> Iterator[Decimal]:
    """The numbers that follow from a text."""
    yield from of_figures(text)
    for _, month in months_of(text):
        yield Decimal(month)
    for digit, word in _QUARTER.findall(text):
        last = 3 * (int(digit) if digit else _QUARTERS[word.casefold()])
        yield from map(Decimal, (last - 2, last - 1, last))


def _singular(unit: str) -> str:
    return unit if unit in _FACTORS else unit.removesuffix("s")


def _decimal(figure: str) -> Decimal:
    return Decimal(figure.replace(",", ""))
