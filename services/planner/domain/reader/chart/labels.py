"""What the columns of an answer are called."""

from __future__ import annotations

from services.planner.domain.lexicon.normalise import readable, readable_table
from services.planner.domain.lexicon.wording import worded
from services.planner.domain.query.kinds import Aggregate, Grain
from services.planner.domain.query.labels import measure_label
from services.planner.domain.reader.chart.sketch import Number
from services.planner.domain.reader.links.schema import Place

_UNITS = {Grain.MONTH_OF_YEAR: "month"}
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}


class Labels:
    """Names of the answer's columns, each once."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def of(self, place: Place, grain: Grain | None = None) -> str:
        """A column's own name, with its table's where two are alike; of days the unit of time."""
        plain = _UNITS.get(grain, grain.value) if grain else worded(place.column.name)
        if plain in self._taken:
            plain = f"{readable_table(place.table.name)} {plain}"
        return self.free(plain)

    def free(self, label: str) -> str:
        """The label, numbered where it is taken."""
        name, count = label, 2
        while name in self._taken:
            name, count = f"{label} {count}", count + 1
        self._taken.add(name)
        return name


def number_label(number: Number) -> str:
    """What a number made of a column is called: "95th percentile of delay"."""
    assert number.place is not None
    name = readable(number.place.column.name)
    if number.other is not None:
        ranks = "rank " if number.aggregate is Aggregate.RANK_CORRELATION else ""
        return f"{ranks}correlation of {name} with {readable(number.other.column.name)}"
    if number.quantile is not None:
        return f"{_nth(100 * number.quantile)} percentile of {name}"
    return measure_label(number.aggregate, name)


def _nth(value: float) -> str:
    """A number of a place: 1st, 22nd, 90th, 97.5th."""
    whole = round(value)
    if abs(value - whole) > 1e-9 or whole % 100 in (11, 12, 13):
        return f"{value:g}th"
    return f"{whole}{_ENDINGS.get(whole % 10, 'th')}"
