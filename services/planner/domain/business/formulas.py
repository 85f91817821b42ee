"""Formulas of money taken that the data offers: price times quantity, or a column of totals."""

from __future__ import annotations

from functools import lru_cache

from services.planner.domain.catalogue import Catalogue, ColumnRole, DataType, Table
from services.planner.domain.lexicon.normalise import name_words
from services.planner.domain.lexicon.vocabulary import (
    PRICE_WORDS,
    QUANTITY_WORDS,
    REVENUE_WORDS,
    TOTAL_WORDS,
)
from services.planner.domain.query.intent import Field, Product

_CATALOGUES = 16
_NOT_SOLD = PRICE_WORDS | {"stock", "order", "per"}


@lru_cache(maxsize=_CATALOGUES)
def revenue_formulas(catalogue: Catalogue) -> tuple[Field | Product, ...]:
    """Ways to compute money taken: price times quantity first, then columns of totals.

    The quantity's table comes first among the factors: its rows are what is summed. Its price is
    its own, else that of the thing it refers to. Where a semantic model has a metric that is called
    so, it is that and nothing else.
    """
    if declared := _declared(catalogue):
        return declared
    products: list[Field | Product] = []
    totals: list[Field | Product] = []
    for table in catalogue.tables:
        if not table.rows:
            continue
        quantity = _numeric_named(table, QUANTITY_WORDS, without=_NOT_SOLD)
        price = _price(table, catalogue) if quantity else None
        if quantity and price:
            sold = Field(table=table.name, column=quantity)
            own = price.table == table.name
            factors = (price, sold) if own else (sold, price)
            products.append(Product(factors=factors, discounts=_discounts(table)))
        total = _numeric_named(table, TOTAL_WORDS)
        if total:
            totals.append(Field(table=table.name, column=total))
    return (*products, *totals)


def _declared(catalogue: Catalogue) -> tuple[Field, ...]:
    """Metrics that are called by a word of money alone, or known by one."""
    return tuple(
        Field(table=table.name, column=column.name)
        for table in catalogue.tables
        for column in table.columns
        if column.formula
        and any(
            words and set(words) <= REVENUE_WORDS
            for words in map(name_words, (column.name, *column.synonyms))
        )
    )


def _price(table: Table, catalogue: Catalogue) -> Field | None:
    own = _numeric_named(table, PRICE_WORDS)
    if own:
        return Field(table=table.name, column=own)
    for link in catalogue.relationships:
        other = catalogue.table(link.to_table) if link.from_table == table.name else None
        found = _numeric_named(other, PRICE_WORDS) if other else None
        if other is not None and found:
            return Field(table=other.name, column=found)
    return None


def _discounts(table: Table) -> tuple[Field, ...]:
    """The first column of discounts that are fractions taken off."""
    names = [c.name for c in table.columns if "discount" in name_words(c.name)]
    return tuple(Field(table=table.name, column=n) for n in names if _fraction(table, n))[:1]


def _numeric_named(
    table: Table, words: frozenset[str], without: frozenset[str] | set[str] = frozenset()
) -> str | None:
    return next(
        (
            c.name
            for c in table.columns
            if c.role is ColumnRole.MEASURE
            and c.data_type in (DataType.INTEGER, DataType.FLOAT)
            and set(name_words(c.name)) & words
            and not set(name_words(c.name)) & without
        ),
        None,
    )


def _fraction(table: Table, column: str) -> bool:
    found = table.column(column)
    if found is None or found.maximum is None:
        return False
    try:
        return float(found.maximum) <= 1.0
    except ValueError:
        return False
