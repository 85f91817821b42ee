"""Units of measure in names and in questions, and how to turn one into another.

Factors are exact by definition (International System of Units; international yard and pound, 1959)
but for those of temperature, which have an offset.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from services.planner.domain.lexicon.tokens import stem


@dataclass(frozen=True, slots=True)
class Unit:
    """`factor` of the base unit of its `quantity`; `intensive` where values may not be added."""

    name: str
    quantity: str
    factor: float
    spellings: frozenset[str]
    intensive: bool = False


def _unit(
    name: str, quantity: str, factor: float, spellings: str, *, intensive: bool = False
) -> Unit:
    return Unit(name, quantity, factor, frozenset((name, *spellings.split())), intensive)


UNITS = (
    _unit("mg", "mass", 1e-6, "milligram milligrams", intensive=True),
    _unit("g", "mass", 1e-3, "gram grams gramme grammes", intensive=True),
    _unit("kg", "mass", 1.0, "kilo kilos kilogram kilograms", intensive=True),
    _unit("t", "mass", 1e3, "tonne tonnes"),
    _unit("ct", "mass", 2e-4, "carat carats", intensive=True),
    _unit("lb", "mass", 0.45359237, "lbs pound pounds", intensive=True),
    _unit("oz", "mass", 0.028349523125, "ounce ounces", intensive=True),
    _unit("mm", "length", 1e-3, "millimetre millimetres millimeter millimeters", intensive=True),
    _unit("cm", "length", 1e-2, "centimetre centimetres centimeter centimeters", intensive=True),
    _unit("m", "length", 1.0, "metre metres meter meters", intensive=True),
    _unit("km", "length", 1e3, "kilometre kilometres kilometer kilometers"),
    _unit("in", "length", 0.0254, "inch inches", intensive=True),
    _unit("ft", "length", 0.3048, "foot feet", intensive=True),
    _unit("mi", "length", 1609.344, "mile miles"),
    _unit("ml", "volume", 1e-3, "millilitre millilitres milliliter milliliters"),
    _unit("cl", "volume", 1e-2, "centilitre centilitres centiliter centiliters"),
    _unit("l", "volume", 1.0, "litre litres liter liters ltr ltrs"),
    _unit("hl", "volume", 1e2, "hectolitre hectolitres hectoliter hectoliters"),
    _unit("m3", "volume", 1e3, "cbm"),
    _unit("gal", "volume", 3.785411784, "gallon gallons"),
    _unit("ms", "time", 1e-3, "millisecond milliseconds"),
    _unit("s", "time", 1.0, "sec secs second seconds"),
    _unit("min", "time", 60.0, "mins minute minutes"),
    _unit("h", "time", 3600.0, "hr hrs hour hours"),
    _unit("d", "time", 86400.0, "day days"),
    _unit("week", "time", 7 * 86400.0, "weeks"),
    _unit("month", "time", 30.4375 * 86400.0, "months"),
    _unit("year", "time", 365.25 * 86400.0, "years"),
    _unit("wh", "energy", 1.0, ""),
    _unit("kwh", "energy", 1e3, ""),
    _unit("mwh", "energy", 1e6, ""),
    _unit("gwh", "energy", 1e9, ""),
    _unit("twh", "energy", 1e12, ""),
    _unit("kw", "power", 1e3, "kilowatt kilowatts"),
    _unit("mw", "power", 1e6, "megawatt megawatts"),
    _unit("gw", "power", 1e9, "gigawatt gigawatts"),
    _unit("%", "share", 0.01, "pct percent percentage", intensive=True),
    _unit("mph", "speed", 0.44704, "", intensive=True),
    _unit("kmh", "speed", 1 / 3.6, "kph", intensive=True),
)
_MEASURED = {
    "mass": "weight mass",
    "length": "height length width depth distance altitude elevation size",
    "time": "time duration delay length runtime age stay wait",
    "speed": "speed velocity",
    "power": "power capacity output load",
    "energy": "energy consumption generation usage",
    "volume": "volume fuel water milk petrol diesel gasoline oil rain rainfall tank capacity "
    "liquid beer wine juice consumption",
}
_MONEY = frozenset(
    "price cost salary wage pay amount fee budget gross revenue income fare rent balance value "
    "total charge payment sales spend".split()
)
_CURRENCIES = frozenset(
    "$ € £ dollar dollars usd bucks buck euro euros eur pound pounds gbp quid francs chf".split()
)
_BY_SPELLING = {spelling: unit for unit in UNITS for spelling in unit.spellings}
_IN_NAME = re.compile(r"[(\[]\s*([^)\]]+?)\s*[)\]]\s*$|[_ ]([A-Za-z%]+)$")
_WORD = re.compile(r"[a-z]+")
_LAST_WORD = re.compile(r"(?:^[a-z]|[A-Z])[a-z]{3,}$")
_SHORT_IN_NAMES = frozenset(
    ("in", "t", "d", "m", "s", "l", "month", "year", "week", "day", "hour", "minute", "second")
)  # "signed in", "col_t": too short to tell, unless it is what is told so: "fuel_l", "length_m"
_IN_LETTERS = frozenset(("t", "d", "m", "s", "l"))


def unit_called(word: str) -> Unit | None:
    """The unit of that name, short or long, in lower case."""
    return _BY_SPELLING.get(word)


def unit_of_name(name: str) -> Unit | None:
    """The unit that a column's name ends with: "body_mass_g", "Weight (kg)", "DelayMinutes"."""
    found = _IN_NAME.search(name.strip())
    if found is None:
        last = _LAST_WORD.search(name)
        return _BY_SPELLING.get(last[0].lower()) if last is not None else None
    bracketed, ending = found.groups()
    spelling = (bracketed or ending).lower()
    unit = _BY_SPELLING.get(spelling)
    if ending and spelling in _SHORT_IN_NAMES:
        before = _WORD.findall(name[: found.start()].lower())
        if unit is None or spelling not in _IN_LETTERS or not before:
            return None
        return unit if before[-1] in _MEASURED[unit.quantity].split() else None
    return unit


