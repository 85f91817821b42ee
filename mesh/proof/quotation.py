"""What a text may quote: words of the question, the plan and the columns, and numbers as these have
them. Pure.

A quotation is no claim: no cell is behind a number in it. So a number is quoted whole, with its
decimals and its per cent, and beside a word that it stands beside there too: "top 3" is no "3 by
country", and 736.50 is not made of a 736 and a 50 that are somewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from mesh.proof.wording import PLAIN, stem, tokens
from mesh.proof.wording_elsewhere import is_han

_PIECE = re.compile(
    r"(?P<number>(?<![^\W_])(?:\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)*)(?![^\W_]))"
    r"(?P<percent>\s?%|\s(?:percent|per cent|pct)\b)?"
    r"|(?P<word>[^\W_]+)",
    re.IGNORECASE,
)
_ID = re.compile(r"\b(?=\w*\d)(?=\w*[a-f])[0-9a-f]{8,}\b")
_JOINT = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")
_PLAIN_WORDS = frozenset(token for word in PLAIN for token in tokens(word))
_END = ""
_TIME_PREPOSITION = "in"
"""What answers put before a year that the question names alone: "2025 versus 2024"."""


@dataclass(frozen=True, slots=True)
class Quotable:
    """What may be quoted: words, numbers, and which two stand beside each other where one of them
    is a number; the end of a text is an empty one."""

    words: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()
    beside: frozenset[tuple[str, str]] = frozenset()

    def strange_in(self, text: str) -> str | None:
        """The first word or number of a quotation that is from nowhere, or None."""
        words = sorted(_words(text) - self.words - _PLAIN_WORDS)
        if words:
            return words[0]
        parts = [_END, *_parts(text), _END]
        for place, number in enumerate(parts):
            if _is_number(number) and not self._has(parts[place - 1], number, parts[place + 1]):
                return number
        return None

    def _has(self, before: str, number: str, behind: str) -> bool:
        if number not in self.numbers:
            return False
        left, right = (before, number) in self.beside, (number, behind) in self.beside
        if before == behind == _END:
            return left and right
        # Where a quotation ends, what it is from need not.
        return bool(before and left) or bool(behind and right) or before == _TIME_PREPOSITION


def quotable(texts: Iterable[str]) -> Quotable:
    """What may be quoted of some texts."""
    words: set[str] = set()
    numbers: set[str] = set()
    beside: set[tuple[str, str]] = set()
    for text in _spread(texts):
        words |= _words(text)
        parts = [_END, *_parts(text), _END]
        numbers.update(filter(_is_number, parts))
        beside.update(pair for pair in pairwise(parts) if any(map(_is_number, pair)))
    return Quotable(frozenset(words), frozenset(numbers), frozenset(beside))


def _spread(texts: Iterable[str]) -> Iterator[str]:
    """Each text, and with its names as they are told: "AddressLine1" is an address line 1. Ids are
    no names, and would fall into any number."""
    for text in texts:
        yield text
        if (sentence := _JOINT.sub(" ", _ID.sub(" ", text))) != text:
            yield sentence


def _words(text: str) -> frozenset[str]:
    """Words as `tokens` has them; one with digits in it (Q4, p90) is one word."""
    return frozenset(
        word
        for found in _PIECE.finditer(text)
        if (said := found["word"])
        for word in _words_in(said)
    )


def _words_in(text: str) -> frozenset[str]:
    if is_han(text):  # written without spaces: its characters are what two texts have in common
        return frozenset(text)
    return frozenset({text.casefold()}) if _has_digit(text) else tokens(text)


def _parts(text: str) -> Iterator[str]:
    """Words and numbers in their order, as they are compared."""
    for found in _PIECE.finditer(text):
        if found["number"]:
            percent = "%" if found["percent"] else ""
            yield found["number"].replace(",", "") + percent
        else:
            yield stem(found["word"].casefold())


def _is_number(part: str) -> bool:
    return part.rstrip("%").replace(".", "").isdecimal()


def _has_digit(word: str) -> bool:
    return any(character.isdecimal() for character in word)
