"""Things that a value is said of: the "products" of "discount on dairy products" are no groups."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sketch import Sketch
from services.planner.domain.reader.grammar import ordering
from services.planner.domain.reader.grammar.splitting import Split, splits
from services.planner.domain.reader.links.mentions import Mention, Tie
from services.planner.domain.reader.links.schema import Place

_NAMED = 0.8
_ASKING = frozenset("which what who each list show compare all".split())


@lru_cache(maxsize=8)
def described(scene: Scene) -> list[Mention]:
    """The mentions of text columns in the plural right behind a value of another, where no word
    asks for groups or for things."""
    if splits(scene.words, Split.OF_EACH, Split.OVER, Split.AGAINST):
        return []
    words = scene.words
    ranked = bool(words.find(ordering.DIRECTIONS)) or bool(words.find(ordering.TOP))
    if ranked or words.find(ordering.SORTING):
        return []
    if any(t.lower in _ASKING or t.number is not None for t in scene.tokens):
        return []
    return [
        m
        for m in scene.mentions
        if m.tie is Tie.NAME
        and m.coverage >= _NAMED
        and m.place.text
        and scene.tokens[m.last].lower.endswith("s")
        and any(v.last + 1 == m.first and v.place is not m.place for v in scene.values)
    ]


def splits_described(shown: Iterable[Place], scene: Scene) -> bool:
    """Whether one of the columns shown is but what a value is said of."""
    places = set(shown)
    return any(m.place in places for m in described(scene))


def tells_described(sketch: Sketch, scene: Scene) -> bool:
    """Whether a reading tells numbers apart by what a value is said of."""
    counted = any(number.aggregate is not None for number in sketch.made)
    return counted and splits_described(sketch.shown, scene)
