"""What is shown though no word names its column: names behind "who", days behind "per month"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from services.planner.domain.catalogue import DataType
from services.planner.domain.lexicon.tokens import stem
from services.planner.domain.query.kinds import Aggregate, Grain
from services.planner.domain.reader.chart.calculated import aggregates_said
from services.planner.domain.reader.chart.counted_keys import counted_keys, number_of
from services.planner.domain.reader.chart.events import ENDINGS
from services.planner.domain.reader.chart.per_entity import list_numbers_per_entity
from services.planner.domain.reader.chart.requirements import Parts, Requirements
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sketch import Number, Sketch, natural
from services.planner.domain.reader.grammar import changing, leading, ordering
from services.planner.domain.reader.links.mentions import Tie
from services.planner.domain.reader.links.naming import (
    names_of,
    people_of,
    places_of,
    routes_of,
    sole_measures,
)
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.semantics.kinds import Kind

_COST, _MOST = 0.4, 2
_WHO = frozenset(("who", "whom", "whose", "person", "guy"))
PARTS = {
    Grain.YEAR: ("year", "season"),
    Grain.MONTH: ("month",),
    Grain.DAY: ("day",),
    Grain.HOUR: ("hour",),
    Grain.QUARTER: ("quarter",),
    Grain.WEEKDAY: ("weekday",),
    Grain.WEEK: ("week",),
    Grain.MONTH_OF_YEAR: ("month",),
}
"""What columns are called that tell that part of a day."""
_UNDATED = frozenset(("birth", "born", "dob", "birthday"))


def implied(
    requirements: Requirements, parts: Parts, base: Sketch
) -> Iterator[tuple[Parts, float]]:
    """The parts as they are, and with each column that the words imply."""
    yield parts, 0.0
    if requirements.grain is not None and not any(
        _dated(place, requirements.grain) for place in parts.shown
    ):
        for place in _times(requirements, parts, base):
            yield replace(parts, shown=(place, *parts.shown)), _COST
    for number in _days_asked(requirements):
        yield replace(parts, shown=(), numbers=(number,), ordered=()), 0.0
    for key in counted_keys(requirements.scene):
        yield _counting(parts, key), 0.0
    for number, shown in list_numbers_per_entity(requirements, parts):
        yield replace(parts, shown=shown, numbers=(number,)), 0.0
    for number in _list_implied(requirements, parts, base):
        if number.place in parts.shown:
            continue
        yield replace(parts, numbers=(number,)), _COST
    if requirements.scene.charted:
        return
    for names in _names(requirements, parts, base):
        more = tuple(p for p in names if p not in parts.shown)
        rest = tuple(p for p in parts.shown if p not in names and p.kind is not Kind.ID)
        if not more:
            continue
        yield replace(parts, shown=(*names, *rest)), _COST
        if rest and (parts.numbers or parts.ordered):
            yield replace(parts, shown=names), _COST
        ranks = tuple(p for p in rest if p.number or p.time)
        if ranks and requirements.scene.words.find(ordering.DIRECTIONS):
            kept = tuple(p for p in rest if p not in ranks)
            yield replace(parts, shown=(*names, *kept), ordered=(*ranks, *parts.ordered)), _COST


def _days_asked(requirements: Requirements) -> list[Number]:
    """The first or the last day: of what is said to be done, else that rows are told by."""
    scene = requirements.scene
    cues = scene.words.find(leading.DAY_OF_END)
    if not cues or not requirements.tables:
        return []
    end = Aggregate.MAXIMUM if cues[0].means is leading.End.LATEST else Aggregate.MINIMUM
    named = [m.place for m in scene.mentions if m.place.time and m.tie is Tie.NAME]
    named = [p for p in named if p.table.name in requirements.tables and _names_done(p, scene)]
    main = scene.main_date(requirements.tables[0])
    if not named and main is not None:
        named = [scene.schema.of_field[main.table, main.column]]
    return [Number(end, place) for place in dict.fromkeys(named)]


def _names_done(place: Place, scene: Scene) -> bool:
    """Whether a word says what was done on a day: "shipped"."""
    return any(
        m.tie is Tie.NAME and scene.tokens[m.last].lower.endswith("ed")
        for m in scene.by_place.get(place.index, ())
    )


def _counting(parts: Parts, key: Place) -> Parts:
    """The parts with the things of a key counted, and not listed."""
    others = tuple(n for n in parts.numbers if n.place is not key)
    shown = tuple(place for place in parts.shown if place is not key)
    return replace(parts, shown=shown, numbers=(number_of(key), *others))


def _list_implied(requirements: Requirements, parts: Parts, base: Sketch) -> list[Number]:
    """The number of a table that has one alone, where none is named: scores, readings, votes."""
    words = requirements.scene.words
    asked = any(words.find(rules) for rules in (ordering.DIRECTIONS, changing.RULES))
    asked = asked or bool(requirements.statistics)
    averaged = any(cue.means is not Aggregate.COUNT for cue in aggregates_said(requirements.scene))
    if parts.numbers or requirements.counts or not (asked or averaged):
        return []
    near = _spoken(requirements, parts, base)
    found = sole_measures(requirements.scene.schema)
    return [
        natural(place) for place in found if place.table.name in near or not requirements.tables
    ]


def _dated(place: Place, grain: Grain) -> bool:
    if grain is Grain.HOUR and place.column.data_type is DataType.DATE:
        return False
    return place.time or (place.kind is Kind.DATE_PART and place.words[-1] in PARTS.get(grain, ()))


def _closes(place: Place) -> bool:
    """Whether it tells when something ended: a shift is one of the day on which it starts."""
    return bool(ENDINGS & {stem(word) for word in place.words})


def _times(requirements: Requirements, parts: Parts, base: Sketch) -> list[Place]:
    """The columns of days, or of that part of them, of the tables that are spoken of; where none
    is, of the longest first: there what happens is written down."""
    assert requirements.grain is not None
    near = _spoken(requirements, parts, base)
    found = [p for p in requirements.scene.schema.places if _dated(p, requirements.grain)]
    found = [p for p in found if not _UNDATED & set(p.words)]
    opened = {p.table.name for p in found if not _closes(p)}
    found = [p for p in found if not _closes(p) or p.table.name not in opened]
    if not near:
        longest = max((p.table.rows for p in found), default=0)
        found = [p for p in found if p.table.rows == longest]
    named = {m.place for m in requirements.scene.mentions if m.tie is Tie.NAME}
    found.sort(key=lambda p: (p.table.name not in near, p not in named, p.index))
    return found[:_MOST]


def _spoken(requirements: Requirements, parts: Parts, base: Sketch) -> set[str]:
    shown = (*parts.shown, *parts.ordered)
    used = set(base.but(shown=shown, numbers=parts.numbers).tables())
    return used | set(requirements.tables[:1])


def _names(requirements: Requirements, parts: Parts, base: Sketch) -> Sequence[tuple[Place, ...]]:
    """The names of who is asked for, or of the things whose keys or tables are spoken of."""
    schema = requirements.scene.schema
    found: list[tuple[Place, ...]] = []
    words = {token.lower for token in requirements.scene.tokens}
    if _WHO & words:
        found += people_of(schema)
    if "where" in words:
        found += places_of(schema)
    if "route" in words or "routes" in words:
        found += routes_of(schema)
    near = _spoken(requirements, parts, base)
    for place in parts.shown:
        if place.kind is Kind.ID:
            found += [names_of(schema, p.table.name) for p in schema.places if _same(p, place)]
    ranks = all(p.number or p.time or p.kind is Kind.ID for p in parts.shown)
    best = bool(requirements.scene.words.find(ordering.DIRECTIONS))
    if ranks and not requirements.counts and (best or not parts.numbers):
        entities = [
            names_of(schema, table) for table in (*requirements.tables[:_MOST], *sorted(near))
        ]
        listed = bool(base.rows) and not parts.numbers  # "crossings over 35 knots" have no name
        found += [names for names in entities if best or listed or not _keys(names)]
    found = [names for names in dict.fromkeys(found) if names]
    found.sort(key=lambda names: names[0].table.name not in near)
    return found[:_MOST]


def _keys(names: tuple[Place, ...]) -> tuple[Place, ...]:
    """The names where they are but a key."""
    return tuple(place for place in names if place.kind is Kind.ID)


def _same(other: Place, place: Place) -> bool:
    """Whether it is the key of another table by the same name."""
    return other.column.name == place.column.name and other.unique > 0.99
