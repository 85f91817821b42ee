"""Words that say what things do, and so name no column: "races they attended", "how many times"."""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.domain.catalogue import Column, ColumnRole
from services.planner.domain.language.linking.lexicon import Match
from services.planner.domain.lexicon.normalise import Token, readable

_DOERS = frozenset(["they", "it", "he", "she", "who"])
_AUXILIARIES, _CLAUSE = frozenset(["has", "have", "had", "did"]), 4
_COUNTING = (["how", "many"], ["number", "of"])
_WHOLE = 0.99


def counts_times(tokens: Sequence[Token], span: tuple[int, int]) -> bool:
    """Whether "times" only asks how often: "how many times", "the number of times"."""
    first, last = span
    return tokens[first].lower == "times" and last - first == 1 and _is_counted(tokens, first)


def without_doing(
    matches: Sequence[Match], tokens: Sequence[Token], span: tuple[int, int]
) -> list[Match]:
    """The names that are left where the last word is a verb, not part of a name.

    In "the races they attended" nobody speaks of the attendance, and "churches opened" that are
    counted are churches, not opening dates. A column that is called just so is still meant.
    """
    first, last = span
    verb = tokens[last - 1].lower
    if not verb.endswith("ed"):
        return list(matches)
    alone = last - first == 1
    told = {token.lower for token in tokens[max(0, first - _CLAUSE) : first]}
    if alone and first and (tokens[first - 1].lower in _DOERS or told & _AUXILIARIES):
        return [m for m in matches if not _is_other_number(m.name.column, verb)]
    if not alone and _is_counted(tokens, first):
        return [m for m in matches if m.name.column is None or m.score >= _WHOLE]
    return list(matches)


def _is_counted(tokens: Sequence[Token], position: int) -> bool:
    return [token.lower for token in tokens[max(0, position - 2) : position]] in _COUNTING


def _is_other_number(column: Column | None, word: str) -> bool:
    """Whether it is a number that is not called just so, as the attendance is not."""
    amount = column is not None and column.role is ColumnRole.MEASURE
    return amount and column is not None and word not in readable(column.name).split()
