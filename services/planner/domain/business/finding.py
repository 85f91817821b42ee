"""Columns that a word of business needs, recognised by their kinds and names."""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.domain.business.lexicon import Entry, Need
from services.planner.domain.catalogue import Catalogue, Column, DataType, Table
from services.planner.domain.lexicon.names import words_of
from services.planner.domain.semantics.kinds import Kind, kind_of

_DATED = (DataType.DATE, DataType.DATETIME)
_NUMBERS = (DataType.INTEGER, DataType.FLOAT)
_NO_QUANTITY = (Kind.ID, Kind.FLAG)
_EACH = frozenset("unit each per".split())


def columns_for(entry: Entry, table: Table) -> tuple[Column | None, ...] | None:
    """A column for each need, None for one that may be missing; None where one is missing that
    may not, or the table is of other things."""
    if not _is_of(entry, table):
        return None
    found: list[Column | None] = []
    for need in entry.needs:
        others = [one for one in entry.needs if one is not need]
        column = _column(need, others, table, found)
        if column is None and need.required:
            return None
        found.append(column)
    return tuple(found)


def is_named(entry: Entry, catalogue: Catalogue) -> bool:
    """Whether the data or its semantic model has something that is called so: that is meant."""
    names = list(catalogue.lacking)
    for table in catalogue.tables:
        names += (table.name, *table.synonyms)
        for column in table.columns:
            names += () if column.guess else (column.name, *column.synonyms)
    return any(entry.pattern.search(" ".join(words_of(name))) for name in names)


def _is_of(entry: Entry, table: Table) -> bool:
    names = (table.name, *table.synonyms, *(column.name for column in table.columns))
    return not entry.of or any(entry.of & set(words_of(name)) for name in names)


def _column(
    need: Need, others: Sequence[Need], table: Table, taken: Sequence[Column | None]
) -> Column | None:
    for column in table.stored:
        words = set(words_of(column.name))
        other = any(words & one.words for one in others) and not words & need.words
        if column in taken or other or not words & need.words or words & _EACH:
            continue
        if need.date and column.data_type in _DATED:
            return column
        if need.date or column.data_type not in _NUMBERS:
            continue
        if kind_of(column, table) not in _NO_QUANTITY:
            return column
    return None
