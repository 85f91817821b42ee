"""Fast and slow, where the data tells how long things take: the slowest takes longest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from services.planner.domain.lexicon.tokens import Token, stem
from services.planner.domain.reader.links.schema import Place, Schema

_DURATIONS = {"slowest": "longest", "fastest": "shortest", "quickest": "shortest"}
_SPEEDS = frozenset("speed velocity mph kmh kph pace knots".split())
_SPANS = frozenset(
    stem(word) for word in "time duration elapsed seconds minutes hours days milliseconds".split()
)


def by_length(tokens: Sequence[Token], schema: Schema) -> tuple[Token, ...]:
    """The tokens, with what is fast read as short where columns tell times and none a speed."""
    if not any(token.lower in _DURATIONS for token in tokens):
        return tuple(tokens)
    if any(is_speed(place) for place in schema.places) or not any(map(is_span, schema.places)):
        return tuple(tokens)
    return tuple(_to_duration(token) for token in tokens)


def is_speed(place: Place) -> bool:
    """Whether the fastest has the highest of it."""
    return place.number and not _SPEEDS.isdisjoint(place.words)


def is_span(place: Place) -> bool:
    """Whether the slowest has the highest of it."""
    return place.number and not _SPANS.isdisjoint(map(stem, place.words))


def _to_duration(token: Token) -> Token:
    word = _DURATIONS.get(token.lower)
    return token if word is None or token.quoted else replace(token, lower=word, stem=stem(word))
