"""Names of tables and columns as words, and how alike a word of a question is to one of them."""

from __future__ import annotations

import re
from functools import lru_cache

from rapidfuzz import fuzz

from services.planner.domain.figures import FORMULA
from services.planner.domain.lexicon.amounts import is_amount
from services.planner.domain.lexicon.stop_words import STOP_WORDS
from services.planner.domain.lexicon.synonyms import (
    ABBREVIATIONS,
    GLUED,
    WHOLE_WORDS,
    synonyms,
)
from services.planner.domain.lexicon.tokens import stem

_LOWER_UPPER = re.compile(r"([a-z0-9])([A-Z])")
_UPPER_WORD = re.compile(r"([A-Z]+)([A-Z][a-z])")
_SAME, _SAME_STEM, _BEGINS, _SYNONYM, _SAME_ROOT = 1, 0.97, 0.75, 0.7, 0.65
_SHORT, _VERY_SHORT = 0.5, 0.35
_STATISTICS = frozenset(  # "age" is not short for "average"
    "average averages median minimum maximum number numbers total totals highest lowest".split()
)
_MISSPELT = 84  # of 100, by rapidfuzz


@lru_cache(maxsize=20_000)
def words_of(name: str) -> tuple[str, ...]:
    """The lower-case words of an identifier, short forms written out.

    "EMP_FNAME" gives employee, first, name. "no" is a number in "order_no", none in "no_show". What
    is written like a formula is one word: NO2, C6H6, PM10.
    """
    words: list[str] = []
    pieces: list[str] = []
    for at, part in enumerate(FORMULA.split(name)):
        spaced = _UPPER_WORD.sub(r"\1 \2", _LOWER_UPPER.sub(r"\1 \2", part))
        found = [part] if at % 2 else re.findall(r"[^\W\d_]+|\d+", spaced)
        pieces += [piece.lower() for piece in found]
    for at, piece in enumerate(pieces):
        denies = piece == "no" and at == 0 and pieces[1:2] not in ([], ["of"])
        words += [piece] if denies else _unglued(piece).split()
    return tuple(words) or (name.lower(),)


def _unglued(word: str) -> str:
    if word in ABBREVIATIONS:
        return ABBREVIATIONS[word]
    for ending in GLUED:
        rest = word[: -len(ending)]
        if (
            word.endswith(ending)
            and len(rest) >= (3 if ending == "id" else 1)
            and word not in WHOLE_WORDS
        ):
            return f"{ABBREVIATIONS.get(rest, rest)} {ending}"
    return word


def _is_word_of_its_own(text: str) -> bool:
    """Whether a word is known for what it says, so that it is no other word misspelt."""
    return is_amount(text) or bool(synonyms(stem(text)))


@lru_cache(maxsize=300_000)
def likeness(text: str, named: str) -> float:
    """How far a word of a question may stand for a word of a name: 1 the same, 0 not at all."""
    if text == named:
        return _SAME
    stemmed, target = stem(text), stem(named)
    if stemmed == target:
        return _SAME_STEM
    if text in STOP_WORDS:
        return 0.0
    if target in synonyms(stemmed):
        return _SYNONYM
    if min(len(text), len(named)) >= 4 and (text.startswith(named) or named.startswith(text)):
        return _BEGINS
    if len(stemmed) >= 5 and len(target) >= 5 and stemmed[:5] == target[:5]:
        return _SAME_ROOT
    shortened = text not in _STATISTICS and 2 <= len(named) <= 4
    if shortened and len(text) >= len(named) + 2 and text[0] == named[0]:
        letters = iter(text)
        if all(letter in letters for letter in named):
            return _SHORT if len(named) > 2 else _VERY_SHORT
    if len(text) >= 5 and len(named) >= 5 and fuzz.ratio(text, named) >= _MISSPELT:
        return 0.0 if _is_word_of_its_own(text) else _SYNONYM  # an altitude is no latitude
    return 0.0
