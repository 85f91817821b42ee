"""Columns that nobody speaks of, where the words name the rows of a table outright.

"Orders" are the rows of the table of orders: neither the units on order of its products, nor the
freight that is the one number it holds, nor the name of the ship that they go by.
"""

from __future__ import annotations

from functools import lru_cache

from services.planner.domain.query.kinds import Aggregate, Calculation
from services.planner.domain.reader.chart.calculated import aggregates_said
from services.planner.domain.reader.chart.requirements import Requirements
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sketch import COUNT, Sketch
from services.planner.domain.reader.links.mentions import Mention, Tie
from services.planner.domain.reader.links.naming import names_of
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.semantics.kinds import Kind

_OUTRIGHT, _PART = 0.95, 0.5
_MONEY = frozenset("sale sales order_value revenue turnover earnings".split())
_OF_NUMBERS = (Aggregate.SUM, Aggregate.AVERAGE, Aggregate.MEDIAN)


def takes_rows_for_column(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether a column is told whose name the words of a table are but a part of, or that its table
    is not called by: the "ship name" of orders, for a shipper or for the orders themselves."""
    unspoken = _in_part(requirements.scene)
    places = (*sketch.shown, *sketch.split, *(p for number in sketch.made for p in number.places))
    return any(place in unspoken for place in places)


@lru_cache(maxsize=8)
def _in_part(scene: Scene) -> frozenset[Place]:
    """The columns of which only words are said that name a table outright."""
    return frozenset(
        mentions[0].place
        for mentions in scene.by_place.values()
        if mentions[0].place.kind is not Kind.ID and all(_for_rows(scene, m) for m in mentions)
    )


def _for_rows(scene: Scene, mention: Mention) -> bool:
    """Whether a word that stands for a column only in part names a table: another one, or its own,
    which is called by another column."""
    place = mention.place
    named = {
        t.table.name for t in scene.tables if t.first == mention.first and t.coverage >= _OUTRIGHT
    }
    if mention.first != mention.last or mention.coverage > _PART or not named:
        return False
    if mention.tie is Tie.IMPLIED:
        names = names_of(scene.schema, place.table.name)
        return bool(names) and place not in names
    return mention.tie is Tie.NAME and place.table.name not in named


def works_on_unspoken(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether the growth or the running total "of orders" is that of a number of theirs which
    nobody speaks of."""
    scene, worked = requirements.scene, sketch.worked
    if worked is None or worked.how is Calculation.SHARE or not _rows_said(scene):
        return False
    if any(cue.means in _OF_NUMBERS for cue in aggregates_said(scene)):
        return False
    places = [number.place for number in sketch.numbers if number.place is not None]
    return any(
        place.number and all(m.tie is not Tie.NAME for m in scene.by_place.get(place.index, ()))
        for place in places
    )


def averages_entities(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether the "median of customers" is that of a number of another table, which nobody speaks
    of."""
    scene = requirements.scene
    for cue in aggregates_said(scene):
        if cue.means not in _OF_NUMBERS or cue.means is Aggregate.SUM:
            continue
        at = cue.last + (2 if scene.between(cue.last + 1, cue.last + 2) == "of" else 1)
        entities = {t.table.name for t in scene.tables if t.first == at and t.coverage >= _OUTRIGHT}
        named = any(
            m.tie is Tie.NAME and m.first == at and m.place.number and m.coverage > _PART
            for m in scene.mentions
        )
        if (
            entities
            and not named
            and any(
                n.aggregate is cue.means
                and n.per is None
                and n.place is not None
                and n.place.table.name not in entities
                and not scene.by_place.get(n.place.index)
                for n in sketch.made
            )
        ):
            return True
    return False


def counts_beside(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether rows are counted beside a number that is asked for, though no word asks how many."""
    by = sketch.sorting.by if sketch.sorting is not None else None
    return (
        len(sketch.numbers) > 1
        and COUNT in sketch.numbers
        and by != COUNT
        and not requirements.counts
    )


def _rows_said(scene: Scene) -> bool:
    """Whether rows are spoken of by the name of their table, and not by a word for money."""
    return any(
        t.coverage >= _OUTRIGHT and scene.tokens[t.first].lower not in _MONEY for t in scene.tables
    )


RULES = (takes_rows_for_column, works_on_unspoken, averages_entities, counts_beside)
