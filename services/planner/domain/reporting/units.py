"""Units that names of columns end in: "bill length mm" is a length in millimetres.

Sources state the units of columns too, as comments such as "unit: %", and semantic models do.
"""

from __future__ import annotations

import re

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.query.filters import Field
from services.planner.domain.query.intent import Aggregate, Measure

_STATED = re.compile(r"unit: (\S.{0,15})")

_UNITS = {
    **{unit: unit for unit in ("mm", "cm", "m", "km", "g", "kg", "ms", "mol", "mph")},
    **{unit: unit.upper() for unit in ("usd", "eur", "gbp", "jpy", "chf")},
    **{"kwh": "kWh", "kmh": "km/h", "percent": "%", "pct": "%", "%": "%"},
    **{"celsius": "°C", "fahrenheit": "°F"},
}
_JOINT = re.compile(r"(?<=[a-z]{2})(?=[A-Z])|(?<=[a-z])(?=[A-Z][a-z]{2})")
_IN_BRACKETS = re.compile(r"(.*\S)\s+[(\[]([^()\[\]]{1,15})[)\]]")
_LINKS = frozenset("per of by to from over under than and with a an the at for on above".split())
"""Before these a unit is a part of what is said: "price per kg" is no price in kg."""
_IN_HUNDREDTHS = frozenset({"percent", "percentage", "pct"})
_TEMPERATURES = {"c": "°C", "f": "°F"}
_LENGTHS = ("mm", "cm", "m", "km", "ft", "in")
_POWERS = {"2": "²", "3": "³"}
_WITHOUT_UNIT = re.compile(r"(?:rank )?correlation\b|variance\b|number of\b", re.IGNORECASE)
"""What begins so ends in the name of a column, and not in a unit of its own."""


def parted(column: str) -> tuple[str, str]:
    """A column's name as words and the unit they ended in, empty where they name none."""
    words = spoken(column).split()
    if _WITHOUT_UNIT.match(column):
        return " ".join(words), ""
    if (bracketed := _IN_BRACKETS.fullmatch(" ".join(words))) is not None:
        unit = bracketed.group(2).strip()
        if (known := _unit(["", unit])) or not unit[:1].isalpha():
            return bracketed.group(1), known or unit
        return " ".join(words), ""
    power = _power(words)
    if power:
        return " ".join(words[:-2]), power
    unit = _unit(words) if words[-2:-1] and words[-2].casefold() not in _LINKS else ""
    words = words[:-1] if unit else words
    words = words[:-1] if unit and len(words) > 1 and words[-1].casefold() == "in" else words
    return " ".join(words), unit


def spoken(column: str) -> str:
    """A column's name as words: "lifeExp" is a life exp. What has spaces is words already."""
    text = column.replace("_", " ").strip()
    if " " in text or "(" in text:
        return text
    parts = _JOINT.sub(" ", text).split(" ")
    if len(parts) == 1:
        return text
    return " ".join(part if part.isupper() else part.lower() for part in parts)


def _power(words: list[str]) -> str:
    """ "Gas m 3" is told in cubic metres."""
    if len(words) <= 2 or words[-2].casefold() not in _LENGTHS:
        return ""
    power = _POWERS.get(words[-1], "")
    return words[-2].casefold() + power if power else ""


def headed(column: str, stated: str = "") -> str:
    """A column's name as the heading of a table: "bill length (mm)". `stated` is a unit that its
    name does not say."""
    name, unit = parted(column)
    if stated and not unit and not has_unit(name, stated):
        unit = stated
    return f"{name} ({unit})" if unit else name


def has_unit(name: str, unit: str) -> bool:
    """Whether a column's name says its unit by itself: "days", "percent of all"."""
    words = name.casefold().split()
    return unit.casefold() in words or (unit == "%" and bool(_IN_HUNDREDTHS & set(words)))


def stated_unit(measure: Measure, catalogue: Catalogue | None) -> str:
    """The unit that the source states of a measure's only column, unless its label says it."""
    of = measure.expression
    if catalogue is None or not isinstance(of, Field) or measure.aggregate is Aggregate.VARIANCE:
        return ""
    table = catalogue.table(of.table)
    column = table.column(of.column) if table else None
    match = _STATED.fullmatch(column.comment) if column else None
    unit = match.group(1) if match else ""
    unit = (column.unit if column else "") or unit
    return "" if measure.label.endswith((f"({unit})", f"[{unit}]", f" in {unit}")) else unit


def _unit(words: list[str]) -> str:
    if len(words) < 2:
        return ""
    last = words[-1].casefold()
    if last in _TEMPERATURES and words[-2].casefold() in ("temp", "temperature"):
        return _TEMPERATURES[last]
    return _UNITS.get(last, "")
