"""How likely the shape of a sketch is, by the question's wording alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from services.planner.domain.query.kinds import Aggregate
from services.planner.domain.reader.chart.sketch import Number, Sketch
from services.planner.domain.reader.choice.shape import LEAST_LOG_PROBABILITY, NO, YES

_YES_OR_NO = (NO, YES)
_COMPUTED = (
    Aggregate.COUNT_DISTINCT,
    Aggregate.AVERAGE,
    Aggregate.SUM,
    Aggregate.MINIMUM,
    Aggregate.MAXIMUM,
)


def choices_of(sketch: Sketch) -> tuple[str, ...]:
    """What a sketch chose of each head of the shape, in the order of `HEADS`."""
    numbers, sorting, limit = sketch.numbers, sketch.sorting, sketch.limit
    aggregates = [n.aggregate for n in numbers if n.place is not None]
    groups = sum(one.of_groups for one in sketch.conditions) if sketch.conditions else 0
    rows = len(sketch.conditions) - groups
    series = sketch.series and len(sketch.shown) > 1
    columns = len(sketch.shown) + len(numbers) - series
    by_count = sorting is not None and isinstance(sorting.by, Number) and sorting.by.place is None
    return (
        _YES_OR_NO[len(aggregates) < len(numbers)],
        *[_YES_OR_NO[aggregate in aggregates] for aggregate in _COMPUTED],
        _YES_OR_NO[sketch.grouped and sketch.sets is None],
        _YES_OR_NO[groups > 0],
        NO if sorting is None else "falling" if sorting.descending else "rising",
        _YES_OR_NO[by_count],
        NO if not limit else "one" if limit == 1 else "few",
        _YES_OR_NO[sketch.distinct],
        sketch.sets or NO,
        "012"[min(2, rows)],
        "0123"[max(1, min(3, columns))],
        _YES_OR_NO[bool(sketch.either)],
    )


class ShapeScores:
    """What shapes are worth by one question's wording; most of its sketches share a few."""

    def __init__(self, value: Mapping[str, Mapping[str, float]]) -> None:
        self._log_probabilities = tuple(value.values())
        self._known: dict[tuple[str, ...], tuple[float, Sequence[float]]] = {}

    def of(self, sketch: Sketch) -> tuple[float, Sequence[float]]:
        """The log-probabilities of its choices: their sum, and each in the order of `HEADS`."""
        choices = choices_of(sketch)
        found = self._known.get(choices)
        if found is None:
            each = [
                t.get(c, LEAST_LOG_PROBABILITY)
                for t, c in zip(self._log_probabilities, choices, strict=True)
            ]
            found = self._known[choices] = sum(each), each
        return found
