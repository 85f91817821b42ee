"""Averages over things of what their rows come to: the average order value, orders per customer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from services.planner.domain.query.joining.keys import key_of
from services.planner.domain.query.kinds import Aggregate
from services.planner.domain.reader.chart.requirements import Parts, Requirements
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sketch import COUNT, Number, Sketch
from services.planner.domain.reader.grammar import aggregation
from services.planner.domain.reader.grammar.rules import Cue
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.semantics.kinds import Kind

_SURELY = 0.95
_SUMMED = (Aggregate.AVERAGE, Aggregate.MEDIAN, Aggregate.MAXIMUM, Aggregate.MINIMUM)


@dataclass(frozen=True, slots=True)
class _PerEntity:
    """What is asked of each thing: by which `key` of which rows, and whether these are counted."""

    key: Place
    aggregate: Aggregate
    counted: bool
    at: int
    spent: bool = False


def list_numbers_per_entity(
    requirements: Requirements, parts: Parts
) -> Iterator[tuple[Number, tuple[Place, ...]]]:
    """The numbers of what each thing comes to, with the columns that are still shown."""
    for one in _list_entities(requirements.scene):
        named = {m.place.index for m in requirements.scene.mentions if m.first == one.at}
        shown = tuple(p for p in parts.shown if p.index not in named)
        if one.counted:
            yield Number(one.aggregate, per=one.key), shown
        for number in parts.numbers if not one.counted else ():
            if _is_summed(number.place, one, requirements.scene):
                yield number._replace(aggregate=one.aggregate, per=one.key), shown


def averages_rows(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether the average order value is told as that of single lines of orders, or for each
    order."""
    entities = _list_entities(requirements.scene)
    per = {n.per.index: n.per for n in sketch.made if n.per is not None}
    if per or not entities:
        if not per:
            return False
        links = requirements.scene.schema.catalogue.relationships
        same = {
            (link.to_table, link.to_column)
            for link in links
            for key in per.values()
            if (link.from_table, link.from_column) == (key.table.name, key.column.name)
        }
        counted = COUNT in sketch.numbers  # what is averaged is told by its average
        return counted or any(
            place.index in per or (place.table.name, place.column.name) in same
            for place in sketch.shown
        )
    return any(
        one.counted
        or any(
            n.aggregate in _SUMMED and _is_summed(n.place, one, requirements.scene)
            for n in sketch.made
        )
        for one in entities
    )


def _is_summed(place: Place | None, entities: _PerEntity, scene: Scene) -> bool:
    """Whether a number of single rows sums up to something of each thing: an amount of the lines
    that an order consists of, or that a customer spends. The salaries of a department are no
    amount of it."""
    key = entities.key
    if place is None or place.kind is not Kind.AMOUNT:
        return False
    if place.table.name != key.table.name:  # lines of the orders that tell whose they are
        tree = scene.graph.tree(place.table.name, [key.table.name])
        if tree.missing or any(step.fans_out for step in tree.relations):
            return False
    part = place.table.name == key.table.name and key.column.name in key_of(key.table)
    worked_out = place.definition is not None or bool(place.column.formula)
    return entities.spent or worked_out or part


@lru_cache(maxsize=8)
def _list_entities(scene: Scene) -> tuple[_PerEntity, ...]:
    """What is asked, for each reference to the things by rows of another table."""
    found: list[_PerEntity] = []
    links = scene.schema.catalogue.relationships
    for cue in scene.words.find(aggregation.OF_ENTITIES):
        slots = (cue.slot(name) for name in ("thing", "things", "of", "who"))
        at, word = next((slot for slot in slots if slot is not None), None), cue.slot("word")
        tables = _tables_at(scene, at)
        counted = _tables_at(scene, word)
        for link in links:
            if link.to_table not in tables or link.from_table == link.to_table:
                continue
            if cue.means == "number" and link.from_table not in counted:
                continue
            key = next(
                (
                    p
                    for p in scene.schema.of_table(link.from_table)
                    if p.column.name == link.from_column
                ),
                None,
            )
            if key is not None and at is not None:
                means = _aggregate(scene, cue)
                rows, spent = cue.means == "number", cue.means == "spend"
                found.append(_PerEntity(key, means, rows, at, spent))
    return tuple(dict.fromkeys(found))


def _tables_at(scene: Scene, at: int | None) -> set[str]:
    return {t.table.name for t in scene.tables if t.first == at and t.coverage >= _SURELY}


def _aggregate(scene: Scene, cue: Cue[str]) -> Aggregate:
    """What is made of the sums: as the words of the rule say."""
    rules = scene.words.find(aggregation.RULES)
    aggregates = [c.means for c in rules if cue.first <= c.first <= cue.last]
    return next((one for one in aggregates if one in _SUMMED), Aggregate.AVERAGE)
