"""Pieces that translations into the dialect of MySQL and MariaDB are made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.dialects.mysql import MySQL
from sqlglot.generators.mysql import MySQLGenerator

from services.executor.engines.expressible import NotExpressible

Rule = Callable[[exp.Expr], exp.Expr]
_TYPES = exp.DataType.Type
_UNKNOWN = (_TYPES.UNKNOWN, _TYPES.NULL)
FLOATS = (_TYPES.DOUBLE, _TYPES.FLOAT)
MOMENTS = (_TYPES.TIMESTAMP, _TYPES.DATETIME, _TYPES.TIMESTAMPNTZ)
_WRITTEN = {
    "double": "DOUBLE",
    "signed": "SIGNED",
    "date": "DATE",
    "moment": "DATETIME(6)",
    "text": "CHAR",
}


_MADE = {
    "double": _TYPES.DOUBLE,
    "signed": _TYPES.BIGINT,
    "date": _TYPES.DATE,
    "moment": _TYPES.TIMESTAMP,
    "text": _TYPES.VARCHAR,
}


class As(exp.Expression):
    """CAST to a type that the server has for it; `to` is its own word."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "to": True}


class Raw(exp.Expression):
    """A query in the server's own words; `this` is its text."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True}


class Strict(MySQL):
    """The dialect of a session in which a backslash is a sign like any other."""

    class Tokenizer(MySQL.Tokenizer):
        """Texts stand in single quotes, and two of them are one."""

        QUOTES: ClassVar[list[Any]] = ["'"]
        STRING_ESCAPES: ClassVar[list[str]] = ["'"]
        IDENTIFIERS: ClassVar[list[Any]] = ["`"]

    class Generator(MySQLGenerator):
        """Texts are written as they are, but for their quotes."""

        TRANSFORMS: ClassVar[dict[Any, Any]] = {
            **MySQLGenerator.TRANSFORMS,
            As: lambda generator, node: f"CAST({generator.sql(node, 'this')} AS {node.args['to']})",
            Raw: lambda generator, node: str(node.this),
            exp.RegexpLike: lambda generator, node: (
                f"{generator.sql(node, 'this')} REGEXP {generator.sql(node, 'expression')}"
            ),
            exp.Values: lambda generator, node: generator.unsupported("VALUES"),
        }

        def literal_sql(self, expression: exp.Literal) -> str:
            """A text or a number."""
            if expression.is_string:
                return "'" + expression.name.replace("'", "''") + "'"
            return expression.name

        def ordered_sql(self, expression: exp.Ordered) -> str:
            """A term that says itself where nothing is put."""
            direction = " DESC" if expression.args.get("desc") else ""
            return f"{self.sql(expression, 'this')}{direction}"


def call(name: str, *arguments: exp.Expr) -> exp.Expr:
    """A function of the server's own."""
    return exp.Anonymous(this=name.upper(), expressions=list(arguments))


def cast(node: exp.Expr, kind: str) -> exp.Expr:
    """The value as another type: double, signed, date, moment, text, or decimal(w,s)."""
    made = As(this=node, to=_WRITTEN.get(kind, kind.upper()))
    made.type = exp.DataType(this=_MADE.get(kind, _TYPES.DECIMAL))
    return made


def text(value: str) -> exp.Expr:
    """A literal."""
    return exp.Literal.string(value)


def number(value: object) -> exp.Expr:
    """A literal."""
    return exp.Literal.number(str(value))


def known(node: exp.Expr) -> exp.Expr:
    """Whether the value is there."""
    return exp.Not(this=exp.Is(this=exp.paren(node.copy()), expression=exp.Null()))


def elsewhere(node: exp.Expr) -> exp.Expr:
    """What ends the statement there, at the row where it is reached: DuckDB computes it instead.

    No number is the result of it; that is told as error 1690, of DOUBLE.
    """
    size = call("char_length", node.copy()) if is_text(node) else cast(node.copy(), "double")
    return call("pow", exp.Mul(this=number("0e0"), expression=exp.paren(size)), number(-1))


def only_where(test: exp.Expr, value: exp.Expr, given: exp.Expr) -> exp.Expr:
    """The value where the test holds or nothing is given; otherwise `elsewhere`."""
    fits = exp.If(this=exp.paren(test), true=value)
    absent = exp.If(
        this=exp.Is(this=exp.paren(given.copy()), expression=exp.Null()), true=exp.Null()
    )
    return exp.paren(exp.Case(ifs=[absent, fits], default=elsewhere(given)))


def kind_of(node: exp.Expr) -> exp.DType | None:
    """The type of a value, as far as it is known."""
    while isinstance(node, exp.Paren) and (node.type is None or node.type.this in _UNKNOWN):
        node = node.this
    return node.type.this if node.type is not None else None


def is_float(node: exp.Expr) -> bool:
    """Whether the value is a floating-point number, as far as it is known."""
    return kind_of(node) in FLOATS


def is_whole(node: exp.Expr) -> bool:
    """Whether the value is a whole number, as far as it is known."""
    return kind_of(node) in exp.DataType.INTEGER_TYPES


def is_decimal(node: exp.Expr) -> bool:
    """Whether the value is a decimal number or a whole one, as far as it is known."""
    return kind_of(node) is _TYPES.DECIMAL or is_whole(node)


def is_text(node: exp.Expr) -> bool:
    """Whether the value is text, as far as it is known."""
    return kind_of(node) in exp.DataType.TEXT_TYPES


def is_truth(node: exp.Expr) -> bool:
    """Whether the value is true or false, as far as it is known."""
    return kind_of(node) is _TYPES.BOOLEAN


def is_day(node: exp.Expr) -> bool:
    """Whether the value is a date, as far as it is known."""
    return kind_of(node) is _TYPES.DATE


def is_moment(node: exp.Expr) -> bool:
    """Whether the value is a time of a day, as far as it is known."""
    return kind_of(node) in MOMENTS


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
