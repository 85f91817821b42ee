"""A chosen reading made ready to be answered: the order it reads best in, and its chart."""

from __future__ import annotations

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.charts.choosing import charted
from services.planner.domain.lexicon.wording import worded
from services.planner.domain.query.along import along_of, is_ordered_by_time
from services.planner.domain.query.calendars import calendar_ranks
from services.planner.domain.query.intent import (
    ChartType,
    Condition,
    Dimension,
    Field,
    Intent,
    Operator,
    Order,
)
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.equal_names import separate_equal_names
from services.planner.domain.reader.grammar import chart_words, ordering
from services.planner.domain.reader.links.mentions import Tie
from services.planner.domain.reader.links.naming import names_of
from services.planner.domain.semantics.kinds import Kind

_FEW_ENTITIES = 8
_OWN = 0.99
_ORDERED = (Kind.TIME, Kind.DATE_PART, Kind.AMOUNT, Kind.LEVEL, Kind.INTENSIVE, Kind.ID)


def finished(intent: Intent, scene: Scene, catalogue: Catalogue) -> Intent:
    """The intent with namesakes told apart, in an order, and with the chart that was asked for or
    that suits it."""
    if not all(measure.shown for measure in intent.measures):
        # Who asks which is first wants to see by how much, and the report tells of what is shown.
        shown = tuple(m.model_copy(update={"shown": True}) for m in intent.measures)
        intent = intent.model_copy(update={"measures": shown})
    intent = separate_equal_names(_with_what_narrows(intent), catalogue)
    if intent.top_of_each is not None:
        intent = _with_what_ranks(intent, intent.top_of_each.by)
    elif intent.limit and intent.order and not (intent.grouped or intent.distinct):
        intent = _with_what_ranks(intent, intent.order[0])
    elif not intent.order:
        intent = _each_by_itself(intent, catalogue)
        intent = _as_series(intent, scene, catalogue)
        intent = intent.model_copy(update={"order": _order(intent, scene)})
    if intent.chart is None:
        named = _named_chart(scene)
        intent = intent.model_copy(update={"chart": named, "chart_named": named is not None})
    return charted(intent, catalogue)


def _as_series(intent: Intent, scene: Scene, catalogue: Catalogue) -> Intent:
    """With a line, or bars of a colour, for each of the second of two things that a number is told
    by; time goes along the axis."""
    two = intent.grouped and len(intent.dimensions) == 2 and len(intent.measures) == 1
    if not two or intent.series is not None or intent.limit is not None or intent.derived:
        return intent
    first, second = intent.dimensions
    if _of_one_entity(first, second, scene):
        return intent
    timed = [is_ordered_by_time(along_of(one, catalogue)) for one in (first, second)]
    dimensions = (second, first) if timed == [False, True] else (first, second)
    return intent.model_copy(update={"dimensions": dimensions, "series": 1})


def _of_one_entity(first: Dimension, second: Dimension, scene: Scene) -> bool:
    """Whether two columns tell the same things: a first and a last name, a name and its key."""
    of_field, fields = scene.schema.of_field, (first.expression, second.expression)
    places = [of_field.get((f.table, f.column)) for f in fields if isinstance(f, Field)]
    known_places = [place for place in places if place is not None]
    if len(known_places) < 2 or known_places[0].table is not known_places[1].table:
        return False
    named = {*names_of(scene.schema, known_places[0].table.name)} == {*known_places}
    return named or any(place.unique >= _OWN for place in known_places)


def _each_by_itself(intent: Intent, catalogue: Catalogue) -> Intent:
    """With a line for each of a few things named, of what may not be added up over time: "life
    expectancy over time for Japan and Brazil" is of neither of both together."""
    measure = intent.measures[0] if len(intent.measures) == 1 else None
    if measure is None or measure.additive or measure.aggregate is None or intent.derived:
        return intent
    if len(intent.dimensions) != 1 or intent.limit is not None or intent.statistic is not None:
        return intent
    if not is_ordered_by_time(along_of(intent.dimensions[0], catalogue)):
        return intent
    named = [
        f
        for f in intent.filters
        if isinstance(f, Condition)
        and f.operator is Operator.IN
        and 1 < len(f.values) <= _FEW_ENTITIES
        and all(isinstance(v, str) for v in f.values)
    ]
    if len(named) != 1:
        return intent
    each = Dimension(expression=named[0].field, label=worded(named[0].field.column))
    if each.label in (intent.dimensions[0].label, measure.label):
        return intent
    return intent.model_copy(update={"dimensions": (*intent.dimensions, each), "series": 1})


