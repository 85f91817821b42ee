"""Pieces that translations into any database's SQL are made of."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect

from services.executor.engines.expressible import NotExpressible

_TYPES = exp.DataType.Type
_UNKNOWN = (_TYPES.UNKNOWN, _TYPES.NULL)
FLOATS = (_TYPES.DOUBLE, _TYPES.FLOAT)
MOMENTS = (_TYPES.TIMESTAMP, _TYPES.DATETIME, _TYPES.TIMESTAMPNTZ)
_PLACE = re.compile(r"\{(\d)\}")


class Own(exp.Expression):
    """A value in a database's own words: `this` is the text, with `{0}`, `{1}` … in the places of
    `expressions`, where there are any."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "expressions": False}


class Within(exp.Table):
    """A table of a statement that is a query in a database's own words; `sql` is its text."""

    arg_types: ClassVar[dict[str, bool]] = {**exp.Table.arg_types, "sql": True}


def writing(base: type[Dialect]) -> type[Dialect]:
    """A dialect of sqlglot that writes such pieces, too."""
    made: Callable[[Any, Any], str] = _written

    class Generator(base.generator_class):  # type: ignore[name-defined,misc]
        TRANSFORMS: ClassVar[dict[Any, Any]] = {
            **base.generator_class.TRANSFORMS,
            Own: made,
            Within: _selected,
        }

    return type(f"Assay{base.__name__}", (base,), {"Generator": Generator})


def _written(generator: Any, node: Own) -> str:
    cells = [str(generator.sql(one)) for one in node.expressions]
    if not cells:
        return str(node.this)
    return _PLACE.sub(lambda found: cells[int(found[1])], str(node.this))


def _selected(generator: Any, node: Within) -> str:
    joins = "".join(str(generator.sql(join)) for join in node.args.get("joins") or ())
    return f"({node.args['sql']}) AS {generator.sql(node, 'alias')}{joins}"


def own(words: str, *values: exp.Expr, kind: exp.DType | None = None) -> exp.Expr:
    """A value in a database's own words, of that type; the values are taken as they are."""
    made = Own(this=words, expressions=list(values))
    if kind is not None:
        made.type = exp.DataType(this=kind)
    return made


def number(value: object) -> exp.Expr:
    """A literal of a whole number."""
    made = exp.Literal.number(str(value))
    made.type = exp.DataType(this=_TYPES.INT)
    return made


def kind_of(node: exp.Expr) -> exp.DType | None:
    """The type of a value, as far as it is known."""
    while isinstance(node, exp.Paren) and (node.type is None or node.type.this in _UNKNOWN):
        node = node.this
    return node.type.this if node.type is not None else None


def is_nothing(node: exp.Expr) -> bool:
    """Whether the value is NULL whatever there is."""
    return isinstance(node, exp.Null) or kind_of(node) is _TYPES.NULL


def is_float(node: exp.Expr) -> bool:
    """Whether the value is a floating-point number, as far as it is known."""
    return kind_of(node) in FLOATS


def is_whole(node: exp.Expr) -> bool:
    """Whether the value is a whole number, as far as it is known."""
    return kind_of(node) in exp.DataType.INTEGER_TYPES


def is_wide(node: exp.Expr) -> bool:
    """Whether the value is a whole number that 64 bits may not hold."""
    return kind_of(node) is _TYPES.INT128


def is_decimal(node: exp.Expr) -> bool:
    """Whether the value is a decimal number that is not whole by its type."""
    return kind_of(node) is _TYPES.DECIMAL


def is_number(node: exp.Expr) -> bool:
    """Whether the value is a number, as far as it is known."""
    return is_float(node) or is_whole(node) or is_decimal(node)


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


def literal_number(node: exp.Expr | None, what: str) -> int:
    """A whole number that is spelled out. Raises NotExpressible."""
    sign = 1
    while isinstance(node, exp.Paren):
        node = node.this
    if isinstance(node, exp.Neg):
        sign, node = -1, node.this
    if isinstance(node, exp.Literal) and str(node.this).isdigit():
        return sign * int(node.this)
    raise NotExpressible(f"{what} that is not a plain number")
