"""Texts: only what counts characters alike everywhere."""

from __future__ import annotations

from sqlglot import exp

from services.executor.engines.expressible import NotExpressible
from services.executor.pushdown.target import Rule, Target
from services.executor.pushdown.words import is_text, literal_number, literal_text, own

_TYPES = exp.DataType.Type


def _text(value: exp.Expr) -> exp.Expr:
    if not is_text(value):
        raise NotExpressible("a text made of what is none")
    return value


def like(target: Target, node: exp.Expr) -> exp.Expr:
    """LIKE with a pattern that is written out."""
    return _negated(node, target.like(_text(node.this), _pattern(node)))


def _negated(node: exp.Expr, made: exp.Expr) -> exp.Expr:
    """NOT LIKE has one class with LIKE."""
    return exp.paren(exp.Not(this=made)) if node.args.get("negate") else made


def like_any_case(target: Target, node: exp.Expr) -> exp.Expr:
    """ILIKE, of both in lower case. Raises NotExpressible for patterns beyond ASCII."""
    pattern = _pattern(node)
    if not pattern.isascii():
        raise NotExpressible("ILIKE of letters beyond ASCII")
    return _negated(node, target.like(target.cased("lower", _text(node.this)), pattern.lower()))


def _pattern(node: exp.Expr) -> str:
    pattern = literal_text(node.expression, "a pattern")
    if "\\" in pattern or isinstance(node.parent, exp.Escape):
        raise NotExpressible("a pattern with signs that are escaped")
    return pattern


def cased(name: str) -> Rule:
    """upper and lower."""
    return lambda target, node: target.cased(name, _text(node.this))


def length(target: Target, node: exp.Expr) -> exp.Expr:
    """How many characters there are."""
    return target.length(_text(node.this))


def left(target: Target, node: exp.Expr) -> exp.Expr:
    """The first characters."""
    count = literal_number(node.expression, "a length")
    if count < 0:
        raise NotExpressible("a length below zero")
    return target.sliced(_text(node.this), 1, count)


def part_of_text(target: Target, node: exp.Expr) -> exp.Expr:
    """substring, from a place that there is."""
    start = literal_number(node.args.get("start"), "a place in a text")
    given = node.args.get("length")
    count = literal_number(given, "a length") if given is not None else None
    if start < 1 or (count is not None and count < 0):
        raise NotExpressible("a place before the beginning of a text")
    return target.sliced(_text(node.this), start, count)


def joined(target: Target, node: exp.Expr) -> exp.Expr:
    """`||` of texts."""
    del target
    return own("({0} || {1})", _text(node.this), _text(node.expression), kind=_TYPES.VARCHAR)
