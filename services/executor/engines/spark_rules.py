"""Parts of DuckDB statements in Spark's words.

Each rule takes a node of the qualified, typed tree (its arguments already translated) and gives
the node that means the same in Spark with ANSI semantics and the session in UTC. What has no rule
and is not in `SAME` is not expressible there; `NotExpressible` says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from sqlglot import exp

from services.executor.databases.relation import NotExpressible
from services.executor.engines.spark_dates import DATE_RULES
from services.executor.engines.spark_words import (
    TIMES,
    call,
    cast,
    is_decimal,
    is_double,
    is_text,
    is_whole,
    number,
    whole_literal,
    words,
)

Rule = Callable[[exp.Expr], exp.Expr]

# Classes that mean the same in both and that sqlglot writes rightly.
SAME = words(
    """
    Abs Acos Alias And Asin Atan Atan2 Between BitwiseAnd BitwiseNot BitwiseOr Boolean CTE Case
    Cbrt Ceil Coalesce Column Contains Corr Cos Cosh Count CountIf CovarPop CovarSamp Cube CumeDist
    CurrentRow DataType DataTypeParam Degrees DenseRank Distinct EQ EndsWith Except Exists Exp
    Filter FirstValue Floor From GT GTE Greatest Group Grouping GroupingSets Having Identifier If In
    Intersect Interval Is IsNan Join LT LTE Lag LastDay LastValue Lead Least Length Levenshtein
    Limit Literal Lower MD5 Max Min Mul NEQ Neg Not NthValue Ntile Null NullSafeEQ NullSafeNEQ
    Nullif Offset Or Order Ordered Paren PercentRank Pi Qualify Radians Rank
    RegrAvgx RegrAvgy RegrCount RegrR2 RegrSlope RegrIntercept RegrSxx RegrSxy RegrSyy Repeat
    Reverse Rollup RowNumber Select Sign Sin Sinh Star StartsWith Stddev StddevPop StddevSamp
    Subquery Table TableAlias Tan Tanh Translate Trim Tuple Union Upper Values Var Variance
    VariancePop Where Window WindowSpec With WithinGroup Xor
    """
)


def _div(node: exp.Expr) -> exp.Expr:
    """DuckDB divides as floating-point numbers, by zero too."""
    _numbers(node)
    above, below = cast(node.this, "DOUBLE"), cast(node.expression, "DOUBLE")
    ratio = exp.paren(exp.Div(this=above, expression=below, typed=True, safe=False), copy=False)
    if isinstance(node.expression, exp.Literal) and float(node.expression.name) != 0:
        return ratio
    infinite = exp.Mul(this=above.copy(), expression=cast(exp.Literal.string("Infinity"), "DOUBLE"))
    zero = exp.EQ(this=below.copy(), expression=number(0))
    return exp.Case(ifs=[exp.If(this=zero, true=infinite)], default=ratio)


def _int_div(node: exp.Expr) -> exp.Expr:
    if not (is_whole(node.this) and is_whole(node.expression)):
        raise NotExpressible("// of what are not whole numbers")
    divisor = exp.Nullif(this=cast(node.expression, "BIGINT"), expression=number(0))
    return exp.paren(exp.IntDiv(this=cast(node.this, "BIGINT"), expression=divisor), copy=False)


def _mod(node: exp.Expr) -> exp.Expr:
    divisor = exp.Nullif(this=node.expression.copy(), expression=number(0))
    return exp.paren(exp.Mod(this=node.this.copy(), expression=divisor), copy=False)


def _round(node: exp.Expr) -> exp.Expr:
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


def _cast(node: exp.Expr) -> exp.Expr:
    value, to, trying = node.this, node.args["to"], isinstance(node, exp.TryCast)
    kind = to.this
    types = exp.DataType.Type
    name = {
        types.TINYINT: "BIGINT", types.SMALLINT: "BIGINT", types.INT: "BIGINT",
        types.BIGINT: "BIGINT", types.DOUBLE: "DOUBLE", types.FLOAT: "FLOAT",
        types.DATE: "DATE", **dict.fromkeys(TIMES, "TIMESTAMP"), types.BOOLEAN: "BOOLEAN",
        types.VARCHAR: "STRING", types.TEXT: "STRING", types.INT128: "DECIMAL(38,0)",
    }.get(kind)  # fmt: skip
    if kind is types.DECIMAL:
        name = to.sql(dialect="spark") if to.expressions else "DECIMAL(18,3)"
    if name is None:
        raise NotExpressible(f"a cast to {to.sql(dialect='duckdb')}")
    if name == "STRING" and not _same_text(value):
        raise NotExpressible("a cast to text of numbers with a point, or of unknown type")
    if name == "BIGINT":
        if kind not in (types.BIGINT, types.INT) and not is_whole(value):
            raise NotExpressible(f"a cast to {to.sql(dialect='duckdb')}")
        value = _to_whole(value, trying)
        name = "INT" if kind is types.INT else name
    return cast(value, name, trying=trying)


def _to_whole(value: exp.Expr, trying: bool) -> exp.Expr:
    """DuckDB rounds: halves to even from floating point, away from zero from decimals."""
    if is_double(value):
        return call("rint", value.copy())
    if is_decimal(value):
        return call("round", value.copy(), number(0))
    if is_text(value):
        return call("round", cast(value, "DECIMAL(38,10)", trying=trying), number(0))
    return value


def _same_text(value: exp.Expr) -> bool:
    types = exp.DataType.Type
    return (
        is_text(value)
        or is_whole(value)
        or is_decimal(value)
        or bool(value.type and value.type.this in (types.DATE, types.BOOLEAN, types.NULL, *TIMES))
    )


def _avg(node: exp.Expr) -> exp.Expr:
    return exp.Avg(this=_of_values(node, "DOUBLE"))


def _sum(node: exp.Expr) -> exp.Expr:
    kind = node.this.type
    if kind is not None and kind.this is exp.DataType.Type.BOOLEAN:
        return exp.Sum(this=_of_values(node, "BIGINT"))
    return node


def _of_values(node: exp.Expr, kind: str) -> exp.Expr:
    """The argument of an aggregate as another type, inside its DISTINCT."""
    _numbers(node)
    if isinstance(node.this, exp.Distinct):
        return exp.Distinct(expressions=[cast(one, kind) for one in node.this.expressions])
    return cast(node.this, kind)


def _median(node: exp.Expr) -> exp.Expr:
    _numbers(node)
    return call("percentile", cast(node.this, "DOUBLE"), exp.Literal.number("0.5"))


def _quantile(node: exp.Expr) -> exp.Expr:
    return _percentile(node.this, node.args["quantile"])


def _percentile(value: exp.Expr, share: exp.Expr) -> exp.Expr:
    if not isinstance(share, exp.Literal) or not (is_double(value) or is_whole(value)):
        raise NotExpressible("this quantile")
    return call("percentile", cast(value, "DOUBLE"), share.copy())


def _percentile_disc(node: exp.Expr) -> exp.Expr:
    value, share = _ranked(node)
    order = exp.Order(expressions=[exp.Ordered(this=value.copy(), nulls_first=False)])
    return exp.WithinGroup(this=call("percentile_disc", share.copy()), expression=order)


def _percentile_cont(node: exp.Expr) -> exp.Expr:
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


def _concat(node: exp.Expr) -> exp.Expr:
    """concat() passes over what is empty, || does not."""
    empty = exp.Literal.string("")
    parts = [
        exp.Coalesce(this=_as_text(part), expressions=[empty.copy()]) for part in node.expressions
    ]
    return call("concat", *parts)


def _pipe(node: exp.Expr) -> exp.Expr:
    return call("concat", _as_text(node.this), _as_text(node.expression))


def _concat_ws(node: exp.Expr) -> exp.Expr:
    return call("concat_ws", *[_as_text(part) for part in node.expressions])


def _as_text(value: exp.Expr) -> exp.Expr:
    if not _same_text(value):
        raise NotExpressible("numbers with a point as text")
    return cast(value, "STRING")


def _substring(node: exp.Expr) -> exp.Expr:
    start, length = node.args.get("start"), node.args.get("length")
    first = whole_literal(start) if start is not None else None
    if not first:
        raise NotExpressible("a substring that does not begin at a written place")
    if length is not None and whole_literal(length) is None and first != 1:
        raise NotExpressible("a substring whose length is computed")
    return call("substring", *[part.copy() for part in (node.this, start, length) if part])


def _end(name: str) -> Rule:
    def rule(node: exp.Expr) -> exp.Expr:
        length = whole_literal(node.expression)
        if length is None or length < 0:
            raise NotExpressible(f"{name} of a computed or negative length")
        return call(name, node.this.copy(), node.expression.copy())

    return rule


def _position(node: exp.Expr) -> exp.Expr:
    if node.args.get("position"):
        raise NotExpressible("a position after a position")
    return call("instr", node.this.copy(), node.args["substr"].copy())


def _split_part(node: exp.Expr) -> exp.Expr:
    part = node.args.get("part_index")
    if part is None or not whole_literal(part):
        raise NotExpressible("a part whose number is not written out")
    return call("split_part", node.this.copy(), node.args["delimiter"].copy(), part.copy())


def _replace(node: exp.Expr) -> exp.Expr:
    return call("replace", *[node.args[a].copy() for a in ("this", "expression", "replacement")])


def _like(node: exp.Expr) -> exp.Expr:
    """DuckDB knows no escape sign unless one is named; Spark takes the backslash."""
    pattern = node.expression
    escaped = isinstance(node.parent, exp.Escape)
    if escaped:
        return node
    if not isinstance(pattern, exp.Literal):
        raise NotExpressible("LIKE with a pattern that is computed")
    literally = exp.Literal.string(pattern.name.replace("\\", "\\\\"))
    return type(node)(this=node.this.copy(), expression=literally)


def _pattern(node: exp.Expr | None) -> str:
    text = node.name if isinstance(node, exp.Literal) and node.is_string else None
    if text is None or re.search(
        r"\\[pPzAQCGKkRXhHvVuxN0]|\(\?|\[\[|\[\^?[^]]*\[|&&|[*+?}]\+", text
    ):
        raise NotExpressible("this regular expression")
    return text


def _regexp_like(node: exp.Expr) -> exp.Expr:
    if node.args.get("flag"):
        raise NotExpressible("a regular expression with options")
    return exp.RegexpLike(
        this=node.this.copy(), expression=exp.Literal.string(_pattern(node.expression))
    )


def _regexp_extract(node: exp.Expr) -> exp.Expr:
    if node.args.get("parameters"):
        raise NotExpressible("a regular expression with options")
    group = node.args.get("group")
    chosen = whole_literal(group) if group is not None else 0
    if chosen is None:
        raise NotExpressible("a computed group of a regular expression")
    pattern = exp.Literal.string(_pattern(node.expression))
    return call("regexp_extract", node.this.copy(), pattern, number(chosen))


def _regexp_replace(node: exp.Expr) -> exp.Expr:
    replacement, flags = node.args.get("replacement"), node.args.get("modifiers")
    if flags is None or flags.name != "g" or not isinstance(replacement, exp.Literal):
        raise NotExpressible("a replacement of the first match only")
    if re.search(r"[$\\]", replacement.name):
        raise NotExpressible("a replacement with references")
    pattern = exp.Literal.string(_pattern(node.expression))
    return call("regexp_replace", node.this.copy(), pattern, replacement.copy())


def _log(node: exp.Expr) -> exp.Expr:
    if node.args.get("expression") is None:
        return _above_zero("log10", node.this)
    return call("log", node.this.copy(), node.expression.copy())


def _above_zero(name: str, value: exp.Expr) -> exp.Expr:
    return _refusing(
        exp.LTE(this=value.copy(), expression=number(0)),
        f"{name} of a number that is not above zero",
        call(name, value.copy()),
    )


def _sqrt(node: exp.Expr) -> exp.Expr:
    return _refusing(
        exp.LT(this=node.this.copy(), expression=number(0)),
        "the square root of a negative number",
        call("sqrt", node.this.copy()),
    )


def _refusing(when: exp.Expr, why: str, otherwise: exp.Expr) -> exp.Expr:
    """A value that is an error in DuckDB where Spark gives NULL or NaN."""
    refusal = cast(call("raise_error", exp.Literal.string(f"ASSAY: {why}")), "DOUBLE")
    return exp.Case(ifs=[exp.If(this=when, true=refusal)], default=otherwise)


def _power(node: exp.Expr) -> exp.Expr:
    return call("power", cast(node.this, "DOUBLE"), cast(node.expression, "DOUBLE"))


def _group_concat(node: exp.Expr) -> exp.Expr:
    order, separator = node.this, node.args.get("separator") or exp.Literal.string(",")
    if not isinstance(order, exp.Order) or isinstance(order.this, exp.Distinct):
        raise NotExpressible("string_agg without ORDER BY")
    agg = call("listagg", _as_text(order.this), separator.copy())
    return exp.WithinGroup(this=agg, expression=exp.Order(expressions=order.expressions))


def _boolean(name: str) -> Rule:
    return lambda node: call(name, node.this.copy())


def _extreme(name: str) -> Rule:
    """Where several rows have the extreme, either engine takes the one it meets."""

    def rule(node: exp.Expr) -> exp.Expr:
        if node.args.get("count"):
            raise NotExpressible("the N extremes")
        return call(name, node.this.copy(), node.expression.copy())

    return rule


def _pad(node: exp.Expr) -> exp.Expr:
    name = "lpad" if node.args.get("is_left") else "rpad"
    return call(name, *[node.args[a].copy() for a in ("this", "expression", "fill_pattern")])


def _date_part(arguments: list[exp.Expr]) -> exp.Expr:
    name, value = arguments
    return DATE_RULES["Extract"](exp.Extract(this=exp.Var(this=name.name), expression=value))


def _numbers(node: exp.Expr) -> None:
    for value in node.iter_expressions():
        kind = value.type.this if value.type is not None else None
        types = exp.DataType.Type
        if kind in (types.INTERVAL, types.DATE, types.TIME, types.TIMESTAMPTZ, *TIMES):
            raise NotExpressible(f"{node.key} of dates or times")


PLAIN_RULES: dict[str, Callable[[list[exp.Expr]], exp.Expr]] = {"date_part": _date_part}

RULES: dict[str, Rule] = {
    "LogicalAnd": _boolean("bool_and"), "LogicalOr": _boolean("bool_or"), "Pad": _pad,
    "ArgMax": _extreme("max_by"), "ArgMin": _extreme("min_by"),
    "Avg": _avg, "Cast": _cast, "TryCast": _cast, "Concat": _concat, "ConcatWs": _concat_ws,
    "DPipe": _pipe, "Div": _div, "IntDiv": _int_div, "Mod": _mod, "Round": _round, "Sum": _sum,
    "Median": _median, "Quantile": _quantile, "PercentileCont": _percentile_cont,
    "PercentileDisc": _percentile_disc,
    "Substring": _substring, "Left": _end("left"), "Right": _end("right"),
    "StrPosition": _position, "SplitPart": _split_part, "Replace": _replace, "Like": _like,
    "ILike": _like, "RegexpLike": _regexp_like, "RegexpExtract": _regexp_extract,
    "RegexpReplace": _regexp_replace, "Log": _log, "Sqrt": _sqrt, "Pow": _power,
    "Ln": lambda node: _above_zero("ln", node.this), "GroupConcat": _group_concat,
    "Escape": lambda node: node, **DATE_RULES,
}  # fmt: skip
