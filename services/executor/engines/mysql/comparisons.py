"""Comparisons, of values of one kind each."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from services.executor.engines.expressible import NotExpressible
from services.executor.engines.mysql.words import MOMENTS, cast, is_text, kind_of
from services.executor.engines.spellings import comparable

_TYPES = exp.DataType.Type
_TIMES = (_TYPES.DATE, *MOMENTS)


def compared(node: exp.Expr) -> exp.Expr:
    """A comparison, with texts that stand for a time or number made one. Raises NotExpressible."""
    comparable(node)
    ends = [end for end in node.iter_expressions() if isinstance(end, exp.Expr)]
    kinds = {kind_of(end) for end in ends if not isinstance(end, exp.Null)}
    if None in kinds or _TYPES.UNKNOWN in kinds:
        raise NotExpressible("a comparison of a value whose type is not known")
    others = [end for end in ends if not is_text(end) and not isinstance(end, exp.Null)]
    for end in ends if others else ():
        if is_text(end):
            times = any(kind_of(other) in _TIMES for other in others)
            if any(kind_of(other) is _TYPES.BOOLEAN for other in others):
                raise NotExpressible("a text compared with a truth")
            end.replace(cast(_plain(end), "moment") if times else cast(end.copy(), "double"))
    if _TYPES.BOOLEAN in kinds and len(kinds) > 1:
        raise NotExpressible("a truth compared with what is none")
    return node


def _plain(end: exp.Expr) -> exp.Expr:
    bare = end.name.strip().removesuffix("Z")
    return exp.Literal.string(bare)


def distinct_from(node: exp.Expr) -> exp.Expr:
    """IS [NOT] DISTINCT FROM."""
    compared(node)
    same_value: exp.Expr = exp.NullSafeEQ(this=node.this, expression=node.expression)
    if isinstance(node, exp.NullSafeNEQ):
        return exp.paren(exp.Not(this=exp.paren(same_value)))
    return exp.paren(same_value)


def check_alike(node: exp.Expr) -> None:
    """Raises NotExpressible where values of several kinds become those of one column or place.

    DuckDB makes texts of numbers, or numbers of texts; the server does it in a way of its own.
    """
    if isinstance(node, exp.Case):
        _check_kinds([*(one.args["true"] for one in node.args["ifs"]), node.args.get("default")])
    elif isinstance(node, (exp.Coalesce, exp.Nullif)):
        _check_kinds([node.this, node.args.get("expression"), *node.expressions])
    elif isinstance(node, exp.SetOperation):
        for left, right in zip(node.left.selects, node.right.selects, strict=False):
            _check_kinds([left.unalias(), right.unalias()])


def _check_kinds(values: Iterable[exp.Expr | None]) -> None:
    kinds = {_sort(one) for one in values if one is not None and not isinstance(one, exp.Null)}
    kinds.discard("nothing")
    if len(kinds) > 1:
        raise NotExpressible("values of several kinds in one place")


def _sort(value: exp.Expr) -> str:
    kind = kind_of(value)
    if kind is _TYPES.NULL:
        return "nothing"
    if is_text(value):
        return "text"
    if kind in _TIMES:
        return "time"
    return "truth" if kind is _TYPES.BOOLEAN else "number"
