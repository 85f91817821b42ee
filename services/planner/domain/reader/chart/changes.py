"""Sketches of a number set against itself: between two years, two terms, two groups."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Literal

from services.planner.domain.query.kinds import Calculation, Operator
from services.planner.domain.reader.chart.pieces import Proposal
from services.planner.domain.reader.chart.requirements import Parts, Requirements
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sketch import (
    COUNT,
    Change,
    Number,
    Sketch,
    Sorting,
    natural,
)
from services.planner.domain.reader.grammar import changing
from services.planner.domain.reader.grammar.rules import Words
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.semantics.kinds import Kind

_PLAIN = (Operator.EQUAL, Operator.BETWEEN, Operator.IN)
_FROM_ON = (Operator.AT_LEAST, Operator.GREATER)
_NO_NUMBERS = (Kind.ID, Kind.DATE_PART, Kind.FLAG)
_PERIODS = frozenset(("year", "season", "term", "round", "wave", "semester", "edition"))
_COST, _UNSTATED = 0.3, 0.5


def change_sketches(
    requirements: Requirements, parts: Parts, base: Sketch
) -> Iterator[tuple[Sketch, float]]:
    """The change from the rows of one condition to those of another on the same column."""
    ways = tuple(dict.fromkeys(cue.means for cue in requirements.scene.words.find(changing.RULES)))
    if not ways or base.either:
        return
    found = False
    rows = sorted((c for c in base.rows if c.operator in _PLAIN), key=lambda c: c.first)
    for one, other in pairwise(rows):
        if one.place is None or one.place is not other.place or one.values == other.values:
            continue
        found = True
        before, after = _in_time(requirements.scene, one, other)
        yield from _between(requirements, parts, base, ways, before, after)
    counted = _number(parts, base.rows[0] if base.rows else None)[0] == COUNT
    if (
        found
        or counted
        or base.groups
        or requirements.scene.charted
        or not requirements.scene.words.find(changing.WAYS)
    ):
        return
    for whole, before, after in _propose_default_spans(requirements, parts, base):
        for sketch, cost in _between(requirements, parts, whole, ways, before, after):
            if sketch.limit is not None or (sketch.change is not None and sketch.change.only):
                yield sketch, cost + _UNSTATED


def _between(
    requirements: Requirements,
    parts: Parts,
    base: Sketch,
    ways: tuple[Calculation, ...],
    before: Proposal,
    after: Proposal,
) -> Iterator[tuple[Sketch, float]]:
    """The change itself, those that rose or fell, and those that did so most."""
    number, groups = _number(parts, before)
    kept = tuple(p for p in groups if p is not before.place)
    only = direction(requirements.scene.words)
    for how in ways:
        change = Change(before, after, how)
        sketch = base.but(shown=kept, numbers=(number,), grouped=True, change=change)
        yield sketch, 0.0
        if not kept:
            continue
        if only is not None:
            yield sketch.but(change=Change(before, after, how, only)), 0.0
        falling = _most_first(requirements.scene, only)
        for limit in dict.fromkeys((1, requirements.few)):
            if limit is not None:
                yield sketch.but(sorting=Sorting(number, falling), limit=limit), _COST


def direction(words: Words) -> Literal["above", "below"] | None:
    """Whether what rose or what fell is spoken of; None where neither or both are."""
    rose = {cue.means for cue in words.find(changing.WAYS)}
    if len(rose) != 1:
        return None
    return "above" if rose.pop() else "below"


def _most_first(scene: Scene, only: str | None) -> bool:
    """The biggest drop is the lowest change, the smallest drop the highest one."""
    least = {cue.means for cue in scene.words.find(changing.MOST)} == {False}
    return (only != "below") is not least


def _number(parts: Parts, one: Proposal | None) -> tuple[Number, tuple[Place, ...]]:
    """What is set against itself, and what it is split by."""
    numbers = [n for n in parts.numbers if n.place is None or n.place.kind not in _NO_NUMBERS]
    if numbers:
        return numbers[0], parts.shown
    values = [p for p in (*parts.ordered, *parts.shown) if p.number and p.kind not in _NO_NUMBERS]
    values = [p for p in values if one is None or p is not one.place]
    if not values:
        return COUNT, parts.shown
    return natural(values[0]), tuple(p for p in parts.shown if p is not values[0])


def _in_time(scene: Scene, one: Proposal, other: Proposal) -> tuple[Proposal, Proposal]:
    """The earlier first, where they are times or numbers; else the first that is said comes after.

    "December against November" is December less November, and so is "less in 2023 than in 2024".
    """
    place = one.place
    timed = place is not None and (place.time or place.number)
    if not timed or scene.words.find(changing.SET_AGAINST):
        return other, one
    return (one, other) if str(one.values[0]) <= str(other.values[0]) else (other, one)


def _propose_default_spans(
    requirements: Requirements, parts: Parts, base: Sketch
) -> Iterator[tuple[Sketch, Proposal, Proposal]]:
    """From the first year that there is, or since the one that is said, to the last."""
    cue = requirements.scene.words.find(changing.WAYS)[0]
    tables = {p.table.name for p in (*parts.shown, *parts.ordered)}
    tables |= {n.place.table.name for n in parts.numbers if n.place is not None}
    for place in requirements.scene.schema.places:
        low, high = place.column.minimum, place.column.maximum
        is_mentioned = place.number and place.words[-1] in _PERIODS and place.table.name in tables
        if not is_mentioned or low is None or high is None or low == high:
            continue
        on = [c for c in base.rows if c.place is place]
        rest = tuple(c for c in base.conditions if c not in on)
        since = [c for c in on if c.operator in _FROM_ON]
        known_ends = [t for t in requirements.scene.tokens if t.number and 1000 < t.number < 3000]
        if len(known_ends) > len(since):
            continue  # whoever says both ends means those
        if on and len(since) != len(on):
            continue
        start = since[0].values[0] if since else _whole(low)
        at, until = (since[0].first, since[0].last) if since else (cue.first, cue.last)
        before, after = (
            Proposal(place, Operator.EQUAL, (value,), first, last, "unsaid", 0.5)
            for value, first, last in ((start, at, until), (_whole(high), cue.first, cue.last))
        )
        if before.values != after.values:
            yield base.but(conditions=(*rest, before, after)), before, after


def _whole(value: object) -> float | int:
    number = float(str(value))
    return int(number) if number == int(number) else number
