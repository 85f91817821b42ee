"""Tables of which each thing that they are called after is on several rows."""

from __future__ import annotations

from services.planner.domain.catalogue import Column, DataType, Table
from services.planner.domain.lexicon.normalise import name_words
from services.planner.domain.query.named_alike import amount_called_so

IDENTIFYING = frozenset("id key number no code identifi".split())


ROWS = frozenset("row rows record records observation observations".split())


_SHARED = 2


_SOME_SHARED = 10 / 9
"""Of an id that is called one: an eleventh of its rows too many are no slips."""


def named_otherwise(table: Table) -> Column | None:
    """The column that holds the things a table is called after, where they are on many rows.

    Of "sensors" with many rows for each "sensor", the rows are no sensors.
    """
    texts = set(name_words(table.name))
    found = [c for c in table.columns if set(name_words(c.name)) - IDENTIFYING == texts]
    found = found or [c for c in table.columns if _is_id_of_last(c, table)]
    if amount_called_so(table) in found:
        return None
    many = [c for c in found if c.distinct > 1 and _shared_by(c, texts) * c.distinct <= table.rows]
    whole = [c for c in found if c.distinct >= table.rows]
    if len(many) != 1 or whole or _is_used_again(many[0], table):
        return None
    return many[0]


def _is_id_of_last(column: Column, table: Table) -> bool:
    """Whether it is the id of what a table is called last: `order_no` of `wholesale_orders`."""
    words, entity = name_words(column.name), name_words(table.name)[-1]
    return len(words) > 1 and words[0] == entity and set(words[1:]) <= IDENTIFYING


def _shared_by(column: Column, texts: set[str]) -> float:
    """How many rows share a value at least: names are given twice by chance, ids are not."""
    return _SOME_SHARED if set(name_words(column.name)) - texts else _SHARED


def _is_used_again(column: Column, table: Table) -> bool:
    """Whether a bare number names one row after another, each at a time of its own: a `flight` that
    leaves every day is not one flight."""
    bare = set(name_words(column.name)) == set(name_words(table.name))
    moments = [c for c in table.columns if c.data_type in (DataType.DATE, DataType.DATETIME)]
    number = bare and column.data_type is DataType.INTEGER
    return number and any(moment.distinct > column.distinct for moment in moments)
