"""Texts and patterns of DuckDB statements in Spark's words; see `spark_rules`."""

from __future__ import annotations

import re

from sqlglot import exp

from services.executor.engines.expressible import NotExpressible
from services.executor.engines.regular import has_options, in_java, matches_nothing
from services.executor.engines.spark.casts import as_text
from services.executor.engines.spark.words import (
    Rule,
    call,
    number,
    whole_literal,
)


def joined_all(node: exp.Expr) -> exp.Expr:
    """concat() passes over what is empty, || does not."""
    empty = exp.Literal.string("")
    parts = [
        exp.Coalesce(this=as_text(part), expressions=[empty.copy()]) for part in node.expressions
    ]
    return call("concat", *parts)


def joined(node: exp.Expr) -> exp.Expr:
    """||, which is NULL where a part is."""
    return call("concat", as_text(node.this), as_text(node.expression))


def joined_with(node: exp.Expr) -> exp.Expr:
    """concat_ws."""
    return call("concat_ws", *[as_text(part) for part in node.expressions])


def substring(node: exp.Expr) -> exp.Expr:
    """substring from a place that is written out."""
    start, length = node.args.get("start"), node.args.get("length")
    first = whole_literal(start) if start is not None else None
    if not first:
        raise NotExpressible("a substring that does not begin at a written place")
    count = whole_literal(length) if length is not None else None
    if count is not None and count < 0:
        raise NotExpressible("a substring of a negative length, which goes backwards")
    if length is not None and count is None and first != 1:
        raise NotExpressible("a substring whose length is computed")
    return call("substring", *[part.copy() for part in (node.this, start, length) if part])


def upper(node: exp.Expr) -> exp.Expr:
    """upper, which leaves ß one letter."""
    letters = (exp.Literal.string(letter) for letter in ("ß", "ẞ"))
    return call("upper", call("replace", node.this.copy(), *letters))


def end_of(name: str) -> Rule:
    """left and right of a length that is written out."""

    def rule(node: exp.Expr) -> exp.Expr:
        length = whole_literal(node.expression)
        if length is None or length < 0:
            raise NotExpressible(f"{name} of a computed or negative length")
        return call(name, node.this.copy(), node.expression.copy())

    return rule


def found_at(node: exp.Expr) -> exp.Expr:
    """position and instr."""
    if node.args.get("position"):
        raise NotExpressible("a position after a position")
    return call("instr", node.this.copy(), node.args["substr"].copy())


def part_of_text(node: exp.Expr) -> exp.Expr:
    """split_part."""
    part, delimiter = node.args.get("part_index"), node.args["delimiter"]
    if not isinstance(delimiter, exp.Literal) or not delimiter.name:
        raise NotExpressible("split_part by what is not written out, or by nothing")
    if part is None or not whole_literal(part):
        raise NotExpressible("a part whose number is not written out")
    return call("split_part", node.this.copy(), delimiter.copy(), part.copy())


def replaced(node: exp.Expr) -> exp.Expr:
    """replace, of text by text."""
    return call("replace", *[node.args[a].copy() for a in ("this", "expression", "replacement")])


def like(node: exp.Expr) -> exp.Expr:
    """DuckDB knows no escape sign unless one is named; Spark takes the backslash."""
    pattern = node.expression
    escaped = isinstance(node.parent, exp.Escape)
    if escaped:
        return node
    if not isinstance(pattern, exp.Literal):
        raise NotExpressible("LIKE with a pattern that is computed")
    literally = exp.Literal.string(pattern.name.replace("\\", "\\\\"))
    same = node.copy()
    same.set("expression", literally)
    return same


def java_pattern(expression: str) -> str:
    """The expression in Java's words. Raises NotExpressible for what Java reads otherwise."""
    other = r"\\[pPzZAQCGKkRXhHvVuxNB0-9]|\[\[|\[\^?[^]]*\[|&&|[*+?}]\+|\{,"
    if re.search(other, expression) or has_options(expression):
        raise NotExpressible(f"the regular expression {expression!r}")
    return in_java(expression)


def _pattern(node: exp.Expr | None) -> str:
    if not (isinstance(node, exp.Literal) and node.is_string):
        raise NotExpressible("a regular expression that is computed")
    return java_pattern(node.name)


def matches(node: exp.Expr) -> exp.Expr:
    """regexp_matches."""
    if node.args.get("flag"):
        raise NotExpressible("a regular expression with options")
    return exp.RegexpLike(
        this=node.this.copy(), expression=exp.Literal.string(_pattern(node.expression))
    )


def extract_match(node: exp.Expr) -> exp.Expr:
    """regexp_extract."""
    if node.args.get("parameters"):
        raise NotExpressible("a regular expression with options")
    group = node.args.get("group")
    chosen = whole_literal(group) if group is not None else 0
    if chosen is None:
        raise NotExpressible("a computed group of a regular expression")
    pattern = exp.Literal.string(_pattern(node.expression))
    return call("regexp_extract", node.this.copy(), pattern, number(chosen))


def replace_match(node: exp.Expr) -> exp.Expr:
    """regexp_replace of every match."""
    replacement, flags = node.args.get("replacement"), node.args.get("modifiers")
    if flags is None or flags.name != "g" or not isinstance(replacement, exp.Literal):
        raise NotExpressible("a replacement of the first match only")
    if re.search(r"[$\\]", replacement.name):
        raise NotExpressible("a replacement with references")
    pattern = _pattern(node.expression)
    if matches_nothing(node.expression.name):
        raise NotExpressible("a replacement of what may be nothing")
    literal = exp.Literal.string(pattern)
    return call("regexp_replace", node.this.copy(), literal, replacement.copy())


def padded(node: exp.Expr) -> exp.Expr:
    """lpad and rpad."""
    name = "lpad" if node.args.get("is_left") else "rpad"
    return call(name, *[node.args[a].copy() for a in ("this", "expression", "fill_pattern")])
