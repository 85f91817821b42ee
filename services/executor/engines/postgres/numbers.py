"""Arithmetic and conversions of DuckDB in PostgreSQL's words."""

from __future__ import annotations

from sqlglot import exp

from services.executor.engines.expressible import NotExpressible
from services.executor.engines.postgres.texts import (
    as_text,
)
from services.executor.engines.postgres.words import (
    FLOATS,
    Rule,
    call,
    cast,
    is_decimal,
    is_float,
    is_text,
    is_whole,
    literal_number,
    text,
)
from services.executor.engines.spellings import ELSEWHERE, matches, spelling, written_plainly

_TIMESTAMPS = (
    exp.DataType.Type.TIMESTAMP,
    exp.DataType.Type.DATETIME,
    exp.DataType.Type.TIMESTAMPNTZ,
)


def divided(node: exp.Expr) -> exp.Expr:
    """Division gives floating point; by zero it gives infinity, of zero by zero NaN."""
    above, below = cast(node.this, "float8"), node.expression
    if isinstance(below, exp.Literal) and not below.is_string and float(below.this) != 0:
        return exp.Paren(this=exp.Div(this=above, expression=cast(below, "float8"), typed=True))
    if isinstance(below, exp.Nullif):
        return exp.Paren(this=exp.Div(this=above, expression=cast(below, "float8"), typed=True))
    zero = exp.Literal.number(0)
    divisor = call(
        "coalesce",
        exp.Nullif(this=cast(below, "float8"), expression=zero),
        cast(exp.Literal.number(1), "float8"),
    )
    factor = exp.Case(
        ifs=[
            exp.If(
                this=exp.EQ(this=exp.paren(below.copy()), expression=zero.copy()),
                true=cast(text("Infinity"), "float8"),
            ),
            exp.If(
                this=exp.Is(this=exp.paren(below.copy()), expression=exp.Null()), true=exp.Null()
            ),
        ],
        default=cast(exp.Literal.number(1), "float8"),
    )
    quotient = exp.Div(this=above, expression=divisor, typed=True)
    return exp.Paren(this=exp.Mul(this=exp.Paren(this=quotient), expression=exp.Paren(this=factor)))


def whole_quotient(node: exp.Expr) -> exp.Expr:
    """`//` cuts towards zero; by zero it is NULL."""
    if not (is_whole(node.this) and is_whole(node.expression)):
        raise NotExpressible("// of numbers that are not whole")
    below = exp.Nullif(this=cast(node.expression, "numeric"), expression=exp.Literal.number(0))
    wide = node.type is not None and node.type.this is exp.DataType.Type.INT128
    return cast(call("div", cast(node.this, "numeric"), below), "numeric" if wide else "int8")


def remainder(node: exp.Expr) -> exp.Expr:
    """The remainder of whole numbers and decimals; by zero it is NULL."""
    if not (is_decimal(node.this) and is_decimal(node.expression)):
        raise NotExpressible("% of floating-point numbers")
    below = exp.Nullif(this=exp.paren(node.expression), expression=exp.Literal.number(0))
    return exp.Paren(this=exp.Mod(this=exp.paren(node.this), expression=below))


def rounded(node: exp.Expr) -> exp.Expr:
    """Half is rounded away from zero, of floating point by way of its scaled value."""
    value = node.this
    digits = (
        literal_number(node.args["decimals"], "digits of round", -15)
        if node.args.get("decimals") is not None
        else 0
    )
    if is_decimal(value):
        return call("round", cast(value, "numeric"), exp.Literal.number(digits))
    scale = cast(exp.Literal.number(f"1e{abs(digits)}"), "float8")
    here = cast(value, "float8")
    scaled: exp.Expr = (
        exp.Mul(this=here, expression=scale)
        if digits >= 0
        else exp.Div(this=here, expression=scale, typed=True)
    )
    half = exp.Add(this=call("abs", scaled), expression=exp.Literal.number("0.5"))
    near = exp.Mul(this=call("sign", here.copy()), expression=call("floor", half))
    back: exp.Expr = (
        exp.Div(this=exp.paren(near), expression=scale.copy(), typed=True)
        if digits >= 0
        else exp.Mul(this=exp.paren(near), expression=scale.copy())
    )
    return exp.Paren(this=back)


