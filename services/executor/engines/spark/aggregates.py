"""Aggregates of DuckDB in Spark's words; see `spark_rules`."""

from __future__ import annotations

from sqlglot import exp

from services.executor.engines.expressible import NotExpressible
from services.executor.engines.spark.casts import as_text
from services.executor.engines.spark.words import (
    Rule,
    call,
    cast,
    is_double,
    is_whole,
    refuse_times,
)


def average(node: exp.Expr) -> exp.Expr:
    """avg, always of floating-point numbers."""
    return exp.Avg(this=_of_values(node, "DOUBLE"))


def summed(node: exp.Expr) -> exp.Expr:
    """sum, of truth values too; of whole numbers beyond 64 bits where it comes to that."""
    kind = node.this.type
    if is_whole(node.this):
        bare = not isinstance(node.this, exp.Distinct)
        bare = bare and not isinstance(node.parent, (exp.Window, exp.Filter))
        if bare and kind is not None and kind.this is not exp.DataType.Type.INT128:
            return _summed_in_halves(node.this)
        return exp.Sum(this=_of_values(node, "DECIMAL(38,0)"))
    if kind is not None and kind.this is exp.DataType.Type.BOOLEAN:
        return exp.Sum(this=_of_values(node, "BIGINT"))
    return node


def grouping_bits(node: exp.Expr) -> exp.Expr:
    """GROUPING() of several columns, one by one: a bit of each, the first the highest."""
    several = len(node.expressions)
    bits = [
        exp.Mul(
            this=cast(exp.Grouping(expressions=[column.copy()]), "BIGINT"),
            expression=exp.Literal.number(2 ** (several - 1 - place)),
        )
        for place, column in enumerate(node.expressions)
    ]
    total: exp.Expr = bits[0]
    for bit in bits[1:]:
        total = exp.Add(this=total, expression=bit)
    return exp.paren(total, copy=False)


def _summed_in_halves(value: exp.Expr) -> exp.Expr:
    """The upper and the lower 32 bits apart: decimals take ten times as long as whole numbers."""
    bits = cast(value, "BIGINT")
    lower = exp.BitwiseAnd(this=bits.copy(), expression=exp.Literal.number(2**32 - 1))
    halves = (call("shiftright", bits, exp.Literal.number(32)), lower)
    high, low = (cast(exp.Sum(this=half), "DECIMAL(38,0)") for half in halves)
    raised = exp.Mul(this=high, expression=exp.Literal.number(2**32))
    return exp.paren(exp.Add(this=raised, expression=low), copy=False)


def _of_values(node: exp.Expr, kind: str) -> exp.Expr:
    """The argument of an aggregate as another type, inside its DISTINCT."""
    refuse_times(node)
    if isinstance(node.this, exp.Distinct):
        return exp.Distinct(expressions=[cast(one, kind) for one in node.this.expressions])
    return cast(node.this, kind)


def median(node: exp.Expr) -> exp.Expr:
    """median of numbers."""
    refuse_times(node)
    return _percentile(node.this, exp.Literal.number("0.5"))


def quantile(node: exp.Expr) -> exp.Expr:
    """quantile, which is a value that is there."""
    return _discrete(node.this, node.args["quantile"])


def _percentile(value: exp.Expr, share: exp.Expr) -> exp.Expr:
    # Between two decimals DuckDB gives a decimal, which it cuts.
    if not isinstance(share, exp.Literal) or not (is_double(value) or is_whole(value)):
        raise NotExpressible("this quantile")
    return call("percentile", cast(value, "DOUBLE"), share.copy())


def percentile_disc(node: exp.Expr) -> exp.Expr:
    """quantile_disc."""
    return _discrete(*_ranked(node))


def _discrete(value: exp.Expr, share: exp.Expr) -> exp.Expr:
    text = value.type is not None and value.type.this in exp.DataType.TEXT_TYPES
    if text or not isinstance(share, exp.Literal):
        raise NotExpressible("this quantile")
    order = exp.Order(expressions=[exp.Ordered(this=value.copy(), nulls_first=False)])
    return exp.WithinGroup(this=call("percentile_disc", share.copy()), expression=order)


def percentile_cont(node: exp.Expr) -> exp.Expr:
    """percentile_cont."""
    return _percentile(*_ranked(node))


def _ranked(node: exp.Expr) -> tuple[exp.Expr, exp.Expr]:
    """What is ranked and the share: `quantile_cont(x, 0.5)`, or WITHIN GROUP as it is parsed."""
    order = node.expression
    if not isinstance(order, exp.Order):
        if order is None or isinstance(node.parent, exp.WithinGroup):
            raise NotExpressible("this quantile")
        return node.this, order
    terms = order.expressions
    if len(terms) != 1 or terms[0].args.get("desc") or not isinstance(order.this, exp.Literal):
        raise NotExpressible("this quantile")
    return terms[0].this, order.this


def joined_rows(node: exp.Expr) -> exp.Expr:
    """string_agg in an order that is given."""
    order, separator = node.this, node.args.get("separator") or exp.Literal.string(",")
    if not isinstance(order, exp.Order) or isinstance(order.this, exp.Distinct):
        raise NotExpressible("string_agg without ORDER BY")
    agg = call("listagg", as_text(order.this), separator.copy())
    return exp.WithinGroup(this=agg, expression=exp.Order(expressions=order.expressions))


def boolean(name: str) -> Rule:
    """An aggregate of truth values."""
    return lambda node: call(name, node.this.copy())


def at_extreme(name: str) -> Rule:
    """Where several rows have the extreme, either engine takes the one it meets."""

    def rule(node: exp.Expr) -> exp.Expr:
        if node.args.get("count"):
            raise NotExpressible("the N extremes")
        return call(name, node.this.copy(), node.expression.copy())

    return rule
