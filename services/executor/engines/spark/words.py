"""What the rules of the translation to Spark are written with."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from services.executor.engines.expressible import NotExpressible

Rule = Callable[[exp.Expr], exp.Expr]

_TYPES = exp.DataType.Type
TIMES = (_TYPES.TIMESTAMP, _TYPES.TIMESTAMPNTZ, _TYPES.DATETIME)
"""Types of a date with a time."""

_WHOLE = {_TYPES.TINYINT, _TYPES.SMALLINT, _TYPES.INT, _TYPES.BIGINT, _TYPES.INT128}


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


def call(name: str, *arguments: exp.Expr) -> exp.Expr:
    """A function of Spark's own."""
    return exp.Anonymous(this=name, expressions=list(arguments))


def cast(value: exp.Expr, kind: str, *, trying: bool = False) -> exp.Expr:
    """The value as another type, in Spark's name of it."""
    to = exp.DataType.build(kind, dialect="spark")
    made = exp.TryCast if trying else exp.Cast
    result: exp.Expr = made(this=value.copy(), to=to, safe=trying)
    result.type = to
    return result


def number(value: int) -> exp.Expr:
    """A whole number as a literal."""
    return exp.Literal.number(value) if value >= 0 else exp.Neg(this=exp.Literal.number(-value))


def whole_literal(node: exp.Expr | None) -> int | None:
    """The whole number that is written there, None if none is."""
    sign = 1
    while isinstance(node, (exp.Neg, exp.Paren)):
        sign = -sign if isinstance(node, exp.Neg) else sign
        node = node.this
    if isinstance(node, exp.Literal) and not node.is_string and node.name.isdigit():
        return sign * int(node.name)
    return None


def is_whole(node: exp.Expr) -> bool:
    """Whether the value is a whole number."""
    return node.type is not None and node.type.this in _WHOLE


def is_double(node: exp.Expr) -> bool:
    """Whether the value is a floating-point number."""
    return node.type is not None and node.type.this in (_TYPES.DOUBLE, _TYPES.FLOAT)


def is_decimal(node: exp.Expr) -> bool:
    """Whether the value is a decimal number."""
    return node.type is not None and node.type.this is _TYPES.DECIMAL


def is_text(node: exp.Expr) -> bool:
    """Whether the value is text."""
    return node.type is not None and node.type.this in (_TYPES.VARCHAR, _TYPES.TEXT, _TYPES.CHAR)


def is_date(node: exp.Expr) -> bool:
    """Whether the value is a date without a time."""
    return node.type is not None and node.type.this is _TYPES.DATE


def is_time(node: exp.Expr) -> bool:
    """Whether the value is a date with a time."""
    return node.type is not None and node.type.this in TIMES


def refuse_times(node: exp.Expr) -> None:
    """Raise NotExpressible where a part of the node is a date, a time or an interval."""
    for value in node.iter_expressions():
        kind = value.type.this if value.type is not None else None
        if kind in (_TYPES.INTERVAL, _TYPES.DATE, _TYPES.TIME, _TYPES.TIMESTAMPTZ, *TIMES):
            raise NotExpressible(f"{node.key} of dates or times")
