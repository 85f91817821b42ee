"""Which numbers can be made of a column: what is not a number has no total and no average."""

from __future__ import annotations

from services.planner.domain.query.kinds import Aggregate
from services.planner.domain.reader.chart.sketch import Number
from services.planner.domain.semantics.kinds import Kind, counts_rows

_NUMBERS = (
    Aggregate.SUM,
    Aggregate.AVERAGE,
    Aggregate.MEDIAN,
    Aggregate.DEVIATION,
    Aggregate.VARIANCE,
    Aggregate.PERCENTILE,
    Aggregate.CORRELATION,
    Aggregate.RANK_CORRELATION,
)


def is_measurable(number: Number) -> bool:
    """Whether the column's values, or the numbers written as its texts, can be reckoned with."""
    if number.against is not None and not is_measurable(number.against):
        return False
    if number.other is not None and not is_measurable(
        number._replace(place=number.other, other=None)
    ):
        return False
    place = number.place
    if place is None or number.aggregate in (None, Aggregate.COUNT, Aggregate.COUNT_DISTINCT):
        return True
    if number.aggregate in _NUMBERS:
        if place.kind is Kind.ID and (place.key or counts_rows(place.column, place.table)):
            return False  # nobody adds up what only tells things apart
        numbers_in_text = place.text and all(_is_number(s) for s in place.column.samples if s)
        return place.number or (numbers_in_text and bool(place.column.samples))
    return True


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
