"""Columns whose names are no words at all: "sum of b by a", where "a" is a column."""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.language.cues import AGGREGATE_WORDS
from services.planner.domain.language.mention import Candidate
from services.planner.domain.language.normalise import Token
from services.planner.domain.language.vocabulary import STOP_WORDS

_LEADING = frozenset("by per of each every vs versus against and where , count".split())
_FOLLOWING = frozenset("by per and or where for in over vs versus against is , . ? ! = > <".split())


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
    return {
        (index, index + 1): names[token.lower]
        for index, token in enumerate(tokens)
        if token.lower in names and not token.used and not token.quoted and _stands(tokens, index)
    }


def _stands(tokens: Sequence[Token], index: int) -> bool:
    before = tokens[index - 1].lower if index else ""
    after = tokens[index + 1].lower if index + 1 < len(tokens) else ""
    led = before in _LEADING or before in AGGREGATE_WORDS or not before
    return led and (not after or after in _FOLLOWING)
