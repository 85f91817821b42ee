"""What the words set side by side: things with what is theirs, two numbers of the same rows."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from services.planner.domain.query.kinds import Aggregate
from services.planner.domain.reader.chart.calculated import aggregates_said
from services.planner.domain.reader.chart.requirements import Parts, Requirements
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sketch import Number, Sketch
from services.planner.domain.reader.grammar import chart_words, listing
from services.planner.domain.reader.links.mentions import Mention, TableMention, Tie
from services.planner.domain.reader.links.naming import names_of
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.semantics.kinds import Kind

_OUTRIGHT, _CLEARLY = 0.95, 0.8
_NO_MEASURE = (Kind.ID, Kind.DATE_PART, Kind.FLAG)
Pair = tuple[frozenset[Place], frozenset[Place]]


def splits_pairs(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether "employees and their hire date" are counted, or told without one of both."""
    pairs = _pairs(requirements.scene)
    if not pairs or requirements.scene.charted:
        return False
    counted = any(n.aggregate in (Aggregate.COUNT, Aggregate.COUNT_DISTINCT) for n in sketch.made)
    places = {*sketch.shown}
    return (
        counted
        or sketch.grouped
        or any(places.isdisjoint(one) or places.isdisjoint(other) for one, other in pairs)
    )


@lru_cache(maxsize=8)
def _pairs(scene: Scene) -> tuple[Pair, ...]:
    """The names of things and what is told beside them; none where an amount is worked out."""
    if aggregates_said(scene):
        return ()
    return tuple(_paired(scene))


def _paired(scene: Scene) -> Iterator[Pair]:
    for cue in scene.words.find(listing.WITH_THEIRS):
        at = cue.slot("word") or 0
        entities = [t for t in scene.tables if t.last == cue.first - 1 and t.coverage >= _OUTRIGHT]
        named: list[Mention | TableMention] = [*scene.mentions, *scene.tables]
        theirs = frozenset(place for m in named if m.first == at for place in _told_of(scene, m))
        for entity in entities:
            names = frozenset(names_of(scene.schema, entity.table.name))
            if names and theirs and not names & theirs:
                yield names, theirs


def _told_of(scene: Scene, one: Mention | TableMention) -> tuple[Place, ...]:
    """The column of a mention, or the names of the things of a table."""
    if isinstance(one, TableMention):
        return names_of(scene.schema, one.table.name) if one.coverage >= _OUTRIGHT else ()
    named = one.tie is Tie.NAME and one.coverage >= _CLEARLY
    return (one.place,) if named and one.place.kind is not Kind.ID else ()


def points_sketches(
    requirements: Requirements, parts: Parts, base: Sketch
) -> Iterator[tuple[Sketch, float]]:
    """A point for each row where two numbers are set against each other, in colours by a group."""
    for both in _points(requirements.scene):
        groups = tuple(p for p in dict.fromkeys((*parts.shown, *parts.split)) if p not in both)
        if len(groups) > 1 or any(place.number or place.time for place in groups):
            continue
        numbers = tuple(Number(None, place) for place in both)
        yield base.but(shown=groups, numbers=numbers, series=bool(groups)), 0.0


def puts_points_together(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether two numbers that are set against each other are added up, or listed: "price vs stock"
    has a point for each row."""
    return any(
        [n.place for n in sketch.numbers] != [*both] or any(n.aggregate for n in sketch.numbers)
        for both in _points(requirements.scene)
    )


@lru_cache(maxsize=8)
def _points(scene: Scene) -> tuple[tuple[Place, Place], ...]:
    """The columns of numbers of one table that stand around "vs", where nothing is made of them and
    no chart is asked for, which tells itself what it draws."""
    if scene.charted or aggregates_said(scene):
        return ()
    numbers = [
        m
        for m in scene.mentions
        if m.tie is Tie.NAME
        and m.coverage >= _OUTRIGHT
        and m.place.number
        and m.place.kind not in _NO_MEASURE
    ]
    found = (
        (one.place, other.place)
        for cue in scene.words.find(chart_words.AGAINST)
        for one in numbers
        for other in numbers
        if one.last == cue.first - 1
        and other.first == cue.last + 1
        and one.place.table is other.place.table
        and one.place is not other.place
    )
    return tuple(found)[:1]


RULES = (splits_pairs, puts_points_together)
