"""Arithmetic and conversions of DuckDB in the words of MySQL and MariaDB."""

from __future__ import annotations

from sqlglot import exp

from services.executor.engines.expressible import NotExpressible
from services.executor.engines.mysql.texts import as_text
from services.executor.engines.mysql.words import (
    FLOATS,
    MOMENTS,
    Rule,
    call,
    cast,
    is_day,
    is_decimal,
    is_float,
    is_moment,
    is_text,
    is_truth,
    is_whole,
    kind_of,
    literal_number,
    number,
    only_where,
    text,
)
from services.executor.engines.spellings import spelling, written_plainly

_TYPES = exp.DataType.Type
_BITS = {
    _TYPES.TINYINT: 7,
    _TYPES.SMALLINT: 15,
    _TYPES.INT: 31,
    _TYPES.BIGINT: 63,
}


def added(node: exp.Expr) -> exp.Expr:
    """Sums and differences; beside a date a whole number is days, between two dates there are."""
    left, right = node.this, node.expression
    if isinstance(right, exp.Interval) and (is_day(left) or is_moment(left)):
        return cast(type(node)(this=left, expression=right), "moment")
    if is_day(left) and is_whole(right):
        days = exp.Interval(this=exp.paren(right), unit=exp.Var(this="DAY"))
        return cast(exp.paren(type(node)(this=left, expression=days)), "date")
    if is_day(left) and is_day(right) and isinstance(node, exp.Sub):
        return call("datediff", left, right)
    return _numbers(node)


def multiplied(node: exp.Expr) -> exp.Expr:
    """Products and signs of numbers."""
    return _numbers(node)


def _numbers(node: exp.Expr) -> exp.Expr:
    ends = [end for end in (node.this, node.args.get("expression")) if isinstance(end, exp.Expr)]
    for end in ends:
        if not (is_decimal(end) or is_float(end) or isinstance(end, exp.Null)):
            raise NotExpressible("arithmetic of what is no number")
    if all(is_whole(end) for end in ends) and node.type is not None:
        # The server counts up to 64 bits, whatever the types are.
        if kind_of(node) in (_TYPES.INT128,):
            for name in ("this", "expression"):
                if isinstance(node.args.get(name), exp.Expr):
                    node.set(name, cast(node.args[name], "decimal(60,0)"))
    elif any(is_float(end) for end in ends):
        for name in ("this", "expression"):
            given = node.args.get(name)
            if isinstance(given, exp.Expr) and not is_float(given):
                node.set(name, cast(given, "double"))
    return exp.paren(node.copy()) if node.parent is not None else node


def divided(node: exp.Expr) -> exp.Expr:
    """Division gives floating point; what is divided by zero there is no number here."""
    above, below = cast(node.this, "double"), node.expression
    _check_numbers(node.this, below)
    quotient = exp.paren(exp.Div(this=above, expression=cast(below, "double"), typed=True))
    if isinstance(below, exp.Literal) and not below.is_string and float(below.this) != 0:
        return quotient
    if isinstance(below, exp.Nullif):
        return quotient
    not_zero = exp.NEQ(this=exp.paren(below.copy()), expression=number(0))
    return only_where(not_zero, quotient, below)


def _check_numbers(*values: exp.Expr) -> None:
    for value in values:
        if not (is_decimal(value) or is_float(value) or isinstance(value, exp.Null)):
            raise NotExpressible("division of what is no number")


def whole_quotient(node: exp.Expr) -> exp.Expr:
    """`//` cuts towards zero; by zero it is NULL."""
    if not (is_whole(node.this) and is_whole(node.expression)):
        raise NotExpressible("// of numbers that are not whole")
    below = exp.Nullif(this=exp.paren(node.expression), expression=number(0))
    return exp.paren(exp.IntDiv(this=exp.paren(node.this), expression=below))


