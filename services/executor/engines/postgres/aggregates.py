"""Aggregates of DuckDB in PostgreSQL's words."""

from __future__ import annotations

from sqlglot import exp

from services.executor.engines.expressible import NotExpressible
from services.executor.engines.postgres.words import (
    Rule,
    cast,
)


def average(node: exp.Expr) -> exp.Expr:
    """avg gives floating point; a window or filter takes the bare aggregate, and no cast of it."""
    if not isinstance(node.parent, (exp.Window, exp.Filter, exp.IgnoreNulls, exp.RespectNulls)):
        return cast(exp.Avg(this=node.this), "float8")
    if isinstance(node.this, exp.Distinct):
        raise NotExpressible("the average of distinct values in a window or under a filter")
    return exp.Avg(this=cast(node.this, "float8"))


def one_of(node: exp.Expr) -> exp.Expr:
    """any_value and first: of the rows in their order."""
    value = node.this
    given = value.this if isinstance(value, exp.Order) else value
    known = exp.Not(this=exp.Is(this=given.copy(), expression=exp.Null()))
    listed: exp.Expr = exp.ArrayAgg(this=value)
    if isinstance(node, exp.AnyValue):
        listed = exp.Filter(this=listed, expression=exp.Where(this=known))
    return exp.Bracket(this=exp.Paren(this=listed), expressions=[exp.Literal.number(1)], offset=1)


def without_nulls(node: exp.Expr) -> exp.Expr:
    """What sqlglot puts around any_value, which is translated already."""
    if isinstance(node.this, exp.Bracket):
        inner: exp.Expr = node.this
        return inner
    raise NotExpressible("IGNORE NULLS")


def at_extreme(descending: bool) -> Rule:
    """arg_max and arg_min."""

    def rule(node: exp.Expr) -> exp.Expr:
        if node.args.get("count") is not None:
            raise NotExpressible("arg_max of several rows")
        value, by = node.this, node.expression
        term = exp.Ordered(this=by, desc=descending, nulls_first=False)
        listed = exp.ArrayAgg(this=exp.Order(this=value, expressions=[term]))
        known = exp.and_(
            exp.Not(this=exp.Is(this=value.copy(), expression=exp.Null())),
            exp.Not(this=exp.Is(this=by.copy(), expression=exp.Null())),
        )
        kept = exp.Filter(this=listed, expression=exp.Where(this=known))
        return exp.Bracket(this=exp.Paren(this=kept), expressions=[exp.Literal.number(1)], offset=1)

    return rule


def median(node: exp.Expr) -> exp.Expr:
    """The value in the middle, of numbers."""
    return _percentile(exp.PercentileCont, exp.Literal.number("0.5"), node.this)


def quantile(node: exp.Expr) -> exp.Expr:
    """quantile_cont and quantile_disc of one share."""
    share = node.args.get("quantile") or node.expression
    if not isinstance(share, exp.Literal):
        raise NotExpressible("several quantiles at once")
    kind = exp.PercentileDisc if isinstance(node, exp.Quantile) else exp.PercentileCont
    return _percentile(kind, share, node.this)


def _percentile(kind: type[exp.Expr], share: exp.Expr, value: exp.Expr) -> exp.Expr:
    _check_between(kind, value)
    term = exp.Ordered(this=value, nulls_first=False)
    return exp.WithinGroup(this=kind(this=share), expression=exp.Order(expressions=[term]))


def _check_between(kind: type[exp.Expr], value: exp.Expr) -> None:
    if kind is exp.PercentileCont and value.type and value.type.this == exp.DataType.Type.DECIMAL:
        raise NotExpressible("a value between two decimals, which DuckDB cuts")


def percentile(node: exp.Expr) -> exp.Expr:
    """percentile_cont, written with WITHIN GROUP or as quantile_cont."""
    value, share = node.args.get("expression"), node.this
    if value is None and isinstance(share, exp.Order):
        value, share = share, share.this
    if value is None:
        ordered = node.parent.expression if isinstance(node.parent, exp.WithinGroup) else None
        for term in ordered.expressions if ordered is not None else ():
            _check_between(type(node), term.this)
        return node
    if isinstance(value, exp.Literal) and not isinstance(share, exp.Literal):
        share, value = value, share
    if isinstance(value, exp.Order):
        value = value.expressions[0].this
    if not isinstance(share, exp.Literal):
        raise NotExpressible("several quantiles at once")
    return _percentile(type(node), share, value)
