"""Units of columns: in headers, as in `weight (kg)`, and in a line of their own below the names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from services.executor.sources.delimited.dialect import Row
from services.executor.sources.delimited.numbers import CURRENCY
from services.executor.sources.delimited.plain import MISSING, looks_like_value

_UNIT = re.compile(r"^(?P<name>.*\S)\s*[(\[](?P<unit>[^()\[\]]{1,16})[)\]]$")
_SCALE = re.compile(r"\d+(?:\s*(?:[-–/]|to|bis|of)\s*\d+)?|(?:out )?of \d+", re.IGNORECASE)
"""From where to where a rating goes: "1-5" is no unit."""
_IN = re.compile(r"^.*\S[ _]in[ _](?P<unit>%|[A-Za-z°²³/]{1,6}|percent|dollars|euros)$")

# What BIPM's brochure on the SI lists, with prefixes, and what tables name beside it.
_METRIC = (
    r"(?:da|[YZEPTGMkhdcmµμunpfazy])?"
    r"(?:mol|cd|Hz|Pa|Wb|lm|lx|Bq|Gy|Sv|kat|eV|Wh|VA|var|bar|Bit|bit|Byte|cal|rad|sr|ohm|Ω"
    r"|[mgsAKNJWVCFTHlLtBb])"
)
_OTHER = (
    r"%|‰|°[CF]?|deg(?:rees?)?|ppm|ppb|pct|percent|points?|in|inch(?:es)?|ft|feet|yd|yards?|mi|miles?"
    r"|nm|acres?|ha|lbs?|oz|gal|mph|kn|knots?|rpm|dB|pH|psi|atm|mmHg|px|dpi|min|hr?|d|yr?"
    r"|(?:milli|micro|nano)?sec(?:ond)?s?|minutes?|hours?|days?|weeks?|months?|quarters?|years?"
    r"|(?:kilo|milli|centi)?(?:met(?:er|re)s?|grams?)|lit(?:er|re)s?|tons?|tonnes?|watts?|volts?"
    r"|dollars?|euros?|pounds?|cents?|pcs|pieces?|units?|items?|count|persons?"
    r"|people|inhabitants|households|k|K|M|mn|bn|[Tt]housands?|[Mm]illions?|[Bb]illions?"
    r"|Tsd\.?|Mio\.?|Mrd\.?|1,?000|1\.000|Stk\.?|Stück|Jahre?|Tage?|Stunden?"
)
_PART = rf"(?:{CURRENCY}|{_METRIC}|{_OTHER})(?:\^?[-−]?[1-4]|[²³⁻¹]{{1,2}})?"
UNIT = rf"(?:1\s?/\s?)?{_PART}(?:(?:\s?[/*·.]\s?|\s(?:per\s)?){_PART}){{0,3}}"
"""A unit that is known, in a syntax that Python and DuckDB share."""
_JOINED = re.compile(UNIT)
_BRACKETS = re.compile(r"[(\[]\s*(.*?)\s*[)\]]")
_PLACEHOLDER = re.compile(
    r"[-–—.]{0,3}|[YMDhHmsS]+(?:[-/.: T][YMDhHmsS]+)*|(?:yyyy|dd|mm|yy)(?:[-/. ](?:yyyy|dd|mm|yy))*"
    r"|text|string|name|names|category|id|code|date|datetime|time|units?|einheit(?:en)?|unités?"
    r"|unidad(?:es)?|unità|eenheid",
    re.IGNORECASE,
)


def unit_of(name: str) -> str:
    """The unit that a column's name states in brackets or after "in", or nothing."""
    match = _UNIT.match(name.strip()) or _IN.match(name.strip())
    unit = match.group("unit").strip() if match else ""
    return "" if _SCALE.fullmatch(unit) else unit


def units_row(row: Row, below: Sequence[Row]) -> tuple[str, ...]:
    """The units in a line below the names, by column; nothing where it holds values.

    Some column of numbers must begin with a unit, none with a number, and what stands above other
    columns must be a unit, a mark or nothing.
    """
    rows = [other.cells for other in below if len(other.cells) == len(row.cells)]
    if any(looks_like_value(cell.strip()) for cell in row.cells):
        return ()
    units: list[str] = []
    for position, cell in enumerate(row.cells):
        text = _bare(cell)
        known = _JOINED.fullmatch(text) is not None
        if not known and not _PLACEHOLDER.fullmatch(text):
            return ()
        values = {other[position].strip() for other in rows} - MISSING - {""}
        numbers = bool(values) and all(map(looks_like_value, values))
        units.append(text if known and numbers else "")
    return tuple(units) if any(units) else ()


def find_declared_units(row: Row) -> tuple[str, ...]:
    """The units in a line that is said to hold them."""
    texts = map(_bare, row.cells)
    return tuple("" if _PLACEHOLDER.fullmatch(text) and len(text) > 1 else text for text in texts)


def _bare(cell: str) -> str:
    match = _BRACKETS.fullmatch(cell.strip())
    return match.group(1) if match else cell.strip()
