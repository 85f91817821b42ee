"""Rows that are counted beside an amount of the same groups: "orders and revenue by month"."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from services.planner.domain.lexicon.tokens import stem
from services.planner.domain.query.joining.keys import key_of
from services.planner.domain.query.kinds import Aggregate
from services.planner.domain.reader.chart.calculated import aggregates_said
from services.planner.domain.reader.chart.requirements import Parts, Requirements
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sketch import COUNT, Number, Sketch, Sorting
from services.planner.domain.reader.grammar.splitting import Split, splits
from services.planner.domain.reader.links.mentions import Tie
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.semantics.kinds import Kind

_OUTRIGHT, _NAMED = 0.95, 0.8
_MEASURED = (Kind.AMOUNT, Kind.LEVEL)
_Pair = tuple[Place, frozenset[int], bool]


def counted_beside_sketches(
    requirements: Requirements, parts: Parts, base: Sketch
) -> Iterator[tuple[Sketch, float]]:
    """The groups with both numbers, in the order in which the words tell them."""
    for key, amounts, first in _pairs(requirements.scene):
        told = tuple(n for n in parts.numbers if n.place is not None and n.place.index in amounts)
        if len(told) != 1 or told[0].aggregate is None:
            continue
        counted = Number(Aggregate.COUNT_DISTINCT, key)
        numbers = (counted, *told) if first else (*told, counted)
        shown = tuple(
            p
            for p in dict.fromkeys((*parts.shown, *parts.split))
            if p.index not in amounts and not (p.table is key.table and _names(p, key))
        )
        groups = base.but(shown=shown, numbers=numbers, grouped=bool(shown))
        yield groups, 0.0
        for place in shown:
            if place.time:
                yield groups.but(sorting=Sorting(place, descending=False)), 0.0


def leaves_out_counted(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether only one of both numbers is told of each group."""
    pairs = _pairs(requirements.scene)
    return bool(pairs) and not any(
        any(_counts(number, key) for number in sketch.numbers)
        and any(n.place is not None and n.place.index in amounts for n in sketch.numbers)
        for key, amounts, _ in pairs
    )


def _counts(number: Number, key: Place) -> bool:
    if number == COUNT:
        return True
    return number.aggregate is Aggregate.COUNT_DISTINCT and number.place is key


def _names(place: Place, key: Place) -> bool:
    """Whether a column tells which one a row is: its key, its name."""
    return place is key or place.kind is Kind.ID or place.words[-1:] == ("name",)


@lru_cache(maxsize=8)
def _pairs(scene: Scene) -> tuple[_Pair, ...]:
    """The key of the rows that are counted, the columns of the amount beside them, and whether the
    rows are told first. None where nothing is told by groups, or what is made of numbers is
    said."""
    cues = splits(scene.words, Split.OF_EACH)
    if not cues or aggregates_said(scene):
        return ()
    return tuple(_find_pairs(scene, min(cue.first for cue in cues)))


def _find_pairs(scene: Scene, before: int) -> Iterator[_Pair]:
    for entity in scene.tables:
        key = _sole_key(scene, entity.table.name)
        plural = scene.tokens[entity.last].lower.endswith("s")
        if key is None or not plural or entity.coverage < _OUTRIGHT or entity.last >= before:
            continue
        amounts: dict[tuple[int, bool], set[int]] = {}
        for mention in scene.mentions:
            measured = mention.place.number and mention.place.kind in _MEASURED
            if not measured or mention.tie is not Tie.NAME or mention.coverage < _NAMED:
                continue
            if mention.last >= before or _is_in_name(scene, mention.place, entity.first):
                continue
            if scene.between(entity.last + 1, mention.first) == "and":
                amounts.setdefault((mention.first, True), set()).add(mention.place.index)
            elif scene.between(mention.last + 1, entity.first) == "and":
                amounts.setdefault((mention.first, False), set()).add(mention.place.index)
        for (_, first), indices in amounts.items():
            yield key, frozenset(indices), first


def _is_in_name(scene: Scene, place: Place, at: int) -> bool:
    """Whether the word for the rows is a part of the column's own name: "orders and units on
    order"."""
    return scene.tokens[at].stem in {stem(word) for word in place.words}


def _sole_key(scene: Scene, table: str) -> Place | None:
    """The one column that tells the rows of a table apart."""
    known = scene.schema.catalogue.table(table)
    key = key_of(known) if known is not None else ()
    places = [p for p in scene.schema.of_table(table) if p.column.name in key]
    return places[0] if len(places) == 1 and len(key) == 1 else None


RULES = (leaves_out_counted,)
