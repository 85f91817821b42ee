"""What a reading uses: its tables, its columns, and the columns of a condition."""

from __future__ import annotations

from collections.abc import Iterator

from services.planner.domain.query.intent import (
    Against,
    Expression,
    Field,
    Filter,
    FullName,
    Group,
    Intent,
    Membership,
    Product,
)


def tables_of(intent: Intent) -> frozenset[str]:
    """The tables that a reading reads."""
    joined = {f.table for r in intent.joins for f in (r.left, r.right)}
    return frozenset({intent.base, *joined})


def fields_of(intent: Intent) -> frozenset[Field]:
    """The columns that a reading splits by, measures, or sets conditions on."""
    found = {f for d in intent.dimensions for f in columns_of(d.expression)}
    for measure in intent.measures:
        found |= set(columns_of(measure.expression)) if measure.expression is not None else set()
    found |= {f for one in intent.filters for f in columns_compared(one)}
    return frozenset(found)


def columns_of(expression: Expression) -> tuple[Field, ...]:
    """The columns that an expression is made of."""
    if isinstance(expression, Field):
        return (expression,)
    if isinstance(expression, FullName):
        return expression.parts
    assert isinstance(expression, Product)
    return (*expression.factors, *expression.discounts)


def columns_compared(wanted: Filter) -> Iterator[Field]:
    """The columns that a condition is about."""
    if isinstance(wanted, Group):
        for member in wanted.members:
            yield from columns_compared(member)
    elif isinstance(wanted, Membership):
        if wanted.where is not None:
            yield from columns_compared(wanted.where)
    elif isinstance(wanted, Against):
        yield from (wanted.field, wanted.other)
    else:
        yield wanted.field
