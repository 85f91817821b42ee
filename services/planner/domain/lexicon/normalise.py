"""Text into tokens, and names into words: the same treatment for questions and for identifiers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from mesh.text import stemming
from services.planner.domain.figures import FORMULA, number_in
from services.planner.domain.lexicon.vocabulary import (
    ABBREVIATIONS,
    NUMBER_WORDS,
    STEM_EXCEPTIONS,
)

_TOKEN = re.compile(
    r"""
    (?P<quoted>"[^"]{1,200}"|\u201c[^\u201d]{1,200}\u201d|(?<!\w)'[^']{1,200}'(?!\w)|`[^`]+`)
  | (?P<date>\d{4}-\d{2}(?:-\d{2})?(?!\d))
  | (?P<number>(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\w]))
  | (?P<possessive>['\u2019]s\b|['\u2019](?=\s))
  | (?P<word>\w+)
  | (?P<mark>[^\w\s])
    """,
    re.VERBOSE,
)
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")


@dataclass(slots=True)
class Token:
    """One word, number, quoted text or punctuation mark; `start` and `end` are character offsets.

    `used` names the stage that has taken the token, so that later stages pass it by.
    """

    text: str
    start: int
    end: int
    stem: str = ""
    number: float | None = None
    quoted: bool = False
    mark: bool = False
    used: str = field(default="")

    @property
    def lower(self) -> str:
        """The text in lower case."""
        return self.text.lower()


def stem(word: str) -> str:
    """The stem of a lower-case word ("countries" and "country" share one)."""
    exception = STEM_EXCEPTIONS.get(word)
    return exception if exception is not None else stemming.stem(word)


@lru_cache(maxsize=20_000)
def name_words(name: str) -> tuple[str, ...]:
    """The stems of an identifier's words: "EMP_FNAME" gives employe, first, name."""
    words: list[str] = []
    for piece in re.split(r"[\W_]+", name):
        if not piece:
            continue
        if piece.lower() in ABBREVIATIONS:
            words += ABBREVIATIONS[piece.lower()].split()
            continue
        for part in _CAMEL.findall(piece):
            words += ABBREVIATIONS.get(part.lower(), part.lower()).split()
    return tuple(stem(word) for word in words)


def readable(name: str) -> str:
    """An identifier as people write it: "UnitPrice" gives "unit price", and NO2 stays as it is."""
    parts: list[str] = []
    for at, part in enumerate(FORMULA.split(name)):
        for piece in [] if at % 2 else re.split(r"[\W_]+", part):
            parts += map(str.lower, _CAMEL.findall(piece) if not piece.isupper() else [piece])
        if at % 2:
            parts.append(part)
    return " ".join(parts) or name


def readable_table(name: str) -> str:
    """A table's name as people call its rows, without what only says it again.

    "palmerpenguins_penguins" gives "penguins": packages and folders are named like what they hold.
    """
    words = readable(name).split()
    while len(words) > 1 and words[0].endswith(words[1]):
        del words[0]
    return " ".join(words)


def tokenise(question: str) -> list[Token]:
    """The question's tokens in order. Identifiers are split; quoted text is not."""
    tokens: list[Token] = []
    for match in _TOKEN.finditer(question):
        text, start, end = match.group(), match.start(), match.end()
        kind = match.lastgroup
        if kind == "quoted":
            tokens.append(Token(text[1:-1].strip(), start, end, quoted=True))
        elif kind == "date":
            tokens.append(Token(text, start, end, stem=text))
        elif kind == "number":
            number = number_in(text)
            tokens.append(Token(text, start, end, text if number is None else "", number))
        elif kind == "word":
            tokens += _words(text, start)
        elif kind == "mark":
            tokens.append(Token(text, start, end, mark=True))
    return tokens


def _words(text: str, offset: int) -> list[Token]:
    found: list[Token] = []
    for piece in re.finditer(r"[^_]+", text):
        camel = re.search(r"[a-z][A-Z]", piece.group()) is not None
        parts = _CAMEL.finditer(piece.group()) if camel else [re.match(r".*", piece.group())]
        for part in parts:
            if part is None:
                continue
            word = part.group()
            begin = offset + piece.start() + part.start()
            spelled = NUMBER_WORDS.get(word.lower())
            found.append(
                Token(word, begin, begin + len(word), stem=stem(word.lower()), number=spelled)
            )
    return found


def distinct_names(columns: Sequence[str]) -> tuple[str, ...]:
    """Column names made different from each other by numbering the later ones."""
    seen: dict[str, int] = {}
    result: list[str] = []
    for name in columns:
        seen[name] = seen.get(name, 0) + 1
        result.append(name if seen[name] == 1 else f"{name} {seen[name]}")
    return tuple(result)


def take(tokens: Sequence[Token], start: int, end: int, stage: str) -> None:
    """Marks the tokens between two character offsets as used."""
    for token in tokens:
        if token.start >= start and token.end <= end and not token.used:
            token.used = stage
