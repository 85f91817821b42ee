"""Numbers that a language model wrote, and whether it may have them from anywhere.

An answer's numbers are read from frames, by code. What is left to guard is the words around them
and the frames themselves: a number in a sentence, a title or a query has to be in the question, in
what the data is described by, or be one of those that only count, scale or name a date.

Not bounded: a value that a query puts together from columns and harmless numbers by a formula that
makes no sense. The query is part of the answer, and the model's word for it is not.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cache

from services.planner.domain.catalogue import Catalogue, ValueHit
from services.planner.domain.implied_numbers import following
from services.planner.domain.semantics.units import UNITS

_NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d,]*(?:\.\d+)?|(?<=[A-Za-z_])\d+|[²³¹¼-¾⁰-₉⅐-ↈ①-⓿❶-➓]+")
_WORDS = re.compile(
    r"\b(?:hundreds?|thousands?|millions?|billions?|trillions?|dozens?|doubled?|tripled?|halved"
    r"|(?:thir|four|fif|six|seven|eigh|nine)teen|eleven|twelve|twenty|thirty|forty|fifty|sixty"
    r"|seventy|eighty|ninety|tenfold|twofold|threefold)\b",
    re.IGNORECASE,
)
_POWERS = re.compile(r"\b(?:[kcdm]?m|ft|in|mi|yd)[²³]")
"""Units of areas and volumes."""
_DATE = re.compile(r"\b\d{4}-\d{2}(?:-\d{2})?\b")

# What scales, converts or cuts without saying anything about the data.
SCALES = frozenset(
    map(
        Decimal,
        "0 1 2 3 4 5 6 7 8 9 10 12 20 24 25 28 30 31 50 52 60 90 100 365 1000 3600 86400 60000 "
        "3600000 1000000 "
        "0.01 0.05 0.1 0.25 0.5 0.75 0.9 0.95 0.99 365.25 366 168 1440 604800 1.8 32 "
        "273.15".split(),
    )
)
_TOLERANCE = Decimal("0.000001")
"""Smaller numbers keep sums of floats from differing, and nothing else."""
_AS_WRITTEN = 5e-4
_PER_MILE = 100 * 3.785411784 / 1.609344
"""Miles a gallon of fuel are this many litres for 100 km, divided by them."""
_YEARS = frozenset(map(Decimal, range(1800, 2201)))


def numbers_in(text: str) -> list[str]:
    """Every number in a text, as written, digits and words for large ones alike."""
    dates = _DATE.findall(text)
    rest = _POWERS.sub(" ", _DATE.sub(" ", text))
    return [*dates, *_NUMBER.findall(rest), *_WORDS.findall(text)]


@dataclass(frozen=True)
class Known:
    """Numbers and number words that a model may repeat, because it was given them."""

    numbers: frozenset[Decimal]
    words: frozenset[str]
    dates: frozenset[str]

    def holds(self, number: str) -> bool:
        """Whether a number, as written, is among them."""
        if _DATE.fullmatch(number):
            return number in self.dates
        if (value := _decimal(number)) is None:
            return number.casefold() in self.words
        return value in self.numbers or value.copy_abs() in self.numbers

    def joined(self, other: Known) -> Known:
        """What either of the two holds."""
        return Known(
            self.numbers | other.numbers, self.words | other.words, self.dates | other.dates
        )

    def foreign(self, text: str, also: Iterable[str] = ()) -> list[str]:
        """Numbers in a text that are not among them, nor the year of a known date, nor one of those
        given or a part of an ISO date among them."""
        parts = {part for one in also for part in (one, one[:7], *map(_bare, one.split("-")))}
        parts |= {day[:4] for day in self.dates}
        return [
            number
            for number in numbers_in(text)
            if not self.holds(number) and number not in parts and _bare(number) not in parts
        ]

    def allows_literal(self, text: str) -> bool:
        """Whether a query may hold this number: known, a scale, the number of a year, or what turns
        one unit into another."""
        value = _decimal(text)
        if value is None:
            return False
        harmless = value in _YEARS or value in SCALES or 0 < value.copy_abs() <= _TOLERANCE
        return harmless or self.holds(text) or _converts(float(value))


def known_numbers(
    texts: Iterable[str], catalogue: Catalogue | None = None, hits: Iterable[ValueHit] = ()
) -> Known:
    """Numbers in what a person wrote, those that follow from it, and numbers in what the data is
    described by."""
    sentences = list(texts)
    given = [*sentences, *(hit.value for hit in hits)]
    for table in catalogue.tables if catalogue is not None else ():
        given += [table.name, table.comment]
        for column in table.columns:
            given += [column.name, column.comment, *column.samples]
            given += [bound for bound in (column.minimum, column.maximum) if bound]
    found = [number for text in given for number in numbers_in(text)]
    values = {value for number in found if (value := _decimal(number)) is not None}
    values |= {value for text in sentences for value in following(text)}
    return Known(
        numbers=frozenset(values | {value.copy_abs() for value in values}),
        words=frozenset(number.casefold() for number in found if _decimal(number) is None),
        dates=frozenset(number for number in found if _DATE.fullmatch(number)),
    )


def _converts(value: float) -> bool:
    """Whether a factor turns a unit into another of its kind, as exact as such are written."""
    return any(math.isclose(value, factor, rel_tol=_AS_WRITTEN) for factor in _factors())


@cache
def _factors() -> tuple[float, ...]:
    factors = {
        one.factor / other.factor
        for one in UNITS
        for other in UNITS
        if one.quantity == other.quantity
    }
    return (*sorted(factors), _PER_MILE)


def _decimal(number: str) -> Decimal | None:
    try:
        value = Decimal(number.replace(",", ""))
    except InvalidOperation:
        return None
    return value if value.is_finite() else None


def _bare(part: str) -> str:
    return part.lstrip("0")
