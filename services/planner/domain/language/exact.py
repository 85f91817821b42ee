"""Columns whose names are no words at all: "sum of b by a", where "a" is a column."""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.language.cues import AGGREGATE_WORDS
from services.planner.domain.language.mention import Candidate
from services.planner.domain.language.normalise import Token, readable
from services.planner.domain.language.vocabulary import STOP_WORDS

_LEADING = frozenset(
    """by per of each every vs versus and against where across over axis attribute ,
    count""".split()
)
_FOLLOWING = frozenset(
    """by per and or where for in over vs versus against is x y , . ? ! = > <""".split()
)


def exactly_named(
    tokens: Sequence[Token], catalogue: Catalogue
) -> dict[tuple[int, int], list[Candidate]]:
    """Single letters and words of no content that stand where only a column's name can stand."""
    names: dict[str, list[Candidate]] = {}
    for table in catalogue.tables:
        for column in table.columns:
            name = column.name.lower()
            if len(name) == 1 or name in STOP_WORDS:
                found = Candidate("column", table.name, column.name, reason="the same name")
                names.setdefault(name, []).append(found)
    spelled = _identifiers(tokens, catalogue)
    return spelled | {
        (index, index + 1): names[token.lower]
        for index, token in enumerate(tokens)
        if token.lower in names and not token.used and not token.quoted and _stands(tokens, index)
    }


def _stands(tokens: Sequence[Token], index: int) -> bool:
    before = tokens[index - 1].lower if index else ""
    after = tokens[index + 1].lower if index + 1 < len(tokens) else ""
    led = before in _LEADING or before in AGGREGATE_WORDS or not before
    return led and (not after or after in _FOLLOWING)


def _identifiers(
    tokens: Sequence[Token], catalogue: Catalogue
) -> dict[tuple[int, int], list[Candidate]]:
    """Names of several words, one of them of no content, as they stand: "Is_full_time"."""
    found: dict[tuple[int, int], list[Candidate]] = {}
    for table in catalogue.tables:
        for column in table.columns:
            words = readable(column.name).split()
            if len(words) < 2 or not set(words) & STOP_WORDS:  # the lexicon finds all others
                continue
            for first in range(len(tokens) - len(words) + 1):
                last = first + len(words)
                here = tokens[first:last]
                if [t.lower for t in here] != words or any(t.used or t.quoted for t in here):
                    continue
                joined = here[1].start - here[0].end == 1 and here[0].end + 1 == here[1].start
                written = joined and any(t.text[:1].isupper() for t in here[:1])
                if written or words[0] not in STOP_WORDS or _stands(tokens, first):
                    candidate = Candidate(
                        "column", table.name, column.name, score=1.05, reason="the same name"
                    )
                    found.setdefault((first, last), []).append(candidate)
    return found