def converted(node: exp.Expr) -> exp.Expr:
    """CAST to the few types that both have."""
    target = node.args["to"]
    if target.this in exp.DataType.TEXT_TYPES:
        return as_text(node.this)
    value = node.this
    if is_text(value):
        value = _spelled_plainly(value, target.this)
    if target.this in exp.DataType.INTEGER_TYPES:
        small = target.this in (exp.DataType.Type.INT, exp.DataType.Type.SMALLINT)
        if is_text(node.this):
            value = call("round", cast(value, "numeric"))
        elif is_float(value):
            value = cast(value, "float8")  # a literal such as 2.5e0 is a decimal there
        if target.this is exp.DataType.Type.INT128:
            return cast(value, "numeric(38,0)")
        return cast(value, "int4" if small else "int8")
    if target.this is exp.DataType.Type.FLOAT:
        raise NotExpressible("floating point of four bytes")
    if target.this in FLOATS:
        return cast(value, "float8")
    if target.this in (exp.DataType.Type.DATE, exp.DataType.Type.BOOLEAN):
        return cast(value, target.this.value.lower())
    if target.this in _TIMESTAMPS:
        return cast(value, "timestamp")
    if target.this == exp.DataType.Type.DECIMAL:
        size = ", ".join(part.name for part in target.expressions) or "18, 3"
        return cast(value, f"numeric({size})")
    raise NotExpressible(f"a cast to {target.sql(dialect='duckdb')}")


def _spelled_plainly(value: exp.Expr, kind: exp.DType) -> exp.Expr:
    """A text, with what is spelled in another way made one that no type is; see `spellings`."""
    if written_plainly(value, kind):
        return value
    known = exp.Not(this=exp.Is(this=exp.paren(value.copy()), expression=exp.Null()))
    plain = exp.If(this=matches(value, spelling(kind).plain), true=value.copy())
    return exp.Paren(this=exp.Case(ifs=[plain, exp.If(this=known, true=text(ELSEWHERE))]))


def converted_or_null(node: exp.Expr) -> exp.Expr:
    """TRY_CAST of text to a number, by its spelling."""
    target, value = node.args["to"].this, node.this
    if isinstance(value, exp.Literal):
        # PostgreSQL would convert it before it looks at the spelling.
        raise NotExpressible("TRY_CAST of a literal")
    if not is_text(value):
        if target in FLOATS or target in exp.DataType.TEXT_TYPES:
            return converted(node)
        raise NotExpressible("TRY_CAST of a value that is not text")
    if target not in FLOATS:
        raise NotExpressible("TRY_CAST to this type")
    known = spelling(target)
    plain = exp.If(this=matches(value, known.plain), true=value.copy())
    doubtful = exp.If(this=matches(value, known.doubtful), true=text(ELSEWHERE))
    return exp.Paren(this=cast(exp.Case(ifs=[plain, doubtful]), "float8"))


def not_a_number(node: exp.Expr) -> exp.Expr:
    """isnan; in PostgreSQL NaN equals itself."""
    nothing = cast(text("NaN"), "float8")
    return exp.paren(exp.EQ(this=cast(node.this, "float8"), expression=nothing))


def floated(name: str) -> Rule:
    """A function whose argument PostgreSQL must be told to take as floating point."""

    def rule(node: exp.Expr) -> exp.Expr:
        return call(name, cast(node.this, "float8"))

    return rule


def logarithm(node: exp.Expr) -> exp.Expr:
    """log of base ten, or of a base that is named."""
    if node.args.get("expression") is None:
        return call("log", cast(node.this, "float8"))
    base, value = node.this, node.expression
    return cast(call("log", cast(base, "numeric"), cast(value, "numeric")), "float8")
