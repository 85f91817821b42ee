"""Columns that are named right after "by" or "per": no reading passes over one."""

from __future__ import annotations

from collections.abc import Iterator

from services.planner.domain.query.defining.terms import references
from services.planner.domain.reader.chart.said import Said
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sketch import Number, Sketch
from services.planner.domain.reader.grammar.splitting import Split, splits
from services.planner.domain.reader.links.mentions import Tie
from services.planner.domain.reader.links.schema import Place

_WHOLE = 0.95


def passes_over_split(sketch: Sketch, said: Said) -> bool:
    """Whether "revenue by region" is read without any of the columns that are called region."""
    used = {part for place in _places(sketch) for part in _parts(place)}
    return any(used.isdisjoint(named) for named in _named_after(said.scene))


def _named_after(scene: Scene) -> Iterator[set[tuple[str, str]]]:
    """Of each "by" the columns that the word after it names in full, if it names nothing else, or
    the table that has such a column: "by shop" of the table shops."""
    for cue in splits(scene.words, Split.OF_EACH):
        at = cue.last + 1
        named = [m for m in scene.mentions if m.first == at and m.tie is Tie.NAME]
        tables = {one.table.name for one in scene.tables if one.first == at}
        if tables:
            named = [m for m in named if m.place.table.name in tables and m.coverage >= _WHOLE]
        if any(m.coverage >= _WHOLE for m in named):
            yield {part for m in named for part in _parts(m.place)}


def _places(sketch: Sketch) -> Iterator[Place]:
    yield from (*sketch.shown, *sketch.split, *sketch.ratio)
    for number in sketch.numbers:
        yield from number.places
    for condition in sketch.conditions:
        if condition.place is not None:
            yield condition.place
    if sketch.sorting is not None:
        by = sketch.sorting.by
        yield from by.places if isinstance(by, Number) else (by,)


def _parts(place: Place) -> Iterator[tuple[str, str]]:
    """The column, and those that one which is worked out is made of."""
    yield place.table.name, place.column.name
    if place.definition is not None:
        for part in references(place.definition.term):
            yield part.table, part.column
