"""Verbs that say again what a reading tells: who "paid" the highest fare, what "weighs" most."""

from __future__ import annotations

from collections.abc import Iterator

from services.planner.domain.lexicon.tokens import stem
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sketch import Number, Sketch
from services.planner.domain.reader.grammar import fillers
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.semantics.units import holds_quantity

_MEASURING = {
    "money": "pay pays paid spend spends spent cost costs charge charges charged earn earns earned "
    "owe owes owed bring brings brought raise raised sell sells sold",
    "mass": "weigh weighs weighed",
    "time": "last lasts lasted take takes took wait waits waited stay stays stayed",
    "length": "fly flies flew flown travel travels travelled traveled drive drives drove driven "
    "walk walked run ran cover covered",
    "volume": "use uses used consume consumes consumed",
    "energy": "use uses used consume consumes consumed generate generates generated",
}
"""Verbs by the quantity that they measure."""


def verbs_read(scene: Scene, sketch: Sketch) -> Iterator[tuple[int, int]]:
    """Spans of verbs that the numbers of a reading say by themselves, or that its ranking does."""
    places = _list_places(sketch)
    for token in scene.tokens:
        for quantity, verbs in _MEASURING.items():
            if token.lower in verbs.split() and any(_holds(place, quantity) for place in places):
                yield token.index, token.index
    if sketch.sorting is not None or sketch.groups:
        yield from ((cue.first, cue.last) for cue in scene.words.find(fillers.ACTIONS))
        did = [cue.slot("word") for cue in scene.words.find(fillers.DOER)]
        yield from ((at, at) for at in did if at is not None)


def _list_places(sketch: Sketch) -> list[Place]:
    by = sketch.sorting.by if sketch.sorting is not None else None
    sorted_by = by.place if isinstance(by, Number) else by
    places = [*(n.place for n in sketch.made), sorted_by, *(c.place for c in sketch.conditions)]
    return [place for place in places if place is not None and place.number]


def _holds(place: Place, quantity: str) -> bool:
    own = place.measure
    named = holds_quantity({stem(word) for word in place.words}, quantity)
    return named or (own is not None and own.quantity == quantity)
