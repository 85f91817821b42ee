"""Columns that say what the numbers of another are in: a currency, a unit."""

from __future__ import annotations

from services.planner.domain.catalogue import Column, Table
from services.planner.domain.lexicon.names import words_of
from services.planner.domain.lexicon.tokens import stem

_MOST_UNITS = 60
_CURRENCY = frozenset(stem(word) for word in "currency ccy".split())
_UNITS = frozenset(stem(word) for word in "unit units uom".split())
_MONEY = frozenset(
    stem(word)
    for word in "amount price cost value total revenue sales fee salary payment charge balance "
    "income spend budget paid fare".split()
)
_COUNTED = frozenset(stem(word) for word in "quantity qty amount value reading volume".split())
_NAMED_MONEY = frozenset(
    "usd eur gbp chf jpy nok sek dkk cad aud cny inr euro euros dollar".split()
)


def unit_column(column: Column, table: Table) -> Column | None:
    """The column beside a number that says what it is in, where that is not the same in all rows;
    None where there is none, or where the number's own name says it."""
    words = set(map(stem, words_of(column.name)))
    if _NAMED_MONEY & set(words_of(column.name)):
        return None
    for other in table.columns:
        own = set(map(stem, words_of(other.name)))
        if not 1 < other.distinct <= _MOST_UNITS or other.name == column.name:
            continue
        if other.name == f"{column.name}_unit":  # as the repair `units` calls it
            return other
        if own & _CURRENCY and words & _MONEY:
            return other
        if own & _UNITS and own <= _UNITS | {"measure", "of"} and words & _COUNTED:
            return other
    return None
