"""A question as words: each with its stem, its number, and where it stands in the text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise

from mesh.text import stemming
from services.planner.domain.figures import number_in
from services.planner.domain.lexicon.stop_words import (
    MULTIPLES,
    NUMBER_WORDS,
    ORDINAL_WORDS,
    PRESENTATION,
    SCALES,
    STOP_WORDS,
)

_TOKEN = re.compile(
    r"""
    (?P<quoted>"[^"]{1,200}"|\u201c[^\u201d]{1,200}\u201d|\u2018[^\u2019]{1,60}\u2019(?!\w)
      |(?<!\w)'[^']{2,60}'(?!\w)|`[^`]{1,200}`)
  | (?P<date>\d{4}-\d{1,2}-\d{1,2}(?!\d))
  | (?P<number>(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+)
      (?P<scale>k|m|mn|bn|b|st|nd|rd|th)?(?![a-z\d])
  | (?P<glued>\d+(?:\.\d+)?)(?=(?:kg|g|mm|cm|km|m|ft|lb|lbs|oz|mph|kmh|min|mins|hrs|h|s|%|€|\$)\b)
  | (?P<axis>[xy]\s?-?\s?ax[ie]s\b)
  | (?P<possessive>['\u2019]s\b|['\u2019](?=\s|$))
  | (?P<short>n['\u2019]t\b)
  | (?P<word>[^\W_]+?(?=n['\u2019]t\b)|[^\W_]+)
  | (?P<mark><=|>=|!=|<>|[^\w\s])
    """,
    re.VERBOSE | re.IGNORECASE,
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z][a-z])")
_SPANS = frozenset(("minute", "hour", "day", "week", "month", "year", "kilo", "mile", "metre"))
_ENDS = frozenset("?.,;:!)/")
_LINKING = frozenset(
    ("and", "or", "by", "per", "in", "of", "for", "from", "with", "vs", "versus", "where", "over")
)
_BEFORE_NAMES = frozenset("in of for from at is are without except = equals".split())
_LITTLE = frozenset(w for w in STOP_WORDS | PRESENTATION if len(w) <= 2)
_NO_NAMES = frozenset(
    (
        ("for", "me"),
        ("for", "us"),
        ("of", "us"),
        ("are", "we"),
        ("are", "in"),
        ("are", "on"),
        ("are", "at"),
        ("is", "in"),
        ("is", "on"),
        ("is", "at"),
    )
)
_ORDINALS = ("st", "nd", "rd", "th")


@dataclass(frozen=True, slots=True)
class Token:
    """One word, number, quoted text or mark; `start` and `end` are offsets of characters.

    `number` is the value of "5", "five", "5k"; `ordinal` of "3rd", "third". `capital` says that
    a word begins with a capital though it is not the first, `whole` that it is a declared name
    of several words.
    """

    index: int
    text: str
    start: int
    end: int
    lower: str = ""
    stem: str = ""
    number: float | None = None
    ordinal: bool = False
    day: date | None = None
    quoted: bool = False
    mark: bool = False
    capital: bool = False
    whole: bool = False

    @property
    def digits(self) -> bool:
        """Whether it is a number written in figures."""
        return self.number is not None and self.text[:1] in "0123456789."


def stem(word: str) -> str:
    """The stem of a lower-case word: "countries" and "country" share one (Snowball, English)."""
    return "data" if word == "data" else stemming.stem(word)


def tokenise(question: str) -> tuple[Token, ...]:
    """The question's tokens in order; "x axis" is one, underscores and CamelCase part words."""
    found: list[Token] = []
    for match in _TOKEN.finditer(question):
        found += _tokens(match, len(found))
    return tuple(_counted(_multiplied(question, found)))


def loud(tokens: Sequence[Token]) -> frozenset[int]:
    """The little words in capitals that may be names: the IT department, stores in OR, grade A.

    None where all of a question is written so, nor what capitals only stress. "I" is whoever asks
    where a verb may follow: "which did I sell", but "points of grade I by year".
    """
    written = [t for t in tokens if not (t.mark or t.quoted) and t.text[:1].isalpha()]
    if all(t.text.isupper() for t in written):
        return frozenset()
    return frozenset(
        t.index
        for t in written
        if t.text.isupper()
        and (len(t.text) > 1 or (t.capital and (t.text != "I" or _no_verb_follows(tokens, t))))
    )


def standing_as_names(tokens: Sequence[Token]) -> frozenset[int]:
    """The little words that close a phrase after a preposition or "is", where only a name can
    stand if the data hold one: books in it, where language is no, sales of x."""
    return frozenset(
        token.index
        for before, token in pairwise(tokens)
        if before.lower in _BEFORE_NAMES
        and not token.mark
        and token.lower in _LITTLE
        and (before.lower, token.lower) not in _NO_NAMES
        and _no_verb_follows(tokens, token)
    )


def _no_verb_follows(tokens: Sequence[Token], token: Token) -> bool:
    following = tokens[token.index + 1 : token.index + 2]
    return not following or following[0].text in _ENDS or following[0].lower in _LINKING


def _multiplied(question: str, tokens: Sequence[Token]) -> list[Token]:
    """With "100 million" and "two thousand" as one number each."""
    found: list[Token] = []
    for token in tokens:
        times = MULTIPLES.get(token.lower)
        before = found[-1] if found else None
        one = before is not None and before.lower in ("a", "an", "one")
        counted = before is not None and before.number is not None and not before.ordinal
        if times is None or before is None or before.quoted or not (one or counted):
            found.append(replace(token, index=len(found)))
            continue
        text = question[before.start : token.end]
        number = (1.0 if one else before.number or 0.0) * times
        found[-1] = replace(
            before,
            text=text,
            end=token.end,
            lower="".join(text.lower().split()),
            stem="",
            number=number,
        )
    return found


def _counted(tokens: list[Token]) -> list[Token]:
    """With "an hour" read as one hour."""
    for token, following in pairwise(tokens):
        if token.lower in ("a", "an") and following.lower in _SPANS:
            tokens[token.index] = replace(token, number=1.0)
    return tokens


def _tokens(match: re.Match[str], index: int) -> Sequence[Token]:
    text, start, end, kind = match.group(), match.start(), match.end(), match.lastgroup
    if kind == "possessive":
        return ()
    if kind == "quoted":
        inner = text[1:-1].strip(" .,")
        return [Token(index, inner, start, end, inner.lower(), quoted=True, capital=True)]
    if kind == "date":
        return [Token(index, text, start, end, text, text, day=_day(text))]
    if kind in ("number", "scale", "glued"):
        scale = (match.group("scale") or "").lower()
        number = number_in(match.group("number") or text)
        if number is not None:
            number *= SCALES.get(scale, 1)
        return [Token(index, text, start, end, text, text, number, ordinal=scale in _ORDINALS)]
    if kind == "axis":
        name = "x-axis" if text[0] in "xX" else "y-axis"
        return [Token(index, text, start, end, name, name)]
    if kind == "short":
        return [Token(index, text, start, end, "not", "not")]
    if kind == "mark":
        return [Token(index, text, start, end, text, "", mark=True)]
    return _words(text, start, index)


def _words(text: str, offset: int, index: int) -> list[Token]:
    found: list[Token] = []
    place = 0
    for part in _CAMEL.split(text):
        lower, start = part.lower(), offset + place
        place += len(part)
        ordinal = ORDINAL_WORDS.get(lower)
        number = ordinal if ordinal is not None else NUMBER_WORDS.get(lower)
        at = index + len(found)
        found.append(
            Token(
                at,
                part,
                start,
                start + len(part),
                lower,
                stem(lower),
                number,
                ordinal=ordinal is not None,
                capital=at > 0 and part[:1].isupper(),
            )
        )
    return found


def _day(text: str) -> date | None:
    year, month, day = (int(part) for part in text.split("-"))
    try:
        return date(year, month, day)
    except ValueError:
        return None
