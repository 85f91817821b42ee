"""Pieces that translations into PostgreSQL's dialect are made of."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from services.executor.engines.expressible import NotExpressible

Rule = Callable[[exp.Expr], exp.Expr]
FLOATS = (exp.DataType.Type.DOUBLE, exp.DataType.Type.FLOAT)


def call(name: str, *arguments: exp.Expr) -> exp.Expr:
    """A function of PostgreSQL's own."""
    return exp.Anonymous(this=name, expressions=list(arguments))


def cast(node: exp.Expr, kind: str) -> exp.Expr:
    """The value as another type."""
    return exp.Cast(this=node, to=exp.DataType.build(kind, dialect="postgres"))


def text(value: str) -> exp.Expr:
    """A literal."""
    return exp.Literal.string(value)


def collated(node: exp.Expr, collation: str = "C") -> exp.Expr:
    """The text under another collation."""
    return exp.Paren(
        this=exp.Collate(
            this=exp.paren(node), expression=exp.Identifier(this=collation, quoted=True)
        )
    )


def is_float(node: exp.Expr) -> bool:
    """Whether the value is a floating-point number, as far as it is known."""
    return node.type is not None and node.type.this in FLOATS


def is_decimal(node: exp.Expr) -> bool:
    """Whether the value is a decimal number or a whole one, as far as it is known."""
    return node.type is not None and (
        node.type.this == exp.DataType.Type.DECIMAL or node.type.this in exp.DataType.INTEGER_TYPES
    )


def is_whole(node: exp.Expr) -> bool:
    """Whether the value is a whole number, as far as it is known."""
    return node.type is not None and node.type.this in exp.DataType.INTEGER_TYPES


def is_text(node: exp.Expr) -> bool:
    """Whether the value is text, as far as it is known."""
    return node.type is not None and node.type.this in exp.DataType.TEXT_TYPES


def literal_text(node: exp.Expr | None, what: str) -> str:
    """The text of a literal. Raises NotExpressible for anything else."""
    if isinstance(node, exp.Literal) and node.is_string:
        return str(node.this)
    raise NotExpressible(f"{what} that is not a plain text")


def literal_number(node: exp.Expr | None, what: str, least: int) -> int:
    """A whole number that is spelled out. Raises NotExpressible."""
    sign = 1
    if isinstance(node, exp.Neg):
        sign, node = -1, node.this
    if isinstance(node, exp.Literal) and not node.is_string and str(node.this).isdigit():
        value = sign * int(node.this)
        if value >= least:
            return value
    raise NotExpressible(f"{what} that is not a plain number of at least {least}")
