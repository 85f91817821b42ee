"""Moments compared with whole days: until a day holds all of it, after a day none of it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta

from sqlglot import exp

from services.planner.domain.query.intent import Condition, Operator

_OF_DAYS = frozenset(
    (Operator.BETWEEN, Operator.EQUAL, Operator.NOT_EQUAL, Operator.GREATER, Operator.AT_MOST)
)


def of_days(
    column: exp.Expr, condition: Condition, moment: Callable[[str], exp.Expr]
) -> exp.Expr | None:
    """A condition on a column of moments whose last value is a day; None for every other.

    `moment` makes the node of a moment that is told as text.
    """
    last = _whole_day(condition.values[-1]) if condition.values else None
    operator = condition.operator
    if last is None or operator not in _OF_DAYS:
        return None
    after = moment(str(last + timedelta(days=1)))
    if operator is Operator.GREATER:
        return exp.GTE(this=column, expression=after)
    until = exp.LT(this=column, expression=after)
    if operator is Operator.AT_MOST:
        return until
    first = exp.GTE(this=column.copy(), expression=moment(str(condition.values[0])))
    inside = exp.Paren(this=exp.and_(first, until, copy=False))
    return exp.Not(this=inside) if operator is Operator.NOT_EQUAL else inside


def _whole_day(value: object) -> date | None:
    """The day that a value is, where it tells no moment of it."""
    if isinstance(value, date):
        return None if isinstance(value, datetime) else value
    try:
        return date.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
