"""Names of people and things: told whole, and the ones that are asked for."""

from __future__ import annotations

from services.planner.domain.reader.chart.requirements import Requirements
from services.planner.domain.reader.chart.sketch import COUNT, Sketch
from services.planner.domain.reader.grammar import (
    ordering,
)
from services.planner.domain.reader.links.mentions import Tie
from services.planner.domain.reader.links.naming import people_of
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.semantics.kinds import NAMING_KINDS, Kind

_WHO = ("who", "whom")
_WHICH = ("which", "list", "show", "display", "name")
_BEING = frozenset(("is", "was", "are", "were"))
_WHOLE_NAME, _SAME_NAME = 0.7, 0.95
_SUPERLATIVES = frozenset(("most", "least"))


def _half_a_name(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether people are told by their first names alone though nobody asked for these."""
    for names in people_of(requirements.scene.schema):
        shown = [place for place in names if place in sketch.shown]
        if len(names) > 1 and len(shown) == 1 and not is_named(shown[0], requirements):
            return True
    return False


def _other_name(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether people are told by their titles though nobody asked for these."""
    for names in people_of(requirements.scene.schema):
        for place in sketch.shown if len(names) > 1 else ():
            other = place.table is names[0].table and place not in names
            if other and place.kind is Kind.NAME and not is_named(place, requirements):
                return True
    return False


def is_named(place: Place, requirements: Requirements) -> bool:
    """Whether the words name a column as a whole."""
    mentions = requirements.scene.by_place.get(place.index, ())
    return any(m.tie is Tie.NAME and m.coverage >= _WHOLE_NAME for m in mentions)


def _ranks_names(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether what is the most of something is told by the alphabet."""
    place = sketch.sorting.by if sketch.sorting is not None else None
    if not isinstance(place, Place) or place.index in requirements.scene.scales:
        return False
    if not place.text:
        return False
    if any(sample.strip()[:1].isdigit() for sample in place.column.samples):
        return False  # numbers and days that are kept as texts
    words = requirements.scene.words
    ends = {cue.rule.name for cue in words.find(ordering.DIRECTIONS)}
    return (
        bool(ends)
        and ends <= _SUPERLATIVES
        and not words.find(ordering.SORTING)
        and not any(token.lower in ("first", "last") for token in requirements.scene.tokens)
    )


def _divides_names(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether numbers are divided that are no quantities: "flights per month" has no ratio."""
    return any(place.kind in NAMING_KINDS for place in sketch.ratio)


def _part_of_a_name(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether the 2 of a column that is called "amount 2" is taken for a condition."""
    whole = [
        m for m in requirements.scene.mentions if m.tie is Tie.NAME and m.coverage >= _SAME_NAME
    ]
    return any(
        m.first < c.first
        and c.last <= m.last
        and requirements.scene.tokens[c.first].number is not None
        for c in sketch.conditions
        for m in whole
    )


def _misses_who(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether "who hit the most" is told by the hits, and no people are shown, or by others than
    the people it is: "who is the oldest employee"; or "which customers" by their keys."""
    people = people_of(requirements.scene.schema)
    first = requirements.scene.tokens[0].lower if requirements.scene.tokens else ""
    entities = {
        t.table.name for t in requirements.scene.tables if t.first == 1 and t.coverage > _SAME_NAME
    }
    if first == "which" and all(place.kind is Kind.ID for place in sketch.shown):
        people = tuple(names for names in people if names[0].table.name in entities)
    elif first not in _WHO:
        return False
    if not people or sketch.change is not None or not sketch.shown:
        return False
    texts = {t.table.name for t in requirements.scene.tables if t.coverage >= _SAME_NAME}
    called = [names for names in people if names[0].table.name in texts]
    if len(called) == 1 and requirements.scene.tokens[1].lower in _BEING:
        people = tuple(called)
    return not any(place in sketch.shown for names in people for place in names)


def _counts_who(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether it counts rows where people or things are asked for: "who is over 60"."""
    if sketch.numbers != (COUNT,) or requirements.counts or not requirements.scene.tokens:
        return False
    first = requirements.scene.tokens[0].lower
    if first not in _WHICH and not (first in _WHO and people_of(requirements.scene.schema)):
        return False
    return not sketch.shown or tells_one_each(sketch)


def tells_one_each(sketch: Sketch) -> bool:
    """Whether nothing but how many there are of a name is told: one each, but of namesakes."""
    (first, *more) = sketch.shown
    alone = not more and sketch.sorting is None and len(sketch.tables()) == 1
    return alone and first.kind is Kind.NAME and first.unique < 1


RULES = (
    _half_a_name,
    _other_name,
    _ranks_names,
    _divides_names,
    _part_of_a_name,
    _misses_who,
    _counts_who,
)