def _with_what_narrows(intent: Intent) -> Intent:
    """With how many there are of each, where groups are listed that have so many."""
    plain = intent.dimensions and not (intent.measures or intent.derived or intent.distinct)
    if not plain or any(one.measure.where is not None for one in intent.having):
        return intent
    measures = tuple(dict.fromkeys(one.measure for one in intent.having))
    return intent.model_copy(update={"measures": measures})


def _with_what_ranks(intent: Intent, by: Order) -> Intent:
    """With the column that tells which rows come first, where it is not shown."""
    field = by.field
    if field is None or any(d.expression == field for d in intent.dimensions):
        return intent
    label = worded(field.column)
    taken = [d.label for d in intent.dimensions] + [m.label for m in intent.measures]
    if label in taken:
        label = f"{label} 2"
    more = Dimension(expression=field, label=label)
    return intent.model_copy(update={"dimensions": (*intent.dimensions, more)})


def _named_chart(scene: Scene) -> ChartType | None:
    found = scene.words.find(chart_words.KINDS)
    return found[0].means if found else None


def _order(intent: Intent, scene: Scene) -> tuple[Order, ...]:
    wish = _wished(intent, scene)
    if wish is not None:
        return (wish,)
    if not intent.dimensions or not intent.grouped:
        return ()
    first = intent.dimensions[0]
    if len(intent.dimensions) == 1 and intent.measures and not _by_itself(first, scene):
        return (Order(target="measure", descending=True), Order(target="dimension"))
    return tuple(
        Order(target="dimension", index=at, ranks=_ranks(one, scene))
        for at, one in enumerate(intent.dimensions)
    )


def _ranks(dimension: Dimension, scene: Scene) -> tuple[str, ...]:
    """The values in the order of their scale, where the dimension has one."""
    target = dimension.expression
    place = (
        scene.schema.of_field.get((target.table, target.column))
        if isinstance(target, Field)
        else None
    )
    scale = scene.scales.get(place.index) if place is not None else None
    return scale.values if scale is not None else ()


def _by_itself(dimension: Dimension, scene: Scene) -> bool:
    """Whether its values have an order of their own."""
    if dimension.grain is not None or _ranks(dimension, scene):
        return True
    target = dimension.expression
    if not isinstance(target, Field):
        return False
    place = scene.schema.of_field.get((target.table, target.column))
    if place is not None and place.text:
        return bool(calendar_ranks(place.column))
    return place is not None and place.kind in _ORDERED


def _wished(intent: Intent, scene: Scene) -> Order | None:
    """What is said of sorting: "y axis from high to low", "sorted by name"."""
    sorting = scene.words.find(ordering.SORTING)
    directions = [
        c for c in scene.words.find(ordering.DIRECTIONS) if c.rule.name in ("falling", "rising")
    ]
    if not sorting and not directions:
        return None
    start = sorting[-1].first if sorting else directions[0].first - 5
    falling = bool(directions) and directions[-1].means
    end = len(scene.tokens)
    texts = [token.lower for token in scene.tokens[max(0, start) : end]]
    if "x-axis" in texts or "x" in texts:
        return _along(intent, scene, 0, falling)
    if not ({"y-axis", "y", "bar", "bars"} & set(texts)):
        for at, dimension in enumerate(intent.dimensions):
            if _speaks_of(scene, dimension.expression, max(0, start), end):
                return _along(intent, scene, at, falling)
    if intent.measures:
        return Order(target="measure", descending=falling)
    return _along(intent, scene, 0, falling)


def _speaks_of(scene: Scene, target: object, first: int, last: int) -> bool:
    return isinstance(target, Field) and any(
        m.place.field == target
        and m.tie is Tie.NAME
        and m.coverage > 0.6
        and first <= m.first < last
        for m in scene.mentions
    )


def _along(intent: Intent, scene: Scene, at: int, falling: bool) -> Order | None:
    """Sorted by a dimension, in the order of its own where it has one."""
    if not intent.dimensions:
        return None
    ranks = _ranks(intent.dimensions[at], scene)
    return Order(target="dimension", index=at, descending=falling, ranks=ranks)
