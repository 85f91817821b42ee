"""Which tables the parts of an intent are of."""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.domain.query.intent import (
    Against,
    Condition,
    Dimension,
    Field,
    Filter,
    Group,
    Measure,
    Product,
)


def table_of(dimension: Dimension) -> str:
    """The table that a dimension's values come from."""
    expression = dimension.expression
    if isinstance(expression, Field):
        return expression.table
    parts = expression.factors if isinstance(expression, Product) else expression.parts
    return parts[0].table


def measure_tables(measure: Measure) -> set[str]:
    """Every table whose columns a measure is computed from."""
    factors = measure.expression.factors if isinstance(measure.expression, Product) else ()
    return {measure.table, *(factor.table for factor in factors)}


def filter_tables(filters: Sequence[Filter]) -> list[str]:
    """Every table whose columns the filters look at in the outer query."""
    found: list[str] = []
    for wanted in filters:
        if isinstance(wanted, Condition):
            found.append(wanted.field.table)
        elif isinstance(wanted, Group):
            found += filter_tables(wanted.members)
        elif isinstance(wanted, Against):
            found += [wanted.field.table, wanted.other.table]
        else:
            found.append(wanted.table)
    return found