def remainder(node: exp.Expr) -> exp.Expr:
    """The remainder of whole numbers and decimals; by zero it is NULL."""
    if not (is_decimal(node.this) and is_decimal(node.expression)):
        raise NotExpressible("% of floating-point numbers")
    below = exp.Nullif(this=exp.paren(node.expression), expression=number(0))
    rest = exp.paren(exp.Mod(this=exp.paren(node.this), expression=below))
    if is_whole(node.this) and is_whole(node.expression):
        rest.type = exp.DataType(this=_TYPES.BIGINT)
    return rest


def rounded(node: exp.Expr) -> exp.Expr:
    """Half is rounded away from zero, of floating point by way of its scaled value."""
    value, places = node.this, node.args.get("decimals")
    digits = literal_number(places, "digits of round", -15) if places is not None else 0
    if is_decimal(value):
        return call("round", value, number(digits))
    if not is_float(value):
        raise NotExpressible("round of what is no number")
    scale = cast(number(f"1e{abs(digits)}"), "double")
    over, under = (exp.Mul, exp.Div) if digits >= 0 else (exp.Div, exp.Mul)
    scaled = over(this=value, expression=scale)
    half = exp.Add(this=call("abs", scaled), expression=number("5e-1"))
    near = exp.Mul(this=call("sign", value.copy()), expression=call("floor", half))
    return exp.paren(under(this=exp.paren(near), expression=scale.copy()))


def converted(node: exp.Expr) -> exp.Expr:
    """CAST to the few types that both have. A value that would not fit is not made to."""
    target, value = node.args["to"], node.this
    kind = target.this
    if kind in exp.DataType.TEXT_TYPES:
        return as_text(value)
    if is_text(value):
        return _of_text(value, kind, target)
    if kind in exp.DataType.INTEGER_TYPES:
        return _whole(value, kind)
    if kind in (exp.DataType.Type.DOUBLE,):
        _check_numbers_or_truths(value)
        return cast(value, "double")
    if kind is _TYPES.BOOLEAN and (is_truth(value) or is_whole(value)):
        return exp.paren(exp.NEQ(this=exp.paren(value), expression=number(0)))
    if kind is _TYPES.DATE and (is_day(value) or is_moment(value)):
        return cast(value, "date")
    if kind in MOMENTS and (is_day(value) or is_moment(value)):
        return cast(value, "moment")
    if kind is _TYPES.DECIMAL and (is_decimal(value) or isinstance(value, exp.Literal)):
        size = ",".join(part.name for part in target.expressions) or "18,3"
        return cast(value, f"decimal({size})")
    if isinstance(value, exp.Null):
        return value
    raise NotExpressible(f"this cast to {target.sql(dialect='duckdb')}")


def _check_numbers_or_truths(value: exp.Expr) -> None:
    if not (is_decimal(value) or is_float(value) or is_truth(value)):
        raise NotExpressible("a number made of what is none")


def _whole(value: exp.Expr, kind: exp.DType) -> exp.Expr:
    _check_numbers_or_truths(value)
    if kind is _TYPES.INT128:
        if is_float(value):
            raise NotExpressible("whole numbers of 128 bits made of floating point")
        return cast(value, "decimal(38,0)")
    if kind not in _BITS:
        raise NotExpressible(f"a cast to {kind.value.lower()}")
    if isinstance(value, exp.Literal) and is_whole(value) and len(value.name) < 10:
        return value
    bound = 2 ** _BITS[kind]
    # To the nearest, of floating point the even one of two.
    fits = exp.and_(
        exp.GTE(this=exp.paren(value.copy()), expression=number(-bound)),
        exp.LT(this=exp.paren(value.copy()), expression=number(bound)),
    )
    return only_where(fits, cast(value, "signed"), value)


