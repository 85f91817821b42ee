"""What axes are called: names in full, and the unit that a column's name ends with."""

from __future__ import annotations

import re

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.lexicon.synonyms import ABBREVIATIONS
from services.planner.domain.query.along import found_in
from services.planner.domain.query.intent import Aggregate, Dimension, Expression, Measure
from services.planner.domain.semantics.kinds import is_number
from services.planner.domain.semantics.units import unit_of_name

_STATED = re.compile(r"unit: (\S.{0,15})")
_WITHOUT_UNIT = (Aggregate.COUNT, Aggregate.COUNT_DISTINCT, Aggregate.VARIANCE)
# Short forms that stand for one word only, wherever they stand.
_CLEAR = frozenset(
    "dept qty amt addr yr pct avg percap dep arr dest orig pop mfg sched num nbr emp".split()
)
_TOGETHER = {"life exp": "life expectancy", "dob": "date of birth", "bdate": "birth date"}
_CAPITALS = frozenset("gdp gnp usa uk eu id hr vat bmi gpa ip url sku gmv roi kpi".split())
_LONGEST_SYMBOL = 3
_SYMBOLS = {"kwh": "kWh", "mwh": "MWh", "wh": "Wh", "kmh": "km/h"}


def in_full(label: str) -> str:
    """A label without short forms: "average arr delay" gives "average arrival delay"."""
    text = label
    for short, full in _TOGETHER.items():
        text = re.sub(rf"\b{short}\b", full, text)
    words = [ABBREVIATIONS[word] if word in _CLEAR else word for word in text.split(" ")]
    return " ".join(word.upper() if word in _CAPITALS else word for word in words)


def measure_label(measure: Measure, catalogue: Catalogue) -> tuple[str, str]:
    """What the axis of a measure is called, and the unit of its values, empty where unknown."""
    if measure.aggregate in _WITHOUT_UNIT:
        return in_full(measure.label), ""
    return _parted(measure.label, measure.expression, catalogue)


def dimension_label(dimension: Dimension, catalogue: Catalogue) -> tuple[str, str]:
    """What the axis of a dimension is called, and the unit of its values if they are numbers."""
    if dimension.grain is not None:
        return in_full(dimension.label), ""
    return _parted(dimension.label, dimension.expression, catalogue)


def _parted(label: str, expression: Expression | None, catalogue: Catalogue) -> tuple[str, str]:
    """The label in full, and its unit; a unit that ends the label goes from it."""
    found = found_in(expression, catalogue)
    if found is None or not is_number(found[0]):
        return in_full(label), ""
    column = found[0]
    stated, unit = _STATED.fullmatch(column.comment), unit_of_name(column.name)
    if stated is None and unit is None:
        return in_full(label), ""
    symbol = stated[1] if stated is not None else ""
    if unit is not None and not symbol:
        symbol = _SYMBOLS.get(unit.name, unit.name)
    *words, last = label.split(" ")
    spellings = unit.spellings if unit is not None else frozenset((symbol.lower(),))
    if not words or last.lower() not in spellings:
        return in_full(label), symbol
    if len(last) > _LONGEST_SYMBOL:
        return in_full(label), ""  # "study hours" says it in words
    return in_full(" ".join(words)), symbol
