"""Numbers of DuckDB statements in Spark's words; see `spark_rules`."""

from __future__ import annotations

from sqlglot import exp

from services.executor.engines.expressible import NotExpressible
from services.executor.engines.spark.words import (
    call,
    cast,
    is_double,
    is_whole,
    number,
    refuse_times,
    whole_literal,
)


def divided(node: exp.Expr) -> exp.Expr:
    """DuckDB divides as floating-point numbers, by zero too."""
    refuse_times(node)
    above, below = cast(node.this, "DOUBLE"), cast(node.expression, "DOUBLE")
    ratio = exp.paren(exp.Div(this=above, expression=below, typed=True, safe=False), copy=False)
    if isinstance(node.expression, exp.Literal) and float(node.expression.name) != 0:
        return ratio
    infinite = exp.Mul(this=above.copy(), expression=cast(exp.Literal.string("Infinity"), "DOUBLE"))
    zero = exp.EQ(this=below.copy(), expression=number(0))
    return exp.Case(ifs=[exp.If(this=zero, true=infinite)], default=ratio)


def whole_quotient(node: exp.Expr) -> exp.Expr:
    """// of whole numbers; NULL where it divides by zero."""
    if not (is_whole(node.this) and is_whole(node.expression)):
        raise NotExpressible("// of what are not whole numbers")
    divisor = exp.Nullif(this=cast(node.expression, "BIGINT"), expression=number(0))
    return exp.paren(exp.IntDiv(this=cast(node.this, "BIGINT"), expression=divisor), copy=False)


def remainder(node: exp.Expr) -> exp.Expr:
    """% of numbers; NULL where it divides by zero."""
    divisor = exp.Nullif(this=node.expression.copy(), expression=number(0))
    return exp.paren(exp.Mod(this=node.this.copy(), expression=divisor), copy=False)


def not_a_number(node: exp.Expr) -> exp.Expr:
    """isnan, which is NULL of NULL; in Spark NaN equals itself."""
    nothing = cast(exp.Literal.string("NaN"), "DOUBLE")
    return exp.paren(exp.EQ(this=cast(node.this, "DOUBLE"), expression=nothing), copy=False)


def rounded(node: exp.Expr) -> exp.Expr:
    """round to a number of places that is written out."""
    value: exp.Expr = node.this
    places = node.args.get("decimals")
    if node.args.get("truncate"):
        raise NotExpressible("a round that cuts")
    digits = whole_literal(places) if places is not None else 0
    if digits is None:
        raise NotExpressible("round to a number of places that is not written out")
    if is_whole(value) and digits >= 0:
        return value.copy()
    if not is_double(value) or digits == 0:
        return call("round", value.copy(), number(digits))
    # The arithmetic of DuckDB, not the decimal text that Spark rounds.
    scale = cast(number(10 ** abs(digits)), "DOUBLE")
    up, down = (exp.Mul, exp.Div) if digits > 0 else (exp.Div, exp.Mul)
    moved = call("round", up(this=exp.paren(value.copy()), expression=scale), number(0))
    return exp.paren(down(this=moved, expression=scale.copy()), copy=False)


def logarithm(node: exp.Expr) -> exp.Expr:
    """log of base ten, or of a base that is named."""
    if node.args.get("expression") is None:
        return above_zero("log10", node.this)
    return call("log", node.this.copy(), node.expression.copy())


def above_zero(name: str, value: exp.Expr) -> exp.Expr:
    """A function that DuckDB refuses for numbers that are not above zero."""
    return _refusing(
        exp.LTE(this=value.copy(), expression=number(0)),
        f"{name} of a number that is not above zero",
        call(name, value.copy()),
    )


def square_root(node: exp.Expr) -> exp.Expr:
    """sqrt, which DuckDB refuses for negative numbers."""
    return _refusing(
        exp.LT(this=node.this.copy(), expression=number(0)),
        "the square root of a negative number",
        call("sqrt", node.this.copy()),
    )


def _refusing(when: exp.Expr, why: str, otherwise: exp.Expr) -> exp.Expr:
    """A value that is an error in DuckDB where Spark gives NULL or NaN."""
    refusal = cast(call("raise_error", exp.Literal.string(f"ASSAY: {why}")), "DOUBLE")
    return exp.Case(ifs=[exp.If(this=when, true=refusal)], default=otherwise)


def power(node: exp.Expr) -> exp.Expr:
    """power, always of floating-point numbers."""
    return call("power", cast(node.this, "DOUBLE"), cast(node.expression, "DOUBLE"))
