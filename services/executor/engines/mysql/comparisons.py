"""Comparisons, of values of one kind each."""

from __future__ import annotations

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
