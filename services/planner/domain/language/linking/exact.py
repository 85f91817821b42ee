"""Columns whose names are no words at all: "sum of b by a", where "a" is a column."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.language.linking.mention import Candidate
from services.planner.domain.language.normalising.cues import AGGREGATE_WORDS
from services.planner.domain.language.normalising.normalise import Token, readable
from services.planner.domain.language.normalising.vocabulary import STOP_WORDS

_LEADING = frozenset(
    """by per of each every vs versus and against where across over axis attribute ,
    count""".split()
)
_FOLLOWING = frozenset(
    """by per and or where for in over vs versus against is x y , . ? ! = > <""".split()
)
_SURE = 1.05
_CATALOGUES = 16
_SAME = "the same name"


@dataclass(frozen=True, slots=True)
class _Names:
    """Names of one word, and those of several by their first word, of which one is no content."""

    single: dict[str, list[Candidate]]
    several: dict[str, list[tuple[list[str], Candidate]]]


def exactly_named(
    tokens: Sequence[Token], catalogue: Catalogue
) -> dict[tuple[int, int], list[Candidate]]:
    """Single letters and words of no content that stand where only a column's name can stand."""
    names = _names_of(catalogue)
    return _identifiers(tokens, names) | {
        (index, index + 1): names.single[token.lower]
        for index, token in enumerate(tokens)
        if token.lower in names.single
        and not token.used
        and not token.quoted
        and _stands(tokens, index, index + 1)
    }


@lru_cache(maxsize=_CATALOGUES)
def _names_of(catalogue: Catalogue) -> _Names:
    single: dict[str, list[Candidate]] = defaultdict(list)
    several: dict[str, list[tuple[list[str], Candidate]]] = defaultdict(list)
    for table in catalogue.tables:
        for column in table.columns:
            name = column.name.lower()
            if len(name) == 1 or name in STOP_WORDS:
                single[name].append(Candidate("column", table.name, column.name, reason=_SAME))
            words = readable(column.name).split()
            if len(words) > 1 and set(words) & STOP_WORDS:  # the lexicon finds all others
                found = Candidate("column", table.name, column.name, score=_SURE, reason=_SAME)
                several[words[0]].append((words, found))
    return _Names(dict(single), dict(several))


def _stands(tokens: Sequence[Token], first: int, last: int) -> bool:
    before = tokens[first - 1].lower if first else ""
    after = tokens[last].lower if last < len(tokens) else ""
    led = before in _LEADING or before in AGGREGATE_WORDS or not before
    return led and (not after or after in _FOLLOWING)


def _identifiers(tokens: Sequence[Token], names: _Names) -> dict[tuple[int, int], list[Candidate]]:
    """Names of several words, one of them of no content, as they stand: "Is_full_time"."""
    found: dict[tuple[int, int], list[Candidate]] = {}
    for first, token in enumerate(tokens):
        for words, candidate in names.several.get(token.lower, ()):
            here = tokens[first : first + len(words)]
            if [t.lower for t in here] != words or any(t.used or t.quoted for t in here):
                continue
            joined = here[1].start - here[0].end == 1 and here[0].end + 1 == here[1].start
            written = joined and token.text[:1].isupper()
            last = first + len(words)
            if written or words[0] not in STOP_WORDS or _stands(tokens, first, last):
                found.setdefault((first, last), []).append(candidate)
    return found
