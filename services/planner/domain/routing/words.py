"""Which words of a question a domain has too: in what it says of itself, and in what it holds."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from services.planner.domain.lexicon.names import words_of
from services.planner.domain.lexicon.stop_words import PRESENTATION, STOP_WORDS
from services.planner.domain.lexicon.tokens import stem
from services.planner.domain.routing.domain import Domain

_WORD = re.compile(r"[^\W_]+")
_LONGEST_VALUE = 6
"""Words of a value that can be recognised in a question."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The stems of a domain's words, and the names and values of its data as runs of stems."""

    stems: frozenset[str]
    names: frozenset[tuple[str, ...]]

    def held(self, texts: frozenset[str]) -> frozenset[str]:
        """Stems of a question that are whole names or values of this domain's data."""
        return frozenset(part for name in self.names if texts.issuperset(name) for part in name)


@dataclass(frozen=True, slots=True)
class Shared:
    """What a question and a domain have in common.

    `share` is how much of the question's words the domain has, 0 to 1, rare words counting more;
    `held` are those of them that name its data.
    """

    share: float
    held: frozenset[str]


def content(text: str) -> tuple[str, ...]:
    """The stems of a text's words that speak of data, in order."""
    return tuple(stem(word) for word in _telling(text))


def find_words(stems: Iterable[str], text: str) -> list[str]:
    """The words of a text that have these stems, in order."""
    wanted = set(stems)
    return list(dict.fromkeys(word for word in _telling(text) if stem(word) in wanted))


def _telling(text: str) -> list[str]:
    words = (word.lower() for word in _WORD.findall(text))
    return [word for word in words if word not in STOP_WORDS | PRESENTATION]


@lru_cache(maxsize=500)
def vocabulary(domain: Domain) -> Vocabulary:
    """A domain's words."""
    stems = {part for text in (domain.display_name, *domain.texts) for part in content(text)}
    names: set[tuple[str, ...]] = set()
    for table in domain.tables:
        for name in (table.name, *table.columns):
            words = tuple(stem(word) for word in words_of(name) if word not in STOP_WORDS)
            stems.update(words)
            if len("".join(words)) > 2:
                names.add(words)
        for value in table.values:
            words = content(value)
            if words and len(words) <= _LONGEST_VALUE and not value.isdigit():
                names.add(words)
    return Vocabulary(frozenset(stems), frozenset(names))


def shared(texts: Sequence[str], domains: Iterable[Vocabulary]) -> list[Shared]:
    """What each domain has of these stems; a stem counts by how few of the domains have it."""
    known = list(domains)
    stems = frozenset(texts)
    held = [words.held(stems) for words in known]
    having = Counter(
        part
        for words, names in zip(known, held, strict=True)
        for part in stems & (words.stems | names)
    )
    weights = {part: math.log((len(known) + 1) / (having[part] + 0.5)) for part in stems}
    whole = sum(weights.values())
    return [
        Shared(
            share=sum(weights[part] for part in stems & (words.stems | names)) / whole
            if whole > 0
            else 0.0,
            held=names,
        )
        for words, names in zip(known, held, strict=True)
    ]
