"""Numbers that words ask for and no role stands for: medians, percentiles, correlations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from services.planner.domain.query.kinds import Aggregate
from services.planner.domain.reader.chart.asked import Asked
from services.planner.domain.reader.chart.requirements import Parts, Requirements
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sets import referring
from services.planner.domain.reader.chart.sketch import COUNT, Number, Sketch, Sorting
from services.planner.domain.reader.grammar import aggregation, ordering, statistics
from services.planner.domain.reader.grammar.statistics import Made
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.semantics.kinds import Kind

_NO_NUMBERS = (Kind.ID, Kind.DATE_PART)
_NAMED = 0.8
_MOST_WAYS, _MOST_GROUPS = 6, 2
_OTHERWISE, _LESS_LIKELY, _EACH_ONCE = 0.4, 0.3, 0.99
_PLAIN = (Aggregate.AVERAGE, Aggregate.SUM, Aggregate.MINIMUM, Aggregate.MAXIMUM)


def with_statistics(requirements: Requirements, parts: Parts) -> Iterator[tuple[Parts, float]]:
    """The parts with the numbers that are asked for in place of averages and plain values."""
    values = [n.place for n in parts.numbers if n.place is not None]
    values += [p for p in parts.shown if p.number and p.kind not in _NO_NUMBERS]
    values = list(dict.fromkeys(values))
    per_entity = any(number.per is not None for number in parts.numbers)
    if not requirements.statistics or not values or per_entity:
        yield parts, 0.0
        return
    ways = list(product(*(one.ways for one in requirements.statistics)))[:_MOST_WAYS]
    for number, way in enumerate(ways):
        cost = _LESS_LIKELY * min(number, 2)
        made = tuple(dict.fromkeys(one for made in way for one in made))
        yield _all_made(parts, values, made), cost
        with_plain = _with_plain(requirements.scene, made)
        if with_plain != made:
            yield _all_made(parts, values, with_plain), cost
        if len(values) > 1:
            yield _nearest_made(requirements, parts, values, way), cost
    if not all(
        one.sure and not _in_a_name(requirements.scene, one) for one in requirements.statistics
    ):
        yield parts, _OTHERWISE


def _all_made(parts: Parts, values: Sequence[Place], made: Sequence[Made]) -> Parts:
    shown = tuple(p for p in parts.shown if p not in values)
    numbers = tuple(_number(one, place) for place in values for one in made)
    return replace(parts, shown=shown, numbers=numbers)


def _with_plain(scene: Scene, made: Sequence[Made]) -> tuple[Made, ...]:
    """With the averages, totals and extremes that are said beside: "mean and median"."""
    cues = [c for c in scene.words.find(aggregation.RULES) if c.means in _PLAIN]
    more = [Made(c.means) for c in sorted(cues, key=lambda c: c.first)]
    return tuple(dict.fromkeys((*more, *made)))


def _nearest_made(
    requirements: Requirements,
    parts: Parts,
    values: Sequence[Place],
    way: Sequence[tuple[Made, ...]],
) -> Parts:
    """Each statistic of the column that is named next: "median price and spread of carat"."""
    numbers: list[Number] = []
    taken: list[Place] = []
    for one, made in zip(requirements.statistics, way, strict=True):
        place = min(values, key=lambda p: (_distance(requirements.scene, p, one), p.index))
        taken.append(place)
        numbers += [_number(each, place) for each in made]
    shown = tuple(p for p in parts.shown if p not in taken)
    rest = [n for n in parts.numbers if n.place not in taken]
    return replace(parts, shown=shown, numbers=tuple(dict.fromkeys((*numbers, *rest))))


def _distance(scene: Scene, place: Place, one: Asked) -> float:
    """How far the nearest mention lies behind the words; what stands before them is farther."""
    return min(
        (
            m.first - one.last if m.first > one.last else 2.5 + max(0, one.first - m.last)
            for m in scene.by_place.get(place.index, ())
        ),
        default=99.0,
    )


def _number(made: Made, place: Place) -> Number:
    against = made.against
    if against is None or made.how is None:
        return Number(made.aggregate, place, made.quantile)
    less = Number(against.aggregate, place, against.quantile)
    return Number(made.aggregate, place, made.quantile, None, less, made.how, made.called)


def _in_a_name(scene: Scene, one: Asked) -> bool:
    """Whether its words are part of a column's name: "median income" may be a column."""
    return any(
        m.first <= one.first and m.last >= one.last and m.coverage >= _NAMED for m in scene.mentions
    )


def together_sketches(
    requirements: Requirements, parts: Parts, base: Sketch
) -> Iterator[tuple[Sketch, float]]:
    """How two numbers go together, over all rows or within each group."""
    for pair in requirements.together:
        both = (pair.one, pair.other)
        groups = tuple(p for p in (*parts.shown, *parts.split) if p not in both)
        groups = tuple(dict.fromkeys(groups))
        plain = any(p.number and p.kind is not Kind.DATE_PART for p in groups)
        if plain or len(groups) > _MOST_GROUPS:
            continue
        if any(n.place not in both for n in parts.numbers):
            continue
        number = Number(pair.aggregate, pair.one, None, pair.other)
        sketch = base.but(shown=groups, grouped=bool(groups), numbers=(number,))
        yield sketch, 0.0
        if groups and requirements.scene.words.find(ordering.DIRECTIONS):
            yield (
                sketch.but(
                    sorting=Sorting(number, not requirements.least), limit=requirements.few or 1
                ),
                0.0,
            )


def mode_sketches(
    requirements: Requirements, parts: Parts, base: Sketch
) -> Iterator[tuple[Sketch, float]]:
    """The value that most rows hold, or the thing that most rows of another table are of."""
    if not parts.shown or parts.numbers or not requirements.scene.words.find(statistics.MODE):
        return
    groups = base.but(shown=parts.shown, grouped=True)
    most = Sorting(COUNT, descending=True)
    table = parts.shown[0].table.name
    each_once = all(p.unique >= _EACH_ONCE and p.table.name == table for p in parts.shown)
    for limit in dict.fromkeys((requirements.few or 1, 1)):
        for other in referring(requirements, table) if each_once else ():
            yield groups.but(sorting=most, limit=limit, extra=(other,)), 0.0
        yield groups.but(sorting=most, limit=limit), 0.0
        yield groups.but(sorting=most, limit=limit, numbers=(COUNT,)), _LESS_LIKELY
