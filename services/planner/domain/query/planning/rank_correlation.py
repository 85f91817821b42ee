"""Spearman's correlation as a query: ranks of the rows that hold both values, then their CORR."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from services.planner.domain.query.intent import Aggregate, Intent
from services.planner.domain.query.planning.predicates import by_rank

ONE, OTHER = "one", "other"
_ROWS, _RANKED = "pairs", "ranked"


def is_of_ranks(intent: Intent) -> bool:
    """Whether its one number is a correlation of ranks, for which rows are ranked first."""
    return any(m.aggregate is Aggregate.RANK_CORRELATION for m in intent.measures)


def over_ranks(rows: exp.Select, intent: Intent) -> exp.Select:
    """The correlation within each group of rows that hold the groups, and two numbers.

    Equal values share the mean of their ranks, as Spearman's coefficient takes them.
    """
    keys = [d.label for d in intent.dimensions]
    complete = [
        exp.Not(this=exp.Is(this=_column(name), expression=exp.Null())) for name in (ONE, OTHER)
    ]
    ranked = exp.select(
        *(_column(key) for key in keys),
        *(exp.alias_(_rank(name, keys), name, quoted=True) for name in (ONE, OTHER)),
    )
    ranked = ranked.from_(rows.subquery(_ROWS)).where(*complete)
    number = exp.Anonymous(this="CORR", expressions=[_column(ONE), _column(OTHER)])
    value = exp.select(
        *(_column(key) for key in keys),
        exp.alias_(number, intent.measures[0].label, quoted=True),
    ).from_(ranked.subquery(_RANKED))
    if keys:
        value = value.group_by(*(_column(key) for key in keys))
    for order in intent.order:
        by_number = order.target == "measure"
        target = number.copy() if by_number else by_rank(_column(keys[order.index]), order.ranks)
        value = value.order_by(exp.Ordered(this=target, desc=order.descending, nulls_first=False))
    return value


def _rank(name: str, keys: Sequence[str]) -> exp.Expr:
    apart: list[exp.Expr] = [_column(key) for key in keys]
    first = exp.Window(
        this=exp.Anonymous(this="RANK", expressions=[]),
        partition_by=apart,
        order=exp.Order(expressions=[exp.Ordered(this=_column(name))]),
    )
    equal = exp.Window(
        this=exp.Count(this=exp.Star()), partition_by=[*(a.copy() for a in apart), _column(name)]
    )
    more = exp.Sub(this=equal, expression=exp.Literal.number(1))
    half = exp.Div(this=exp.Paren(this=more), expression=exp.Literal.number("2.0"))
    return exp.Add(this=first, expression=half)


def _column(name: str) -> exp.Column:
    return exp.column(name, quoted=True)
