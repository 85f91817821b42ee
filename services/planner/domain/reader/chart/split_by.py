"""Columns that are named right after "by" or "per": no reading passes over one."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from services.planner.domain.query.defining.terms import references
from services.planner.domain.reader.chart.requirements import Requirements
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sketch import Number, Sketch
from services.planner.domain.reader.grammar import ordering
from services.planner.domain.reader.grammar.splitting import Split, splits
from services.planner.domain.reader.links.durations import is_spoken
from services.planner.domain.reader.links.mentions import Tie
from services.planner.domain.reader.links.naming import names_of
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.semantics.kinds import Kind

_WHOLE, _MOSTLY = 0.95, 0.8
_KEYS = frozenset(("id", "code", "key", "number", "no"))
_ASKS = frozenset("which who what list show each every".split())


def passes_over_split(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether "revenue by region" is read without any of the columns that are called region."""
    used = {part for place in _places(sketch) for part in _parts(place)}
    points = requirements.scene.charted and _is_of_rows(sketch)
    known = requirements.scene.schema.of_field
    return any(
        used.isdisjoint(named) and not (points and any(known[p].unique >= _WHOLE for p in named))
        for named in _named_after(requirements.scene)
    )


def _is_of_rows(sketch: Sketch) -> bool:
    """Whether it draws a number of each row as it is: "speed against age of each boat"."""
    return bool(sketch.numbers) and all(n.aggregate is None for n in sketch.numbers)


def splits_by_used_words(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether numbers are told by a column that no words of its own speak of: those that seem to
    name another table, or how long something took. "Shippers" are no names of ships, and "how long
    until orders are shipped" is no split by the country of the ship."""
    places = (*sketch.shown, *sketch.split)
    dates = list(dates_of_spans(sketch, requirements.scene))
    if dates and _takes_words(sketch, requirements, dates):
        return True
    return any(_has_no_words(place, sketch, requirements.scene) for place in places)


def _takes_words(sketch: Sketch, requirements: Requirements, dates: list[Place]) -> bool:
    """Whether words that say from when to when something lasted are a part of a name as well, or
    split it though no word splits."""
    tokens = requirements.scene.tokens
    named = any(
        c.source == "part"
        and all(
            any(is_spoken((tokens[at].lower,), date) for date in dates)
            for at in range(c.first, c.last + 1)
        )
        for c in sketch.conditions
    )
    words = requirements.scene.words
    asks = splits(words, Split.OF_EACH) or _ASKS & {token.lower for token in tokens}
    places = (*sketch.shown, *sketch.split)
    groups = bool(places) and any(number.aggregate is not None for number in sketch.made)
    return named or (groups and not asks and not requirements.extreme)


def _has_no_words(place: Place, sketch: Sketch, scene: Scene) -> bool:
    named = [m for m in scene.by_place.get(place.index, ()) if m.tie is Tie.NAME]
    if not named or place.time or place.key or max(m.coverage for m in named) >= _MOSTLY:
        return False
    if _refers_by_name(place):
        return False
    dates = list(dates_of_spans(sketch, scene))
    return all(
        _is_of_other(scene, at, place)
        or any(is_spoken((scene.tokens[at].lower,), date) for date in dates)
        for m in named
        for at in range(m.first, m.last + 1)
    )


def _is_of_other(scene: Scene, at: int, place: Place) -> bool:
    """Whether a word is all of the name of another table."""
    return any(
        t.first == t.last == at and t.coverage >= _WHOLE and t.table is not place.table
        for t in scene.tables
    )


def dates_of_spans(sketch: Sketch, scene: Scene) -> Iterator[Place]:
    """The two dates that a number of a reading lies between."""
    for number in sketch.made:
        if number.place is not None and number.place.definition is not None:
            for part in references(number.place.definition.term):
                place = scene.schema.of_field.get((part.table, part.column))
                if place is not None and place.time:
                    yield place


@lru_cache(maxsize=8)
def _named_after(scene: Scene) -> tuple[set[tuple[str, str]], ...]:
    return tuple(_find_named_after(scene))


def _find_named_after(scene: Scene) -> Iterator[set[tuple[str, str]]]:
    """Of each "by" the columns that the word after it names in full, if it names nothing else, or
    the table that has such a column: "by shop" of the table shops."""
    sorted_by = {cue.last for cue in scene.words.find(ordering.SORTING)}
    for cue in splits(scene.words, Split.OF_EACH):
        if sorted_by & {cue.first, cue.first - 1}:
            continue
        at = cue.last + 1
        named = [m for m in scene.mentions if m.first == at and m.tie is Tie.NAME]
        whole = [m for m in named if m.coverage >= _WHOLE]
        tables = {one.table.name for one in scene.tables if one.first == at}
        if entities := _entities_at(scene, at):
            yield entities | {part for m in whole for part in _parts(m.place)}
        elif tables:
            own = [m for m in whole if m.place.table.name in tables]
            if own:
                yield {part for m in own for part in _parts(m.place)}
        elif whole:
            yield {part for m in named for part in _parts(m.place)}


def _entities_at(scene: Scene, at: int) -> set[tuple[str, str]]:
    """The columns that tell apart the rows of the one table that a word names, if it says nothing
    of what follows: "by customer", and not "by customer country"."""
    tables = {t.table.name for t in scene.tables if t.first == t.last == at}
    sure = {t.table.name for t in scene.tables if t.first == t.last == at and t.coverage >= _WHOLE}
    goes_on = at + 1 < len(scene.tokens) and scene.named[at + 1] >= _MOSTLY
    if len(sure) != 1 or tables != sure or goes_on:
        return set()
    (table,) = sure
    links = scene.schema.catalogue.relationships
    found = {(one.from_table, one.from_column) for one in links if one.to_table == table}
    keys = [p for p in scene.schema.of_table(table) if p.key]
    for place in (*keys, *names_of(scene.schema, table)):
        found |= set(_parts(place))
    for m in scene.mentions:
        if m.first == at and m.tie is Tie.NAME and _refers_by_name(m.place):
            found |= set(_parts(m.place))
    return found


def _refers_by_name(place: Place) -> bool:
    """Whether a column tells things by a key though no relation says so: "department code"."""
    return place.key or place.kind is Kind.ID or place.words[-1] in _KEYS


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
