"""Sketches of charts: what lies along the axis, what is drawn, what makes the series."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from services.planner.domain.reader.chart.said import Parts, Said
from services.planner.domain.reader.chart.sketch import COUNT, Number, Sketch, Sorting
from services.planner.domain.reader.links.schema import Place

_UNUSED, _SECOND_NUMBER, _NO_AXIS = 0.3, 0.5, 0.5


def charted_sketches(said: Said, parts: Parts, base: Sketch) -> Iterator[tuple[Sketch, float]]:
    """Every way to draw these parts."""
    dimensions = parts.shown[:3]
    for axis in dimensions:
        rest = [p for p in (*dimensions, *parts.split[:1]) if p is not axis]
        yield from _along(said, parts, base, axis, rest)
    if len(dimensions) >= 2 and not parts.numbers:
        yield from _pairs(said, parts, base)
    if len(parts.numbers) >= 2:
        for first, second in ((0, 1), (1, 0)):
            numbers = (parts.numbers[first], parts.numbers[second])
            for place in (*parts.split, *dimensions):
                yield base.but(numbers=numbers, split=(place,), grouped=True), _NO_AXIS


def _along(
    said: Said, parts: Parts, base: Sketch, axis: Place, rest: list[Place]
) -> Iterator[tuple[Sketch, float]]:
    """Numbers along one axis, whole or in series."""
    numbers = parts.numbers[:2] or (COUNT,)
    left = _UNUSED * len(rest) + _SECOND_NUMBER * (len(numbers) - 1)
    for number in numbers:
        drawn = base.but(shown=(axis,), numbers=(number,), grouped=True)
        yield drawn, left
        if said.few is not None:
            yield drawn.but(sorting=Sorting(number, not said.least), limit=said.few), left
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


def _pairs(said: Said, parts: Parts, base: Sketch) -> Iterator[tuple[Sketch, float]]:
    """Two columns of each row against each other."""
    for x, y in permutations(parts.shown[:3], 2):
        rest = [p for p in (*parts.shown[:3], *parts.split[:1]) if p is not x and p is not y]
        drawn = base.but(shown=(x,), numbers=(Number(None, y),))
        yield drawn, _UNUSED * len(rest)
        for place in rest:
            yield drawn.but(shown=(x, place), series=True), 0.0
        if said.few is not None:
            yield (
                drawn.but(sorting=Sorting(Number(None, y), not said.least), limit=said.few),
                _UNUSED,
            )
