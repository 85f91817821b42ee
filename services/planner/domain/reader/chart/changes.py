"""Sketches of a number set against itself: between two years, two terms, two groups."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from services.planner.domain.language.kinds import Operator
from services.planner.domain.reader.chart.pieces import Proposal
from services.planner.domain.reader.chart.said import Parts, Said
from services.planner.domain.reader.chart.sketch import (
    COUNT,
    Change,
    Number,
    Sketch,
    Sorting,
    natural,
)
from services.planner.domain.reader.grammar.changing import RULES
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.reader.links.semantics import Kind

_PLAIN = (Operator.EQUAL, Operator.BETWEEN, Operator.IN)
_NO_NUMBERS = (Kind.ID, Kind.DATE_PART, Kind.FLAG)
_COST = 0.3


def change_sketches(said: Said, parts: Parts, base: Sketch) -> Iterator[tuple[Sketch, float]]:
    """The change from the rows of one condition to those of another on the same column."""
    ways = tuple(dict.fromkeys(cue.means for cue in said.scene.words.find(RULES)))
    if not ways or base.either:
        return
    rows = sorted((c for c in base.rows if c.operator in _PLAIN), key=lambda c: c.first)
    for one, other in pairwise(rows):
        if one.place is None or one.place is not other.place or one.values == other.values:
            continue
        number, groups = _number(parts, one)
        before, after = _in_time(one, other)
        kept = tuple(p for p in groups if p is not one.place)
        for how in ways:
            told = base.but(
                shown=kept, numbers=(number,), grouped=True, change=Change(before, after, how)
            )
            yield told, 0.0
            if not kept:
                continue
            falling = not said.least
            for limit in dict.fromkeys((1, said.few)):
                if limit is not None:
                    yield told.but(sorting=Sorting(number, falling), limit=limit), _COST


def _number(parts: Parts, one: Proposal) -> tuple[Number, tuple[Place, ...]]:
    """What is set against itself, and what it is split by."""
    if parts.numbers:
        return parts.numbers[0], parts.shown
    values = [p for p in (*parts.ordered, *parts.shown) if p.number and p.kind not in _NO_NUMBERS]
    values = [p for p in values if p is not one.place]
    if not values:
        return COUNT, parts.shown
    return natural(values[0]), tuple(p for p in parts.shown if p is not values[0])


def _in_time(one: Proposal, other: Proposal) -> tuple[Proposal, Proposal]:
    """The earlier first, where they are times or numbers; else the first that is said comes after.

    "December against November" is December less November.
    """
    place = one.place
    timed = place is not None and (place.time or place.number)
    if not timed:
        return other, one
    return (one, other) if str(one.values[0]) <= str(other.values[0]) else (other, one)
