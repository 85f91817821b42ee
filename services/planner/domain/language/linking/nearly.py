"""Words that are written otherwise than a name: misspelled, cut short, or as its initials."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rapidfuzz import fuzz
from rapidfuzz.distance import OSA

from services.planner.domain.language.normalising.cues import AGGREGATE_WORDS, SUPERLATIVES
from services.planner.domain.lexicon.normalise import stem

_VOWELS = frozenset("aeiouy")
_SAME_ENOUGH = 86
_MISSPELLED_FROM, _CUT_FROM = 4, 3
_LONGEST_SHORT_FORM = 5
_SHORTEST_LONG_FORM = 5
_MOST = 3
# They say what to do with numbers: "median" is no longer form of "media".
_CUES = frozenset(form for w in (*AGGREGATE_WORDS, *SUPERLATIVES) for form in (w, stem(w)))
# Short words of their own, which are no short form of longer ones ("car" of "carrier").
_WHOLE_WORDS = frozenset(
    """age air all and any app arm art bag bar bed bid bit box bus buy can cap car card case cell
    cent city clan club cost day diet due end era fact fan farm fee file film fine firm form fun
    gas goal hall hand head hit home host hot ice item job key kind land last late law leg life
    line link list log loss lot low man map mark max men menu min mode name net new note off oil
    one open order out own pain pair park part pass past path pay pen per pet pie pit plan play
    plot pool port post race rail rain rank rate ray read real rent rest role room row run sale
    seat set show sign site size skin son song spot star stat stem step sum sun tag tank tax team
    term test time tip ton tool tour town trip tub use user van view vote wage war web win wing
    year zone""".split()
)


def misspelled(word: str, vocabulary: Iterable[str]) -> list[str]:
    """Up to three words of the vocabulary that this one may be a misspelling of, nearest first."""
    if len(word) < _MISSPELLED_FROM or word in _CUES:
        return []
    found: list[tuple[int, float, str]] = []
    for other in vocabulary:
        if abs(len(other) - len(word)) > 2 or len(other) < _MISSPELLED_FROM:
            continue
        alike = fuzz.ratio(word, other)
        turned = sorted(word) == sorted(other) and OSA.distance(word, other, score_cutoff=1) == 1
        if alike >= _SAME_ENOUGH or turned:
            found.append((0 if turned else 1, -alike, other))
    return [other for _, _, other in sorted(found)[:_MOST]]


def is_short_for(short: str, word: str) -> bool:
    """Whether a name's word is the start, or the consonants, of a longer one: "enr", "qty"."""
    if not 2 <= len(short) <= _LONGEST_SHORT_FORM or not short.isalpha():
        return False
    if word in _CUES or short in _WHOLE_WORDS or len(word) < len(short) + 2 or short[0] != word[0]:
        return False
    if len(short) >= _CUT_FROM and word.startswith(short):
        return len(word) >= _SHORTEST_LONG_FORM
    plural = word if word.endswith("s") else f"{word}s"
    return not set(short) & _VOWELS and _in_order(short, plural)


def _in_order(letters: str, word: str) -> bool:
    rest = iter(word)
    return all(letter in rest for letter in letters)


def initials(words: Sequence[str]) -> str:
    """The first letters of several words."""
    return "".join(word[:1] for word in words) if len(words) > 1 else ""
