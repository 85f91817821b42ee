"""The words that an answer may be told in, and which of them state something of the data. Pure.

An answer's text consists of numbers, names and quotations, which are held against cells, and of
words. A word that is listed here as stating something stands only within an assertion of a kind
that bears it; any other must be one of the plain ones. So a text cannot say what nothing was
recorded for, in whatever words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from mesh.proof import wording_elsewhere as elsewhere

# By kind of assertion, the words that say so.
_STATING = {
    "highest": "highest greatest most peaked led all each largest biggest",
    "highest_shared": "highest greatest most peaked several times each",
    "lowest": "lowest smallest fewest each least",
    "lowest_shared": "lowest smallest fewest several times each",
    "following": "followed",
    "rose": "rose increased grew",
    "fell": "fell decreased dropped",
    "unchanged": "stayed same",
    "rose_most": "rose most",
    "rose_least": "rose least",
    "fell_most": "fell most",
    "fell_least": "fell least",
    "first": "began",
    "last": "ended reached",
    "same": "same throughout",
    "none": "no none",
    "empty": "no nothing matches left",
    "total": "total",
    "range": "range ranges ranged",
    "quartiles": "median half values lie lies lay between",
    "together": "together",
    "related": "rise move against each other related together hardly weakly moderately strongly",
    "listed": "beginning others",
    "missing_most": "missing most",
    "effect": "raises lowers no seen effect each more",
    "estimate": "plain comparison adjusted effect nothing",
    "profile": "repeat repeats earlier one goes mean median missing",
    "part": "not came come back active",
    "curve": "active",
    "farthest": "farthest others",
    "lacking": "missing fewer elsewhere",
    "too_long": "all too long",
    "moved": "rose fell stayed same change scaled",
    "off_forecast": "forecast actual above below difference",
    "usual": "so large such change unusual usual chance makes one probability below",
    "weekdays": "same weekday beside change each",
    "explained": (
        "most likely less possible which rose fell stayed same changed mix new gone everything "
        "moved alike change effect since about below p missing forecast actual above difference"
    ),
    "at_fault": "most likely less possible fault",
    "in_doubt": "doubt",
    "contradicted": "not fall rise",
    "none_stands_out": "no segment stands chance whole moved part unlike rest",
    "habit": "what earlier periods differ which rose fell stayed same effect change",
    "last_year": "earlier everything went same way may season",
}
_EVERY = {
    kind: (*words.split(), *elsewhere.STATING.get(kind, "").casefold().split())
    for kind, words in _STATING.items()
}
STATING: dict[str, frozenset[str]] = {
    word: frozenset(kind for kind, words in _EVERY.items() if word in words)
    for word in {word for words in _EVERY.values() for word in words}
}
"""By word, the kinds of assertion that bear it, in every language that answers are told in."""

_PLAIN = frozenset(
    """a after an and are as associational assumes at be by closest column columns combinations
    correlation data described below file for from had has have holds if in interval is it its match
    month months number of on or out pearson quarter quarters read result row rows s table
    tell that the their them there these they this to value values was week weeks were when where
    with within year years day days hour hours did tell your statement""".split()
)
PLAIN = _PLAIN | (elsewhere.PLAIN - STATING.keys())
"""Words that state nothing by themselves."""

UNITS = frozenset(
    """mm cm m km g kg ms mol mph usd eur gbp jpy chf kwh kmh percent pct celsius fahrenheit c
    f""".split()
)
"""Words at the end of a column's name that are its unit."""

_WORD = re.compile(r"[^\W\d_]+")
_MARKS = frozenset(" .,;:()+/'’-–") | elsewhere.MARKS


def find_unknown_character(text: str) -> str | None:
    """A character of a text between pieces that is neither of a word nor a common mark, or None."""
    rest = _WORD.sub("", text)
    return next((character for character in rest if character not in _MARKS), None)


def words_of(text: str) -> Iterable[tuple[int, int, str]]:
    """The words of a text: start, end, and the word in lower case."""
    for found in _WORD.finditer(text):
        begin, word = found.start(), found.group()
        if elsewhere.is_han(word):
            for start, end in elsewhere.han_words(word):
                yield begin + start, begin + end, word[start:end]
        else:
            yield begin, found.end(), word.casefold()


def tokens(text: str) -> frozenset[str]:
    """Words and numbers of a name or a quotation, alike in singular and plural.

    "OrderDetails" is also "order" and "details".
    """
    spread = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text)
    parts = [*re.findall(r"[^\W\d_]+|\d+", text), *re.findall(r"[^\W\d_]+|\d+", spread)]
    return frozenset(stem(part.casefold()) for part in parts)


def stem(word: str) -> str:
    """A word without its plural."""
    for ending, instead in (("ies", "y"), ("es", ""), ("s", "")):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return _bare(word[: -len(ending)] + instead)
    return _bare(word)


def _bare(word: str) -> str:
    return word[:-1] if word.endswith("e") and len(word) > 3 else word
