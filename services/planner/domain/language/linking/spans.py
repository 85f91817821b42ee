"""Which runs of words may be names: they begin and end with words of content."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from services.planner.domain.lexicon.normalise import Token
from services.planner.domain.lexicon.vocabulary import (
    LINKING_WORDS,
    STOP_WORDS,
)

_LINKING = LINKING_WORDS | {"each", "every"}
COUNTING_WORDS = frozenset(["number", "numbers", "total", "count", "counts"])
_NAME_STOP_WORDS = STOP_WORDS - frozenset(
    """first last number count total average top bottom maximum minimum low high start end from to
    result results order like total figure""".split()
)


def spans_of(tokens: Sequence[Token], longest: int) -> Iterator[tuple[int, int]]:
    """Every run of at most `longest` tokens that may be a name."""
    for first, token in enumerate(tokens):
        if not is_content(token):
            continue
        for last in range(first + 1, min(len(tokens), first + longest) + 1):
            end = tokens[last - 1]
            if end.used or end.mark or end.quoted or _begins_anew(tokens, first, last - 1):
                break
            if is_content(end) and not (last - first > 1 and end.number is not None):
                yield first, last


def _begins_anew(tokens: Sequence[Token], first: int, place: int) -> bool:
    """Whether a number is one of things, not of a name: "the rates for the 3 candidates"."""
    counting = tokens[place].number is not None and place > first
    return counting and tokens[place - 1].lower in STOP_WORDS


def bridges(token: Token) -> bool:
    """Whether a word may stand inside a name: "date of birth"."""
    return token.lower in _LINKING or token.lower not in _NAME_STOP_WORDS


def is_content(token: Token) -> bool:
    """Whether a token may begin or end a name."""
    return not (
        token.used
        or token.mark
        or token.quoted
        or (token.number is not None and not token.stem)
        or token.lower in _NAME_STOP_WORDS
    )


def content_stems(tokens: Sequence[Token]) -> list[str]:
    """The stems of a phrase without the words that only link."""
    return [
        t.stem
        for t in tokens
        if t.stem and not t.mark and (t.lower not in _LINKING or len(tokens) == 1)
    ]