def _of_text(value: exp.Expr, kind: exp.DType, target: exp.DataType) -> exp.Expr:
    plain = written_plainly(value, kind)
    if kind in FLOATS and kind is not _TYPES.FLOAT:
        # Neither infinity nor NaN is a number here.
        if plain and not value.name.strip()[-1:].isdigit() and not value.name.strip().endswith("."):
            raise NotExpressible("a number that is none")
        return _plainly(
            value,
            r"(?i)^ *[-+]?([0-9]+([.][0-9]*)?|[.][0-9]+)(e[-+]?[0-9]{1,2})? *\z",
            cast(call("trim", value), "double"),
            plain=plain,
        )
    if kind in exp.DataType.INTEGER_TYPES and kind in _BITS:
        exact = call("round", cast(call("trim", value), "decimal(65,10)"))
        exact.type = exp.DataType.build("DECIMAL")
        return _plainly(value, _end(spelling(kind).plain), _whole(exact, kind), plain=plain)
    if kind is _TYPES.DECIMAL:
        size = ",".join(part.name for part in target.expressions) or "18,3"
        exact = cast(call("trim", value), f"decimal({size})")
        return _plainly(value, _end(spelling(kind).plain), exact, plain=plain)
    if kind is _TYPES.DATE:
        return _plainly(
            value, _end(spelling(kind).plain), cast(call("trim", value), "date"), plain=plain
        )
    if kind in MOMENTS:
        bare = call("trim", value)
        if plain and value.name.strip().upper().endswith("Z"):
            bare = text(value.name.strip()[:-1])
        without = spelling(kind).plain.replace("Z?", "")
        return _plainly(value, _end(without), cast(bare, "moment"), plain=plain)
    if kind is _TYPES.BOOLEAN and plain:
        return exp.Boolean(this=value.name.lower() in ("true", "t", "yes", "y", "1"))
    raise NotExpressible(f"a cast of text to {kind.value.lower()}")


def _plainly(value: exp.Expr, pattern: str, made: exp.Expr, *, plain: bool) -> exp.Expr:
    if plain:
        return made
    return only_where(exp.RegexpLike(this=value.copy(), expression=text(pattern)), made, value)


def _end(pattern: str) -> str:
    """`$` would also stand before a line feed at the end."""
    return pattern.removesuffix("$") + r"\z"


def floated(name: str) -> Rule:
    """A function of floating-point numbers."""

    def rule(node: exp.Expr) -> exp.Expr:
        if not (is_decimal(node.this) or is_float(node.this)):
            raise NotExpressible(f"{name} of what is no number")
        return call(name, cast(node.this, "double"))

    return rule


def only_above(name: str, least: str, *, at_least: bool) -> Rule:
    """As `floated`, of a number above a bound: what is not is an error there, NULL here."""

    def rule(node: exp.Expr) -> exp.Expr:
        made = floated(name)(node)
        test = (exp.GTE if at_least else exp.GT)(
            this=exp.paren(node.this.copy()), expression=number(least)
        )
        return only_where(test, made, node.this)

    return rule


def logarithm(node: exp.Expr) -> exp.Expr:
    """log of base ten; of another base its last digits would differ."""
    if node.args.get("expression") is not None:
        raise NotExpressible("logarithms of a base")
    return only_above("log10", "0", at_least=False)(node)


def power(node: exp.Expr) -> exp.Expr:
    """A power; what is no finite number ends the statement by itself."""
    return call("pow", cast(node.this, "double"), cast(node.expression, "double"))


def extreme(name: str) -> Rule:
    """greatest and least pass over NULL there, and give it here."""

    def rule(node: exp.Expr) -> exp.Expr:
        given = [node.this, *node.expressions]
        if len({is_text(one) for one in given if not isinstance(one, exp.Null)}) != 1:
            raise NotExpressible(f"{name} of texts and others")
        filled = []
        for place in range(len(given)):
            others = [one.copy() for one in (*given[place:], *given[:place])]
            filled.append(exp.Coalesce(this=others[0], expressions=others[1:]))
        return call(name, *filled) if len(given) > 1 else given[0]

    return rule


def not_a_number(node: exp.Expr) -> exp.Expr:
    """isnan: no value here is NaN."""
    return only_where(exp.Boolean(this=True), exp.Boolean(this=False), node.this)
