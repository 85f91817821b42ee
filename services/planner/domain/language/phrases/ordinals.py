"""Places in a ranking that are not the first: "second most expensive", "2nd highest"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from services.planner.domain.language.normalising.cues import SUPERLATIVES
from services.planner.domain.language.phrases.superlatives import Top
from services.planner.domain.language.scene import Scene
from services.planner.domain.lexicon.normalise import Token

_TAKEN = "ordinal"
ONE = "one"
_BEFORE_ONE = frozenset("only just exactly precisely than least most with have has had".split())
_WORDS = {
    word: place
    for place, word in enumerate(
        "second third fourth fifth sixth seventh eighth ninth tenth".split(), start=2
    )
}
_DIGITS = re.compile(r"(\d{1,4})(?:st|nd|rd|th)")


def take_ordinals(tokens: Sequence[Token]) -> None:
    """Takes the "second" before a superlative, and "only one", so that they are part of no name."""
    for index, token in enumerate(tokens):
        after = _after(tokens, index)
        ranked = after < len(tokens) and tokens[after].lower in SUPERLATIVES
        if _place(token.lower) and ranked and not token.used and not token.quoted:
            token.used = _TAKEN
        counted = index > 0 and tokens[index - 1].lower in _BEFORE_ONE
        if token.lower == "one" and counted and not token.used and not token.quoted:
            token.used = ONE


def place_in_ranking(scene: Scene) -> tuple[int, int] | None:
    """Which place is asked for, and where its superlative stands."""
    for index, token in enumerate(scene.tokens):
        if token.used == _TAKEN:
            return _place(token.lower), _after(scene.tokens, index)
    return None


def _after(tokens: Sequence[Token], index: int) -> int:
    """The next word; "second-most" has a hyphen before it."""
    after = index + 1
    while after < len(tokens) and tokens[after].mark:
        after += 1
    return after


def with_place(scene: Scene, top: Top | None, said: tuple[int, int] | None) -> Top | None:
    """The ranking that begins at the place asked for; the one row there is wanted."""
    if said is None:
        return top
    place, at = said
    if top is None:
        word = scene.tokens[at]
        word.used = word.used or "top"
        top = Top(1, SUPERLATIVES[word.lower], at + 1, word=word.lower)
    top.count, top.skip = 1, place - 1
    return top


def _place(word: str) -> int:
    """The place that an ordinal names; 0 for other words."""
    digits = _DIGITS.fullmatch(word)
    return int(digits[1]) if digits else _WORDS.get(word, 0)
