"""Functions of text of DuckDB in PostgreSQL's words."""

from __future__ import annotations

import re

from sqlglot import exp

from services.executor.engines.expressible import NotExpressible
from services.executor.engines.postgres.words import (
    Rule,
    call,
    cast,
    collated,
    is_float,
    is_text,
    literal_number,
    literal_text,
    text,
)
from services.executor.engines.regular import has_options, in_postgres, matches_nothing


def as_text(node: exp.Expr) -> exp.Expr:
    """A value written as DuckDB writes it: floating point always with a point or an exponent."""
    if is_text(node):
        return node
    plain = cast(node, "text")
    if not is_float(node):
        if node.type is None or node.type.this in (
            exp.DataType.Type.UNKNOWN,
            exp.DataType.Type.INTERVAL,
            *exp.DataType.NESTED_TYPES,
        ):
            raise NotExpressible("text made of a value whose type is not known")
        return collated(plain)
    return collated(call("regexp_replace", plain, text(r"^(-?\d+)$"), text(r"\1.0")))


def cased(name: str) -> Rule:
    """upper and lower know letters beyond ASCII in a Unicode collation only."""

    def rule(node: exp.Expr) -> exp.Expr:
        given = cast(node.this, "text")
        if name == "upper":
            given = call("replace", given, text("ß"), text("ẞ"))  # not SS
        return collated(call(name, collated(given, "und-x-icu")))

    return rule


def like(node: exp.Expr) -> exp.Expr:
    """LIKE without an escape character, unless one is named."""
    if node.parent is not None and isinstance(node.parent, exp.Escape):
        return node
    return exp.Escape(this=node.copy(), expression=text(""))


def like_any_case(node: exp.Expr) -> exp.Expr:
    """ILIKE in a Unicode collation."""
    folded = node.copy()
    folded.set("this", collated(node.this, "und-x-icu"))
    return (
        folded
        if isinstance(node.parent, exp.Escape)
        else exp.Escape(this=folded, expression=text(""))
    )


def expression_of(node: exp.Expr | None, *, extracts: bool) -> str:
    """A regular expression that means the same in RE2 and in PostgreSQL."""
    given = literal_text(node, "a regular expression")
    if has_options(given) or re.search(r"\\[pPzAQCGB]|\[\[:|[*+?}]\?|[*+}]\+", given):
        raise NotExpressible(f"the regular expression {given!r}")
    if extracts and "|" in given:
        raise NotExpressible(f"alternatives in the regular expression {given!r}")
    return in_postgres(given)


def _check_options(node: exp.Expr) -> None:
    if any(node.args.get(name) is not None for name in ("flag", "options", "parameters")):
        raise NotExpressible("options of regular expressions")


def matches(node: exp.Expr) -> exp.Expr:
    """regexp_matches: whether a part of the text matches."""
    _check_options(node)
    pattern = expression_of(node.expression, extracts=False)
    return exp.Paren(this=exp.RegexpLike(this=node.this, expression=text(pattern)))


def matches_whole(node: exp.Expr) -> exp.Expr:
    """regexp_full_match and SIMILAR TO."""
    _check_options(node)
    pattern = expression_of(node.expression, extracts=False)
    return exp.Paren(this=exp.RegexpLike(this=node.this, expression=text(f"^(?:{pattern})$")))


def extract_match(node: exp.Expr) -> exp.Expr:
    """regexp_extract: a group of the first match, the empty text where there is none."""
    _check_options(node)
    group = node.args.get("group")
    number = literal_number(group, "a group", 0) if group is not None else 0
    pattern = expression_of(node.expression, extracts=True)
    found = exp.Bracket(
        this=exp.Paren(this=call("regexp_match", node.this, text(f"({pattern})"))),
        expressions=[exp.Literal.number(number + 1)],
        offset=1,
    )
    filled = exp.If(
        this=exp.Not(this=exp.Is(this=node.this.copy(), expression=exp.Null())),
        true=call("coalesce", found, text("")),
    )
    return exp.Paren(this=exp.Case(ifs=[filled]))


def replace_match(node: exp.Expr) -> exp.Expr:
    """regexp_replace: the first match, or all with the option g."""
    options = literal_text(node.args["modifiers"], "options") if node.args.get("modifiers") else ""
    if options not in ("", "g"):
        raise NotExpressible(f"the options {options!r} of regexp_replace")
    pattern = expression_of(node.expression, extracts=True)
    replacement = node.args.get("replacement") or text("")
    if matches_nothing(pattern) or re.search(
        r"\\[^1-9]", literal_text(replacement, "a replacement")
    ):
        raise NotExpressible("this replacement")
    arguments = [node.this, text(pattern), replacement]
    return call("regexp_replace", *arguments, *([text("g")] if options else []))


def part_of_text(node: exp.Expr) -> exp.Expr:
    """substring from a place that counts from the left."""
    literal_number(node.args.get("start"), "a place in substring", 1)
    arguments = [node.this, node.args["start"]]
    if node.args.get("length") is not None:
        literal_number(node.args["length"], "a length in substring", 0)
        arguments.append(node.args["length"])
    return call("substr", *arguments)


def part_between(node: exp.Expr) -> exp.Expr:
    """split_part by what is written out; by nothing DuckDB parts the signs from each other."""
    if not literal_text(node.args.get("delimiter"), "what parts a text"):
        raise NotExpressible("split_part by nothing")
    literal_number(node.args.get("part_index"), "a part of a text", 1)
    return node


def found_at(node: exp.Expr) -> exp.Expr:
    """The place of a text in another, zero where it is not."""
    return cast(call("strpos", node.this, node.args["substr"]), "int8")


def holds(node: exp.Expr) -> exp.Expr:
    """contains, of text."""
    if not is_text(node.this):
        raise NotExpressible("contains of what is not text")
    return exp.Paren(
        this=exp.GT(
            this=call("strpos", node.this, node.expression), expression=exp.Literal.number(0)
        )
    )


def ends_with(node: exp.Expr) -> exp.Expr:
    """ends_with."""
    length = call("length", node.expression.copy())
    return exp.Paren(this=exp.EQ(this=call("right", node.this, length), expression=node.expression))


def joined(node: exp.Expr) -> exp.Expr:
    """`||` of values as DuckDB writes them."""
    return exp.DPipe(this=as_text(node.this), expression=as_text(node.expression), safe=True)


def joined_all(node: exp.Expr) -> exp.Expr:
    """concat and concat_ws pass over NULL."""
    name = "concat_ws" if isinstance(node, exp.ConcatWs) else "concat"
    return collated(call(name, *(as_text(_bare(part)) for part in node.expressions)))


def _bare(node: exp.Expr) -> exp.Expr:
    """The value inside the wrapping that sqlglot adds to keep NULL harmless."""
    if isinstance(node, exp.Coalesce) and len(node.expressions) == 1:
        last = node.expressions[0]
        if isinstance(last, exp.Literal) and last.is_string and not last.this:
            inner: exp.Expr = node.this
            return inner
    return node


def trimmed(node: exp.Expr) -> exp.Expr:
    """trim, ltrim and rtrim."""
    name = {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(
        str(node.args.get("position") or ""), "btrim"
    )
    characters = node.args.get("expression")
    return call(name, node.this, *([characters] if characters is not None else []))


def padded(node: exp.Expr) -> exp.Expr:
    """lpad and rpad."""
    name = "lpad" if node.args.get("is_left") else "rpad"
    fill = node.args.get("fill_pattern") or text(" ")
    return call(name, node.this, cast(node.expression, "int4"), fill)
