"""Values that are denied together: "not from Spain, Italy or France" is from none of them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.links.values import ValueLink

_LISTING = frozenset(("or", "and", "nor", ",", "from", "in", "of", "the", "those"))

Listed = tuple[ValueLink, ...]


@lru_cache(maxsize=8)
def denied_lists(scene: Scene) -> tuple[Listed, ...]:
    """The values of one column that follow each other in a list behind a word that says no."""
    by_place: dict[int, dict[int, ValueLink]] = {}
    for link in scene.values:
        if link.how != "part" and scene.negated(link.first):
            by_place.setdefault(link.place.index, {}).setdefault(link.first, link)
    return tuple(
        one for found in by_place.values() for one in _chains(scene, found) if len(one) > 1
    )


def _chains(scene: Scene, found: dict[int, ValueLink]) -> Iterator[Listed]:
    chain: Listed = ()
    for first in sorted(found):
        if chain and not _lists(scene, chain[-1].last + 1, first):
            yield chain
            chain = ()
        chain = (*chain, found[first])
    yield chain


def _lists(scene: Scene, first: int, end: int) -> bool:
    """Whether the words between two values say no more than that both are meant."""
    return first < end and all(token.lower in _LISTING for token in scene.tokens[first:end])
