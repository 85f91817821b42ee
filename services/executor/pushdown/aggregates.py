"""Aggregates and windows."""

from __future__ import annotations

from sqlglot import exp

from services.executor.engines.expressible import NotExpressible
from services.executor.pushdown.target import Rule, Target
from services.executor.pushdown.words import (
    is_decimal,
    is_float,
    is_number,
    is_truth,
    is_whole,
    is_wide,
    number,
    own,
)

_TYPES = exp.DataType.Type
_CONDITIONAL = (
    exp.Count,
    exp.Sum,
    exp.Min,
    exp.Max,
    exp.Avg,
    exp.Stddev,
    exp.StddevSamp,
    exp.StddevPop,
    exp.Variance,
    exp.VariancePop,
)
_RANKS = (exp.RowNumber, exp.Rank, exp.DenseRank)


def without_filters(tree: exp.Expr) -> None:
    """FILTER as what is given to the aggregate only where it holds."""
    for node in list(tree.find_all(exp.Filter)):
        aggregate, test = node.this, node.expression.this
        given = aggregate.this
        distinct = given if isinstance(given, exp.Distinct) else None
        several = distinct is not None and len(distinct.expressions) > 1
        if not isinstance(aggregate, _CONDITIONAL) or several or aggregate.expressions:
            raise NotExpressible("FILTER of this aggregate")
        value = distinct.expressions[0] if distinct is not None else given
        if isinstance(value, exp.Star):
            value = number(1)
        kept = exp.Case(ifs=[exp.If(this=test.copy(), true=value.copy())])
        kept.type = value.type
        if distinct is not None:
            distinct.set("expressions", [kept])
        else:
            aggregate.set("this", kept)
        node.replace(aggregate)


def counted(target: Target, node: exp.Expr) -> exp.Expr:
    """A count of rows, of one value, or of its different ones."""
    del target
    distinct = isinstance(node.this, exp.Distinct)
    if node.expressions or (distinct and len(node.this.expressions) != 1):
        raise NotExpressible("a count of several values")
    return node


def _value(node: exp.Expr) -> exp.Expr:
    given: exp.Expr = node.this
    if isinstance(given, exp.Distinct):
        if len(given.expressions) != 1:
            raise NotExpressible("an aggregate of several values")
        first: exp.Expr = given.expressions[0]
        return first
    return given


def summed(target: Target, node: exp.Expr) -> exp.Expr:
    """A sum; of truths it is how many hold."""
    value = _value(node)
    if is_truth(value) and not isinstance(node.this, exp.Distinct):
        return summed_truths(target, counted_truths(value))
    if is_whole(value):
        return target.whole_sum(node) if not is_wide(value) else node
    if not is_number(value):
        raise NotExpressible("the sum of what is no number")
    return node


def counted_truths(value: exp.Expr) -> exp.Expr:
    """The sum of 1 where it holds and 0 where it does not."""
    no = exp.Not(this=exp.paren(value.copy()))
    content = exp.Case(
        ifs=[exp.If(this=value.copy(), true=number(1)), exp.If(this=no, true=number(0))]
    )
    return exp.Sum(this=content)


def summed_truths(target: Target, node: exp.Expr) -> exp.Expr:
    """A sum of zeros and ones."""
    node.this.type = exp.DataType(this=_TYPES.BIGINT)
    made = target.whole_sum(node)
    made.type = exp.DataType(this=_TYPES.INT128)
    return made


def average(target: Target, node: exp.Expr) -> exp.Expr:
    """avg gives floating point: the whole sum over the count."""
    value = _value(node)
    if not is_number(value):
        raise NotExpressible("the average of what is no number")
    if isinstance(node.parent, exp.Window):
        raise NotExpressible("an average in a window")
    total = exp.Sum(this=node.this.copy())
    total.type = exp.DataType(this=_TYPES.INT128) if is_whole(value) else value.type
    summed_up = target.whole_sum(total) if is_whole(value) else total
    counted_up = exp.Count(this=node.this.copy())
    counted_up.type = exp.DataType(this=_TYPES.BIGINT)
    above = summed_up if is_float(value) else target.cast(summed_up, "double")
    below = own("NULLIF({0}, 0)", counted_up)
    return own("({0} / {1})", above, target.cast(below, "double"), kind=_TYPES.DOUBLE)


def extreme(target: Target, node: exp.Expr) -> exp.Expr:
    """min and max, of one value."""
    del target
    if node.expressions or is_truth(_value(node)):
        raise NotExpressible("the extremes of truths, or several of them")
    return node


def spread(name: str) -> Rule:
    """Deviations and variances, in floating point; of one row there is none of a sample."""

    def rule(target: Target, node: exp.Expr) -> exp.Expr:
        value = node.this
        if isinstance(value, exp.Distinct) or not is_number(value):
            raise NotExpressible(f"{name} of this")
        if isinstance(node.parent, exp.Window):
            raise NotExpressible(f"{name} in a window")
        real = value if is_float(value) else target.cast(value, "double")
        least = 1 if name.endswith("samp") else 0
        return own(
            f"(CASE WHEN {{0}} > {least} THEN {{1}} END)",
            exp.Count(this=value.copy()),
            target.spread(name, real),
            kind=_TYPES.DOUBLE,
        )

    return rule


def windowed(target: Target, node: exp.Expr) -> exp.Expr:
    """A rank, count, sum or extreme in a window. Raises NotExpressible for others, and where rows
    that leave the window would be subtracted from a sum of floating point, which leaves a rest."""
    del target
    inner, spec = node.this, node.args.get("spec")
    kinds = (*_RANKS, exp.Count, exp.Sum, exp.Min, exp.Max)
    if not isinstance(inner, kinds):
        raise NotExpressible("a window of this function")
    if isinstance(inner.args.get("this"), exp.Distinct):
        raise NotExpressible("different values in a window")
    if isinstance(inner, exp.Sum) and not (is_whole(inner.this) or is_decimal(inner.this)):
        start = str(spec.args.get("start") or "").upper() if spec is not None else "UNBOUNDED"
        if start != "UNBOUNDED":
            raise NotExpressible("a window that moves over floating-point numbers")
    if spec is not None and str(spec.args.get("kind") or "").upper() != "ROWS":
        raise NotExpressible("a window of this kind")
    if spec is not None and spec.args.get("exclude"):
        raise NotExpressible("a window with exceptions")
    return node
