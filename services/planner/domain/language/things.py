"""Things that a table alone has a row for each of, where only its key is called after them.

In a single table of passengers that is called "titanic", with a key PassengerId, "passengers" are
its rows: nobody who says "the mean age of passengers" wants a mean for each passenger.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from services.planner.domain.catalogue import Catalogue, Column, ColumnRole, Table
from services.planner.domain.language.mention import Candidate, Mention
from services.planner.domain.language.normalise import Token, name_words

_IDENTIFYING = frozenset("id key number no code identifi".split())
_SPLITTING = frozenset("by per each every".split())
_REASON = "what each row is one of"


def rows_for_things(
    mentions: Sequence[Mention], tokens: Sequence[Token], catalogue: Catalogue
) -> list[Mention]:
    """The mentions, with the table instead of its key where only the thing is named.

    Where there are several tables, they are called after their things themselves.
    """
    if len(catalogue.tables) > 1:
        return list(mentions)
    return [_rows(mention, tokens, catalogue) for mention in mentions]


def _rows(mention: Mention, tokens: Sequence[Token], catalogue: Catalogue) -> Mention:
    chosen = mention.chosen
    table = catalogue.table(chosen.table)
    column = table.column(chosen.column) if table is not None else None
    if table is None or column is None or chosen.kind != "column" or not _is_key(table, column):
        return mention
    named = set(name_words(mention.phrase))
    thing = set(name_words(column.name)) - _IDENTIFYING
    if len(thing) == len(set(name_words(column.name))):
        return mention
    before = {t.lower for t in tokens[max(0, mention.first - 1) : mention.first]}
    if not thing or named != thing or before & _SPLITTING or named & set(name_words(table.name)):
        return mention
    rows = Candidate("table", table.name, score=chosen.score, reason=_REASON)
    rest = tuple(c for c in mention.candidates if c is not chosen)
    return replace(mention, candidates=(rows, *rest))


def _is_key(table: Table, column: Column) -> bool:
    """Whether a column of identifiers tells all rows apart."""
    keyed = column.name in table.primary_key and len(table.primary_key) == 1
    unique = column.role is ColumnRole.ID and column.distinct >= table.rows > 1
    return (keyed or unique) and not column.nulls