def names_unit(word: str) -> bool:
    """Whether a word at a name's end is but the unit of it: not a part of time, as in "birth year",
    and no letter that may be anything."""
    unit = _BY_SPELLING.get(word)
    known = unit is not None and unit.quantity != "time" and word not in (*_IN_LETTERS, "in")
    return known or word in _CURRENCIES or word in ("ms", "msec", "seconds", "secs", "mins")


def measured_by(word: str) -> frozenset[str]:
    """The words of columns that hold what is measured so: weights in pounds, prices in dollars."""
    unit = unit_called(word)
    found = frozenset(_MEASURED.get(unit.quantity, "").split()) if unit is not None else frozenset()
    return found | _MONEY if word in _CURRENCIES else found


def holds_quantity(stems: set[str], quantity: str) -> bool:
    """Whether a name of these stems is one for a quantity, or for "money"."""
    words = _MONEY if quantity == "money" else _MEASURED.get(quantity, "").split()
    return not stems.isdisjoint(map(stem, words))


def guessed_unit(words: Sequence[str], low: float, high: float) -> Unit | None:
    """The unit of a column whose name tells none: of a person's height by its range, of times.

    Grown people are 48 to 96 inches, 120 to 250 centimetres or 1.2 to 2.5 metres tall. Times of
    trips, calls and films are told in minutes.
    """
    if "height" in words:
        ranges = (("in", 48, 96), ("cm", 120, 250), ("m", 1.2, 2.5))
        return next((unit_called(n) for n, a, b in ranges if a <= low and high <= b), None)
    if {"runtime", "duration", "delay"} & set(words) or tuple(words) == ("air", "time"):
        return unit_called("min")
    return None


def converted(value: float, given: Unit, wanted: Unit) -> float | None:
    """The value in another unit of the same quantity, or None."""
    if given.quantity != wanted.quantity:
        return None
    return float(f"{value * given.factor / wanted.factor:.12g}")
