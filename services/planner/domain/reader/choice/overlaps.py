"""Which mentions lie over one another: found once a place in the words, not once a mention."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import TypeVar

from services.planner.domain.reader.links.mentions import Mention

Number = TypeVar("Number", int, float)

_WHOLE = 0.9


class Overlaps:
    """What lies over each mention beside itself.

    Of a table with 2,000 columns of like names a word may mention all: each of them compared with
    each other would take longer than all else of a question.
    """

    def __init__(self, mentions: Sequence[Mention]) -> None:
        places = {(mention.first, mention.last) for mention in mentions}
        self._over = {place: _over(mentions, *place) for place in places}

    def best(self, mention: Mention) -> float:
        """The highest coverage of another; 0 where there is none."""
        return _most_but(mention.coverage, self._at(mention)[0])

    def as_good(self, mention: Mention) -> int:
        """How many others cover no less."""
        coverages, _ = self._at(mention)
        return len(coverages) - bisect_left(coverages, mention.coverage) - 1

    def longest(self, mention: Mention) -> int:
        """By how many words the longest other goes on, of those that cover their whole name."""
        _, lengths = self._at(mention)
        if mention.coverage > _WHOLE:
            return _most_but(mention.last - mention.first, lengths)
        return lengths[-1] if lengths else 0

    def _at(self, mention: Mention) -> tuple[list[float], list[int]]:
        return self._over[mention.first, mention.last]


def _over(mentions: Sequence[Mention], first: int, last: int) -> tuple[list[float], list[int]]:
    """The coverages, and the lengths of those that are whole, from low to high."""
    over = [m for m in mentions if m.first <= last and m.last >= first]
    return sorted(m.coverage for m in over), sorted(
        m.last - m.first for m in over if m.coverage > _WHOLE
    )


def _most_but(own: Number, ordered: list[Number]) -> Number:
    """The most of what is left without one's own; 0 where that is nothing."""
    left = ordered[-2:-1] if ordered[-1] == own else ordered[-1:]
    return left[0] if left else type(own)(0)
