"""Sketches of tables: rows as they stand, a count of them, and numbers of groups."""

from __future__ import annotations

from collections.abc import Iterator

from services.planner.domain.query.kinds import Aggregate
from services.planner.domain.reader.chart.requirements import Parts, Requirements
from services.planner.domain.reader.chart.sketch import COUNT, Number, Sketch, Sorting, natural
from services.planner.domain.reader.grammar import ordering
from services.planner.domain.semantics.kinds import Kind

_DIRECTIONS = (False, True)
_LESS_LIKELY, _UNLIKELY_COUNT = 0.3, 1.5
_LEAST_GROUPED = 0.015
_REPEATED = 0.5  # different values for each row


def listed_sketches(
    requirements: Requirements, parts: Parts, base: Sketch
) -> Iterator[tuple[Sketch, float]]:
    """Every way to list these parts."""
    yield from _rows(requirements, parts, base)
    yield from _counted(requirements, parts, base)
    known_apart = parts.shown or (parts.split and parts.numbers)
    if known_apart and (
        requirements.extreme or requirements.shape.of("group", "yes") > _LEAST_GROUPED
    ):
        yield from _grouped(requirements, parts, base)


def _rows(requirements: Requirements, parts: Parts, base: Sketch) -> Iterator[tuple[Sketch, float]]:
    """Rows as they stand, or one row of numbers over all."""
    if not parts.shown and not parts.numbers:
        return
    if requirements.grain is not None and any(place.time for place in parts.shown):
        return  # months and days are spoken of to tell groups apart
    whole = base.but(shown=parts.shown, numbers=parts.numbers, limit=requirements.any_few)
    yield whole, 0.0
    if parts.numbers:
        return
    if requirements.shape.of("distinct", "yes") > 0.01 or _repeats(parts):
        yield whole.but(distinct=True), 0.0
    for place in (parts.ordered or parts.shown)[:4]:
        for falling in _DIRECTIONS:
            sorted_ = whole.but(sorting=Sorting(place, falling))
            if requirements.extreme or requirements.shape.of("order", "no") < 0.95:
                yield sorted_, 0.0
                if requirements.shape.of("distinct", "yes") > 0.1:
                    yield sorted_.but(distinct=True), 0.0
            if requirements.extreme or requirements.shape.of("limit", "no") < 0.95:
                yield sorted_.but(limit=1), 0.0
            if requirements.few is not None and requirements.few > 1:
                yield sorted_.but(limit=requirements.few), 0.0


def _counted(
    requirements: Requirements, parts: Parts, base: Sketch
) -> Iterator[tuple[Sketch, float]]:
    """How many rows there are."""
    counted = base.but(numbers=(COUNT,))
    if not parts.shown and not parts.numbers:
        yield counted, 0.0
    elif (
        len(parts.shown) == 1 and not parts.numbers and requirements.shape.of("count", "yes") > 0.1
    ):
        yield counted.but(extra=(*base.extra, parts.shown[0].table.name)), _UNLIKELY_COUNT
        if parts.shown[0].unique < 1:
            kinds = Number(Aggregate.COUNT_DISTINCT, parts.shown[0])
            yield base.but(numbers=(kinds,)), _LESS_LIKELY
    elif not parts.shown and requirements.shape.of("count", "yes") > 0.2:
        yield base.but(numbers=(*parts.numbers, COUNT)), 0.0


def _limits(requirements: Requirements) -> list[int | None]:
    """How many groups may be wanted."""
    return [1, None] if requirements.few in (None, 1) else [1, requirements.few, None]


def _grouped(
    requirements: Requirements, parts: Parts, base: Sketch
) -> Iterator[tuple[Sketch, float]]:
    """Numbers of groups, as they come or ranked."""
    # Who reads the numbers of groups wants to see which group each is of.
    places = tuple(dict.fromkeys((*parts.shown, *parts.split)))
    groups = base.but(shown=places, grouped=True)
    numbers = parts.numbers or (COUNT,)
    yield groups.but(numbers=numbers), 0.0
    if parts.numbers and requirements.shape.of("count", "yes") > 0.08:
        yield groups.but(numbers=(*parts.numbers, COUNT)), 0.0
    if not parts.shown:
        return
    if base.groups:
        yield groups, 0.0
    ranked: list[Number] = [parts.numbers[0]] if parts.numbers else []
    ranks = parts.ordered[:1]  # the most of what a key tells apart is the most rows
    ranked += [COUNT if p.kind is Kind.ID else natural(p) for p in ranks if p.number]
    by_count = (
        requirements.extreme or requirements.shape.of("order by count", "yes") > _LEAST_GROUPED
    )
    if COUNT not in ranked and by_count:
        ranked.append(COUNT)
    for number in ranked:
        for falling in _DIRECTIONS:
            for limit in _limits(requirements):
                sorting = Sorting(number, falling)
                yield groups.but(sorting=sorting, limit=limit), 0.0
                shown = numbers if number in numbers else (*numbers, number)
                yield groups.but(sorting=sorting, limit=limit, numbers=shown), 0.0
    if requirements.shape.of("order", "no") < 0.9 or _by_scale(requirements, parts):
        for place in (*parts.shown[:2], *parts.ordered[:1]):
            for falling in _DIRECTIONS:
                yield groups.but(numbers=numbers, sorting=Sorting(place, falling)), _LESS_LIKELY


def _by_scale(requirements: Requirements, parts: Parts) -> bool:
    """Whether the groups have an order of their own and an order is spoken of: "worst first"."""
    words = requirements.scene.words
    spoken = words.find(ordering.DIRECTIONS) or words.find(ordering.SORTING)
    return bool(spoken) and any(p.index in requirements.scene.scales for p in parts.shown)


def _repeats(parts: Parts) -> bool:
    """Whether what is shown surely stands in many rows alike, so that once each may be meant."""
    return len(parts.shown) == 1 and parts.shown[0].text and parts.shown[0].unique < _REPEATED
