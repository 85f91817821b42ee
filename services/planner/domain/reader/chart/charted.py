"""Sketches of charts: what lies along the axis, what is drawn, what makes the series."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from services.planner.domain.lexicon.names import words_of
from services.planner.domain.lexicon.tokens import stem
from services.planner.domain.query.kinds import Aggregate, Grain
from services.planner.domain.reader.chart.requirements import Parts, Requirements
from services.planner.domain.reader.chart.sketch import COUNT, Number, Sketch, Sorting
from services.planner.domain.reader.grammar import chart_words
from services.planner.domain.reader.links.naming import sole_measures
from services.planner.domain.reader.links.schema import Place

_TAKEN = frozenset(map(stem, ("sale", "sales", "revenue", "takings", "turnover")))
_UNUSED, _SECOND_NUMBER, _NO_AXIS = 0.3, 0.5, 0.5


def charted_sketches(
    requirements: Requirements, parts: Parts, base: Sketch
) -> Iterator[tuple[Sketch, float]]:
    """Every way to draw these parts."""
    dimensions = parts.shown[:3]
    if not dimensions and not parts.split and requirements.grain is None:
        yield from _trends(requirements, parts, base)
    for axis in dimensions:
        rest = [p for p in (*dimensions, *parts.split[:1]) if p is not axis]
        yield from _along(requirements, parts, base, axis, rest)
    if len(dimensions) >= 2 and not parts.numbers:
        yield from _pairs(requirements, parts, base)
    if len(parts.numbers) >= 2:
        for first, second in ((0, 1), (1, 0)):
            numbers = (parts.numbers[first], parts.numbers[second])
            for place in (*parts.split, *dimensions):
                yield base.but(numbers=numbers, split=(place,), grouped=True), _NO_AXIS


def _trends(
    requirements: Requirements, parts: Parts, base: Sketch
) -> Iterator[tuple[Sketch, float]]:
    """Numbers month by month where a trend is asked for and nothing to tell it along.

    Sales and the like are money where their table has one number alone, else they are its rows.
    """
    scene, numbers = requirements.scene, parts.numbers
    if not scene.words.find(chart_words.TRENDS) or not (numbers or requirements.tables):
        return
    if not numbers:
        numbers = (_taken(requirements) or COUNT,)
    for number in numbers:
        table = number.place.table.name if number.place is not None else requirements.tables[0]
        main = scene.main_date(table)
        axis = scene.schema.of_field.get((main.table, main.column)) if main is not None else None
        if axis is not None and axis.time:
            along = base.but(shown=(axis,), numbers=(number,), grouped=True, grain=Grain.MONTH)
            yield along, _UNUSED * (len(numbers) - 1)


def _taken(requirements: Requirements) -> Number | None:
    """The money of a table that is called after it, which no word names: the amount of sales."""
    table = requirements.tables[0]
    spoken = {token.stem for token in requirements.scene.tokens}
    if requirements.counts or not spoken & _TAKEN & {stem(word) for word in words_of(table)}:
        return None
    money = [p for p in sole_measures(requirements.scene.schema) if p.table.name == table]
    return Number(Aggregate.SUM, money[0]) if money else None


def _along(
    requirements: Requirements, parts: Parts, base: Sketch, axis: Place, rest: list[Place]
) -> Iterator[tuple[Sketch, float]]:
    """Numbers along one axis, whole or in series."""
    numbers = parts.numbers[:2] or (COUNT,)
    left = _UNUSED * len(rest) + _SECOND_NUMBER * (len(numbers) - 1)
    for number in numbers:
        drawn = base.but(shown=(axis,), numbers=(number,), grouped=True)
        yield drawn, left
        if requirements.few is not None:
            yield (
                drawn.but(sorting=Sorting(number, not requirements.least), limit=requirements.few),
                left,
            )
        for place in rest:
            yield drawn.but(shown=(axis, place), series=True), 0.0
    if len(numbers) == 2:
        for pair in (numbers, numbers[::-1]):
            yield base.but(shown=(axis,), numbers=pair, grouped=True, series=True), 0.0
            yield base.but(numbers=pair, split=(axis,), grouped=True), _NO_AXIS
    if len(parts.numbers) == 1:
        number = parts.numbers[0]
        for both in ((COUNT, number), (number, COUNT)):
            yield base.but(shown=(axis,), numbers=both, grouped=True, series=True), 0.0
            yield base.but(numbers=both, split=(axis,), grouped=True), _NO_AXIS


def _pairs(
    requirements: Requirements, parts: Parts, base: Sketch
) -> Iterator[tuple[Sketch, float]]:
    """Two columns of each row against each other."""
    for x, y in permutations(parts.shown[:3], 2):
        rest = [p for p in (*parts.shown[:3], *parts.split[:1]) if p is not x and p is not y]
        drawn = base.but(shown=(x,), numbers=(Number(None, y),))
        yield drawn, _UNUSED * len(rest)
        for place in rest:
            yield drawn.but(shown=(x, place), series=True), 0.0
        if requirements.few is not None:
            yield (
                drawn.but(
                    sorting=Sorting(Number(None, y), not requirements.least), limit=requirements.few
                ),
                _UNUSED,
            )
