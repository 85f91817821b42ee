"""Arithmetic and conversions."""

from __future__ import annotations

from sqlglot import exp

from services.executor.engines.expressible import NotExpressible
from services.executor.engines.spellings import written_plainly
from services.executor.pushdown import times
from services.executor.pushdown.target import Rule, Target
from services.executor.pushdown.words import (
    MOMENTS,
    is_day,
    is_decimal,
    is_float,
    is_moment,
    is_nothing,
    is_number,
    is_text,
    is_truth,
    is_whole,
    is_wide,
    literal_number,
    number,
    own,
)

_TYPES = exp.DataType.Type


def added(target: Target, node: exp.Expr) -> exp.Expr:
    """Sums and differences, of numbers or of a time and an interval."""
    left, right = node.this, node.expression
    sign = -1 if isinstance(node, exp.Sub) else 1
    if isinstance(right, exp.Interval) and (is_day(left) or is_moment(left)):
        return times.shifted(target, left, right, sign)
    if is_day(left) and is_day(right) and sign < 0:
        return target.days_between(right, left)
    return _arithmetic(target, node)


def multiplied(target: Target, node: exp.Expr) -> exp.Expr:
    """Products of numbers."""
    both = is_decimal(node.this) and is_decimal(node.expression)
    if both and not target.exact_products:
        raise NotExpressible("a product of decimals")
    return _arithmetic(target, node)


def _arithmetic(target: Target, node: exp.Expr) -> exp.Expr:
    ends = [node.this, node.expression]
    if not all(is_number(end) for end in ends):
        raise NotExpressible("arithmetic of what is no number")
    if any(is_float(end) for end in ends):
        for name in ("this", "expression"):
            if not is_float(node.args[name]):
                node.set(name, target.cast(node.args[name], "double"))
        return exp.paren(node)
    if all(is_whole(end) for end in ends) and not any(is_wide(end) for end in ends):
        return target.whole_arithmetic(node)
    return exp.paren(node)


def negated(target: Target, node: exp.Expr) -> exp.Expr:
    """A number with the other sign."""
    if not is_number(node.this):
        raise NotExpressible("the negative of what is no number")
    if is_whole(node.this) and not is_wide(node.this) and not isinstance(node.this, exp.Literal):
        return target.whole_arithmetic(exp.Sub(this=number(0), expression=node.this))
    return exp.paren(node)


def divided(target: Target, node: exp.Expr) -> exp.Expr:
    """Division gives floating point; by zero it ends the statement, or gives what DuckDB gives."""
    above, below = node.this, node.expression
    if not (is_number(above) and is_number(below)):
        raise NotExpressible("division of what is no number")
    ends = [end if is_float(end) else target.cast(end, "double") for end in (above, below)]
    return target.finite(own("({0} / {1})", *ends, kind=_TYPES.DOUBLE))


def whole_quotient(target: Target, node: exp.Expr) -> exp.Expr:
    """`//` cuts towards zero; by zero it is NULL."""
    _check_whole(node, "//")
    return target.whole_quotient(node.this, _not_zero(node.expression))


def remainder(target: Target, node: exp.Expr) -> exp.Expr:
    """The remainder of whole numbers, with the sign of what is divided; by zero it is NULL."""
    del target
    _check_whole(node, "%")
    return own("MOD({0}, {1})", node.this, _not_zero(node.expression), kind=_TYPES.BIGINT)


def _check_whole(node: exp.Expr, what: str) -> None:
    for end in (node.this, node.expression):
        if not is_whole(end) or is_wide(end):
            raise NotExpressible(f"{what} of numbers that are not whole")


def _not_zero(value: exp.Expr) -> exp.Expr:
    return own("NULLIF({0}, 0)", value, kind=_TYPES.BIGINT)


def function(name: str) -> Rule:
    """A function of numbers that is called alike everywhere."""

    def rule(target: Target, node: exp.Expr) -> exp.Expr:
        if not is_number(node.this):
            raise NotExpressible(f"{name.lower()} of what is no number")
        if is_whole(node.this) and not is_wide(node.this):
            return _of_whole(target, name, node.this)
        return own(f"{name}({{0}})", node.this, kind=node.type.this if node.type else None)

    return rule


def _of_whole(target: Target, name: str, value: exp.Expr) -> exp.Expr:
    if name != "ABS":
        return exp.paren(value)
    other = target.whole_arithmetic(exp.Sub(this=number(0), expression=value))
    words = "(CASE WHEN {0} < 0 THEN {1} ELSE {0} END)"
    return own(words, value, other, kind=_TYPES.BIGINT)


def rounded(target: Target, node: exp.Expr) -> exp.Expr:
    """Half is rounded away from zero, of floating point by way of its scaled value."""
    value, places = node.this, node.args.get("decimals")
    digits = literal_number(places, "digits of round") if places is not None else 0
    if not 0 <= digits <= 15:
        raise NotExpressible("round to these digits")
    if is_whole(value):
        return exp.paren(value)
    if is_decimal(value):
        return _away_from_zero(target, target.cast(value, "double"), digits)
    if not is_float(value):
        raise NotExpressible("round of what is no number")
    return _away_from_zero(target, value, digits)


def _away_from_zero(target: Target, value: exp.Expr, digits: int) -> exp.Expr:
    scale = target.cast(number(10**digits), "double")
    half = target.cast(target.decimal("0.5"), "double")
    return own(
        "(SIGN({0}) * FLOOR(ABS({0} * {1}) + {2}) / {1})", value, scale, half, kind=_TYPES.DOUBLE
    )


def converted(target: Target, node: exp.Expr) -> exp.Expr:
    """CAST to the few types that all have, where no value changes. Raises NotExpressible."""
    value: exp.Expr = node.this
    to = node.args["to"]
    kind = to.this
    if is_nothing(value):
        return value
    if is_text(value) and kind not in exp.DataType.TEXT_TYPES:
        return _of_text(target, value, kind)
    if kind is _TYPES.DOUBLE and is_number(value):
        return target.cast(value, "double")
    if kind in (_TYPES.BIGINT, _TYPES.INT128) and is_whole(value) and not is_wide(value):
        return exp.paren(value)
    if kind in exp.DataType.TEXT_TYPES and (is_text(value) or is_whole(value)):
        return exp.paren(value) if is_text(value) else target.cast(value, "text")
    if kind in exp.DataType.INTEGER_TYPES and is_truth(value):
        zero, one = number(0), number(1)
        no = exp.Not(this=exp.paren(value.copy()))
        return exp.paren(exp.Case(ifs=[exp.If(this=value, true=one), exp.If(this=no, true=zero)]))
    if kind is _TYPES.DATE and (is_day(value) or is_moment(value)):
        return value if is_day(value) else target.cast(value, "day")
    if kind in MOMENTS and (is_day(value) or is_moment(value)):
        return value if is_moment(value) else target.cast(value, "moment")
    raise NotExpressible(f"this cast to {to.sql(dialect='duckdb')}")


def _of_text(target: Target, value: exp.Expr, kind: exp.DType) -> exp.Expr:
    if not written_plainly(value, kind):
        raise NotExpressible(f"a cast of text to {kind.value.lower()}")
    if kind is _TYPES.DATE:
        return times.day_of(target, value.name)
    if kind in MOMENTS:
        return times.moment_of(target, value.name)
    raise NotExpressible(f"a cast of text to {kind.value.lower()}")
