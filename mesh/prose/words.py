"""Words that state something of the data, where they stand in prose; `vocabulary` lists them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from mesh.prose.vocabulary import (
    HARMLESS,
    HEDGES,
    LESS,
    MORE,
    NO_SUPERLATIVES,
    SOFT,
    STRICT,
    States,
)

PLACES = "next second third fourth fifth sixth seventh eighth ninth tenth".split()
_BEGINS = "(?:(?<![\\w-])|" + "|".join(f"(?<={nth}-)" for nth in PLACES) + ")"
_SUPERLATIVE = re.compile(
    rf"{_BEGINS}(?!(?:{NO_SUPERLATIVES})\b)[a-z]{{3,}}est\b",
    re.IGNORECASE,
)
"""Superlatives whose polarity is not listed: either end of the column bears them."""
_ALONE = {
    "up": States.UP,
    "down": States.DOWN,
    **dict.fromkeys([*MORE.split("|"), "above"], States.MORE),
    **dict.fromkeys([*LESS.split("|"), "few", "below"], States.LESS),
}
"""Words that state something where they are bound, and alone may mean other things."""
_NOT = re.compile(
    r"\b(?:not|no|never|neither|nor|hardly|cannot|without|unlikely)\b|n't\b", re.IGNORECASE
)
_SECOND = re.compile(
    rf"\b({'|'.join(PLACES)}|\d+(?:nd|rd|th))(?:[ -]| from (?:the )?)$", re.IGNORECASE
)
_WITHIN = re.compile(
    rf"{'|'.join(PLACES[1:])}|runner|last but|next to last|penultimate", re.IGNORECASE
)
_NEAR = 200
"""How many characters before a word or number may hedge or turn it: texts may be long."""
SIGNS = {"<": "<", ">": ">", "≤": "<", "≥": ">", "≈": "about", "~": "about"}
TIMES_OF = {
    **{"doubl": 2.0, "twice": 2.0, "tripl": 3.0, "quadrupl": 4.0, "halv": 0.5, "half": 0.5},
    **{"two": 2.0, "three": 3.0, "four": 4.0, "five": 5.0, "six": 6.0, "seven": 7.0, "eight": 8.0},
    "ten": 10.0,
}


def _any_of(phrases: str) -> str:
    return "|".join(part.strip() for part in re.split(r"\n|(?<!\\)\|(?![^(]*\))", phrases))


_PATTERNS = [
    (states, re.compile(rf"{_BEGINS}(?:{_any_of(words)})(?!\w)", re.IGNORECASE), soft)
    for listed, soft in ((STRICT, False), (SOFT, True))
    for states, words in listed.items()
]
_HARMLESS = re.compile(rf"\b(?:{_any_of(HARMLESS)})\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Word:
    """A stating word where it stands. `rank` is 2 for "second-highest".

    A `soft` one is judged where bound cells decide, and needs none to stand.
    """

    start: int
    end: int
    text: str
    states: States
    negated: bool = False
    rank: int = 1
    soft: bool = False
    hedge: str = ""


@lru_cache(maxsize=2_000)
def words_in(prose: str) -> tuple[Word, ...]:
    """The stating words of a stretch of prose, in order; of two that overlap the longer."""
    plain = _HARMLESS.sub(lambda found: " " * len(found.group()), prose)
    found = [
        _word(plain, match, states, soft)
        for states, pattern, soft in _PATTERNS
        for match in pattern.finditer(plain)
    ]
    found += [_word(plain, match, States.EXTREME) for match in _SUPERLATIVE.finditer(plain)]
    found.sort(key=lambda word: (word.start, -word.end, word.soft))
    kept: list[Word] = []
    for word in found:
        if not kept or word.start >= kept[-1].end:
            kept.append(word)
    return tuple(kept)


def states_of(text: str) -> States | None:
    """What a bound word states, or None for one that states nothing that is known."""
    found = words_in(text)
    if not found:
        return next((_ALONE[word] for word in text.casefold().split() if word in _ALONE), None)
    return found[0].states if found else None


def is_negated(before: str, words: int = 3) -> bool:
    """Whether one of the last few words before a place says "not"."""
    return _NOT.search(" ".join(before[-_NEAR:].split()[-words:])) is not None


def hedge_before(prose: str) -> str:
    """How a number is hedged by the words before it: "more", "over" (at least), "less",
    "under" (at most), "about", a sign ("<", ">"), or nothing."""
    prose = prose[-_NEAR:]
    if (sign := prose.rstrip()[-1:]) in SIGNS:
        return SIGNS[sign]
    return _longest(
        (hedge, re.search(rf"(?:^|\W)(?:{words})\s*$", prose, re.IGNORECASE))
        for hedge, words in HEDGES.items()
    )[0]


def leading_hedge(text: str) -> tuple[str, str] | None:
    """The hedge that a text begins with, and what is behind it: "nearly half"."""
    if text[:1] in SIGNS:
        return SIGNS[text[0]], text[1:].strip()
    hedge, end = _longest(
        (hedge, re.match(rf"(?:{words})\s+(?=\S)", text, re.IGNORECASE))
        for hedge, words in HEDGES.items()
    )
    return (hedge, text[end:]) if hedge else None


def _longest(found: Iterable[tuple[str, re.Match[str] | None]]) -> tuple[str, int]:
    """The hedge whose words are the longest ("no more than"), and where they end."""
    kept = [(len(match[0]), hedge, match.end()) for hedge, match in found if match]
    _, hedge, end = max(kept, default=(0, "", 0))
    return hedge, end


def _word(prose: str, found: re.Match[str], states: States, soft: bool = False) -> Word:
    before = prose[max(found.start() - _NEAR, 0) : found.start()]
    place = _SECOND.search(before)
    rank = 1
    if place and states in (States.HIGHEST, States.LOWEST, States.EXTREME):
        text = place[1].casefold().replace("next", "second")
        names = ["first", *PLACES[1:]]
        rank = names.index(text) + 1 if text in names else int(re.sub(r"\D", "", text))
    if states is States.EXTREME and (within := _WITHIN.search(found.group())):
        rank = (
            max(PLACES.index(within[0].casefold()) + 1, 2) if within[0].casefold() in PLACES else 2
        )
    negated = is_negated(before) != found.group().casefold().startswith(
        ("insign", "statistically in", "by chance", "to chance")
    )
    hedge = hedge_before(before) if states is States.TIMES else ""
    return Word(found.start(), found.end(), found.group(), states, negated, rank, soft, hedge)
