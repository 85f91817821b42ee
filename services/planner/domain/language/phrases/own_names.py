"""Where the question says a column's whole name, whose words then ask for nothing else.

The "market share of browsers" is a column of that name, not a share that is to be worked out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.lexicon.normalise import readable

_CATALOGUES = 16
_CALCULATED = re.compile(
    r"\b(?:share|percentage|percent|fraction|growth|change|increase|difference|ratio|rank)s?\b",
    re.IGNORECASE,
)
_RANKED_BY = re.compile(r"[^,.?]*\bby\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class OwnName:
    """A column's name as it stands in the question, from one character to another."""

    start: int
    end: int
    words: int

    def covers(self, place: int) -> bool:
        """Whether a character belongs to the name."""
        return self.start <= place < self.end


@lru_cache(maxsize=_CATALOGUES)
def _names_of(catalogue: Catalogue) -> tuple[str, ...]:
    return tuple(sorted({readable(c.name) for t in catalogue.tables for c in t.columns}))


def own_names(question: str, catalogue: Catalogue) -> list[OwnName]:
    """Every whole name of a column that the question says."""
    text = question.lower()
    return [
        OwnName(match.start(), match.end(), len(name.split()))
        for name in _names_of(catalogue)
        if all(word in text for word in name.split())
        for match in _said(name, text)
    ]


def _said(name: str, text: str) -> Iterator[re.Match[str]]:
    pattern = r"[\s_]+".join(re.escape(word) for word in name.split())
    return re.finditer(rf"(?<![^\W_]){pattern}s?(?![^\W_])", text)


def is_named(match: re.Match[str], question: str, names: Sequence[OwnName]) -> bool:
    """Whether the word of a calculation is a column's: "market share of", a plain "rank"."""
    word = _CALCULATED.search(question, match.start(), match.end())
    if word is None:
        return False
    ranked = word.group().lower().startswith("rank") and not _RANKED_BY.match(question, match.end())
    return any(name.words > 1 or ranked for name in names if name.covers(word.start()))
