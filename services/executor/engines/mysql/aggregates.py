"""Aggregates of DuckDB in the words of MySQL and MariaDB."""

from __future__ import annotations

from sqlglot import exp

from services.executor.engines.expressible import NotExpressible
from services.executor.engines.mysql.words import (
    Rule,
    call,
    cast,
    is_decimal,
    is_float,
    is_text,
    is_truth,
)

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
    exp.LogicalAnd,
    exp.LogicalOr,
)


def without_filters(tree: exp.Expr) -> None:
    """FILTER, which there is none, as what is given to the aggregate only where it holds."""
    for node in list(tree.find_all(exp.Filter)):
        aggregate, test = node.this, node.expression.this
        if not isinstance(aggregate, _CONDITIONAL):
            raise NotExpressible("FILTER of this aggregate")
        given = aggregate.this
        distinct = given if isinstance(given, exp.Distinct) else None
        value = distinct.expressions[0] if distinct is not None else given
        if (distinct is not None and len(distinct.expressions) > 1) or aggregate.expressions:
            raise NotExpressible("FILTER of several values")
        if isinstance(value, exp.Star):
            value = exp.Literal.number(1)
            value.type = exp.DataType.build("INT")
        kept = exp.Case(ifs=[exp.If(this=test.copy(), true=value.copy())])
        kept.type = value.type
        if distinct is not None:
            distinct.set("expressions", [kept])
        else:
            aggregate.set("this", kept)
        node.replace(aggregate)


def average(node: exp.Expr) -> exp.Expr:
    """avg gives floating point: the whole sum over the count, but in windows."""
    value = node.this
    inner = value.expressions[0] if isinstance(value, exp.Distinct) else value
    if not (is_decimal(inner) or is_float(inner)):
        raise NotExpressible("the average of what is no number")
    if isinstance(node.parent, exp.Window):
        return node  # `windowed`
    total = cast(exp.Sum(this=value), "double")
    return exp.paren(exp.Div(this=total, expression=exp.Count(this=value.copy()), typed=True))


def summed(node: exp.Expr) -> exp.Expr:
    """A sum; of truths it is how many hold."""
    value = node.this.expressions[0] if isinstance(node.this, exp.Distinct) else node.this
    if is_text(value):
        raise NotExpressible("the sum of texts")
    return node


def spread(name: str) -> Rule:
    """Deviations and variances, in floating point."""

    def rule(node: exp.Expr) -> exp.Expr:
        value = node.this
        if isinstance(value, exp.Distinct) or not (is_decimal(value) or is_float(value)):
            raise NotExpressible(f"{name} of this")
        return call(name, cast(value, "double"))

    return rule


def of_truths(kind: type[exp.Expr]) -> Rule:
    """bool_and and bool_or."""

    def rule(node: exp.Expr) -> exp.Expr:
        if not is_truth(node.this):
            raise NotExpressible("bool_and of what is no truth")
        return kind(this=node.this)

    return rule


def shifted(node: exp.Expr) -> exp.Expr:
    """lag and lead, without another value where there is no row."""
    if node.args.get("default") is not None:
        raise NotExpressible("lag and lead with a value of their own")
    return node


def counted(node: exp.Expr) -> exp.Expr:
    """A count; of several values at once it would pass over more rows."""
    if node.expressions:
        raise NotExpressible("a count of several values")
    if isinstance(node.this, exp.Distinct) and len(node.this.expressions) > 1:
        raise NotExpressible("a count of several values")
    return node


def windowed(node: exp.Expr) -> exp.Expr:
    """An aggregate in a window. Raises NotExpressible where rows that leave the window would be
    subtracted from a sum of floating point, which leaves a rest."""
    inner = node.this
    if isinstance(inner, exp.Avg):
        if isinstance(inner.this, exp.Distinct):
            raise NotExpressible("the average of distinct values in a window")
        if is_float(inner.this):
            _check_growing(node)
        total, count = node.copy(), node.copy()
        total.set("this", exp.Sum(this=inner.this.copy()))
        count.set("this", exp.Count(this=inner.this.copy()))
        return exp.paren(exp.Div(this=cast(total, "double"), expression=count, typed=True))
    if isinstance(inner, exp.Anonymous) or (isinstance(inner, exp.Sum) and is_float(inner.this)):
        _check_growing(node)
    return node


def _check_growing(node: exp.Expr) -> None:
    spec = node.args.get("spec")
    if spec is not None and str(spec.args.get("start") or "").upper() != "UNBOUNDED":
        raise NotExpressible("a window that moves over floating-point numbers")
