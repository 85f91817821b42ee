"""Functions of text of DuckDB in the words of MySQL and MariaDB."""

from __future__ import annotations

import re

from sqlglot import exp

from services.executor.engines.expressible import NotExpressible
from services.executor.engines.mysql.words import (
    call,
    cast,
    is_day,
    is_float,
    is_moment,
    is_text,
    is_truth,
    is_whole,
    kind_of,
    known,
    literal_number,
    literal_text,
    number,
    text,
)
from services.executor.engines.regular import has_options, in_pcre, matches_nothing

_ESCAPE = "|"


def as_text(node: exp.Expr) -> exp.Expr:
    """A value written as DuckDB writes it. Raises NotExpressible for floating point and others."""
    if is_text(node) or isinstance(node, exp.Null):
        return node
    if is_truth(node):
        yes = exp.If(this=node.copy(), true=text("true"))
        no = exp.If(this=exp.Not(this=exp.paren(node.copy())), true=text("false"))
        return exp.paren(exp.Case(ifs=[yes, no]))
    if is_moment(node):
        whole = call("date_format", cast(node, "moment"), text("%Y-%m-%d %H:%i:%s.%f"))
        zeros = exp.Trim(this=whole, expression=text("0"), position="TRAILING")
        return exp.Trim(this=zeros, expression=text("."), position="TRAILING")
    if (
        is_day(node)
        or is_whole(node)
        or (
            isinstance(node, exp.Column)
            and not is_float(node)
            and kind_of(node) is exp.DataType.Type.DECIMAL
        )
    ):
        return cast(node, "text")
    raise NotExpressible("text made of a value of this type")


def cased(name: str) -> object:
    """upper and lower."""

    def rule(node: exp.Expr) -> exp.Expr:
        given = as_text(node.this)
        if name == "upper":
            # which has no capital here
            return call("upper", call("replace", given, text("ß"), text("ẞ")))
        return _lowered(given)

    return rule


def _lowered(value: exp.Expr) -> exp.Expr:
    return call("lower", call("replace", value, text("ẞ"), text("ß")))


def like(node: exp.Expr) -> exp.Expr:
    """LIKE without an escape character, unless one is named."""
    if node.parent is not None and isinstance(node.parent, exp.Escape):
        return node
    return exp.Escape(
        this=_liked(node, _of_text(node.this), _escaped(node.expression)),
        expression=text(_ESCAPE),
    )


def _liked(node: exp.Expr, value: exp.Expr, pattern: exp.Expr) -> exp.Expr:
    return exp.Like(this=value, expression=pattern, negate=bool(node.args.get("negate")))


def like_any_case(node: exp.Expr) -> exp.Expr:
    """ILIKE, of both in small letters."""
    if node.parent is not None and isinstance(node.parent, exp.Escape):
        pattern = _lowered(node.expression)
    else:
        pattern = _lowered(_escaped(node.expression))
    folded = _liked(node, _lowered(_of_text(node.this)), pattern)
    if node.parent is not None and isinstance(node.parent, exp.Escape):
        return folded
    return exp.Escape(this=folded, expression=text(_ESCAPE))


def escaped(node: exp.Expr) -> exp.Expr:
    """LIKE with an escape character of its own."""
    if node.args["expression"].name.isalpha():
        raise NotExpressible("a letter that escapes others")
    return node


def _escaped(pattern: exp.Expr) -> exp.Expr:
    return call("replace", pattern, text(_ESCAPE), text(_ESCAPE * 2))


def _of_text(node: exp.Expr) -> exp.Expr:
    if not is_text(node):
        raise NotExpressible("LIKE of what is no text")
    return node


def expression_of(node: exp.Expr | None) -> str:
    """A regular expression that means the same in RE2 and in PCRE."""
    given = literal_text(node, "a regular expression")
    if has_options(given) or re.search(
        r"\\[pPzAQCGBXRhHvVKN]|\[\[:|[*+?}][?+]|\[[^\]]*\\[dwsDWS]", given
    ):
        raise NotExpressible(f"the regular expression {given!r}")
    return in_pcre(given)


def _check_options(node: exp.Expr) -> None:
    if any(node.args.get(name) is not None for name in ("flag", "options", "parameters")):
        raise NotExpressible("options of regular expressions")


def matches(node: exp.Expr) -> exp.Expr:
    """regexp_matches: whether a part of the text matches."""
    _check_options(node)
    pattern = text(expression_of(node.expression))
    return exp.paren(exp.RegexpLike(this=node.this, expression=pattern))


def matches_whole(node: exp.Expr) -> exp.Expr:
    """regexp_full_match and SIMILAR TO."""
    _check_options(node)
    pattern = text(rf"\A(?:{expression_of(node.expression)})\z")
    return exp.paren(exp.RegexpLike(this=node.this, expression=pattern))


def extract_match(node: exp.Expr) -> exp.Expr:
    """regexp_extract: the first match or a group of it, the empty text where there is none."""
    _check_options(node)
    group = node.args.get("group")
    place = literal_number(group, "a group", 0) if group is not None else 0
    pattern = expression_of(node.expression)
    found = call("regexp_substr", node.this, text(pattern))
    if place == 0:
        return found
    if re.search(r"\(\?<|\\[bB]|\^|\$", pattern) or matches_nothing(pattern):
        raise NotExpressible("a group of this regular expression")
    return call("regexp_replace", found, text(pattern), text(rf"\{place}"))


def replace_match(node: exp.Expr) -> exp.Expr:
    """regexp_replace of all matches; the first alone cannot be replaced here."""
    options = literal_text(node.args["modifiers"], "options") if node.args.get("modifiers") else ""
    if options != "g":
        raise NotExpressible("regexp_replace of the first match alone")
    pattern = expression_of(node.expression)
    replacement = node.args.get("replacement") or text("")
    if matches_nothing(pattern) or re.search(
        r"\\[^1-9]", literal_text(replacement, "a replacement")
    ):
        raise NotExpressible("this replacement")
    return call("regexp_replace", node.this, text(pattern), replacement)


def replaced(node: exp.Expr) -> exp.Expr:
    """replace, by what is written out: by NULL the server leaves the empty text as it is."""
    old = literal_text(node.expression, "what is replaced")
    new = literal_text(node.args.get("replacement"), "what it is replaced by")
    return call("replace", node.this, text(old), text(new))


def part_of_text(node: exp.Expr) -> exp.Expr:
    """substring from a place that counts from the left."""
    literal_number(node.args.get("start"), "a place in substring", 1)
    arguments = [_of_text(node.this), node.args["start"]]
    if node.args.get("length") is not None:
        literal_number(node.args["length"], "a length in substring", 0)
        arguments.append(node.args["length"])
    return call("substr", *arguments)


def end_of_text(name: str) -> object:
    """left and right of so many signs."""

    def rule(node: exp.Expr) -> exp.Expr:
        literal_number(node.expression, f"a length in {name}", 0)
        return call(name, _of_text(node.this), node.expression)

    return rule


def part_between(node: exp.Expr) -> exp.Expr:
    """split_part by what is written out; by nothing DuckDB parts the signs from each other."""
    by = literal_text(node.args.get("delimiter"), "what parts a text")
    if not by:
        raise NotExpressible("split_part by nothing")
    place = literal_number(node.args.get("part_index"), "a part of a text", 1)
    value = node.this
    without = call("char_length", call("replace", value.copy(), text(by), text("")))
    gaps = exp.Div(
        this=exp.paren(exp.Sub(this=call("char_length", value.copy()), expression=without)),
        expression=number(len(by)),
    )
    part = call(
        "substring_index",
        call("substring_index", value, text(by), number(place)),
        text(by),
        number(-1),
    )
    has = exp.If(this=exp.GTE(this=exp.paren(gaps), expression=number(place - 1)), true=part)
    filled = exp.If(this=known(value), true=text(""))
    return exp.paren(exp.Case(ifs=[has, filled]))


def found_at(node: exp.Expr) -> exp.Expr:
    """The place of a text in another, zero where it is not."""
    return call("locate", node.args["substr"], _of_text(node.this))


def holds(node: exp.Expr) -> exp.Expr:
    """contains, of text."""
    place = call("locate", node.expression, _of_text(node.this))
    return exp.paren(exp.GT(this=place, expression=number(0)))


def starts_with(value: exp.Expr, start: exp.Expr) -> exp.Expr:
    """Whether a text begins so."""
    size = call("char_length", start.copy())
    return exp.paren(exp.EQ(this=call("left", _of_text(value), size), expression=start))


def ends_with(node: exp.Expr) -> exp.Expr:
    """ends_with."""
    size = call("char_length", node.expression.copy())
    return exp.paren(exp.EQ(this=call("right", node.this, size), expression=node.expression))


def joined(node: exp.Expr) -> exp.Expr:
    """`||` of values as DuckDB writes them."""
    return call("concat", as_text(node.this), as_text(node.expression))


def joined_all(node: exp.Expr) -> exp.Expr:
    """concat and concat_ws pass over NULL."""
    parts = [as_text(_bare(part)) for part in node.expressions]
    if isinstance(node, exp.ConcatWs):
        return call("concat_ws", *parts)
    return call("concat", *(exp.Coalesce(this=part, expressions=[text("")]) for part in parts))


def _bare(node: exp.Expr) -> exp.Expr:
    """The value inside the wrapping that sqlglot adds to keep NULL harmless."""
    if isinstance(node, exp.Coalesce) and len(node.expressions) == 1:
        last = node.expressions[0]
        if isinstance(last, exp.Literal) and last.is_string and not last.this:
            inner: exp.Expr = node.this
            return inner
    return node


def trimmed(node: exp.Expr) -> exp.Expr:
    """trim, ltrim and rtrim, of blanks or of one other sign."""
    signs = node.args.get("expression")
    sign = literal_text(signs, "what is trimmed") if signs is not None else " "
    if len(sign) != 1:
        raise NotExpressible("trimming several signs")
    side = str(node.args.get("position") or "").upper()
    return exp.Trim(this=node.this, expression=text(sign), position=side or "BOTH")


def padded(node: exp.Expr) -> exp.Expr:
    """lpad and rpad."""
    name = "lpad" if node.args.get("is_left") else "rpad"
    fill = node.args.get("fill_pattern") or text(" ")
    literal_number(node.expression, "a length in lpad", 0)
    if not literal_text(fill, "what fills"):
        raise NotExpressible("filling with nothing")
    return call(name, _of_text(node.this), node.expression, fill)


def group_joined(node: exp.Expr) -> exp.Expr:
    """string_agg, of texts in an order that is named."""
    value, by = node.this, node.args.get("separator")
    if isinstance(value, exp.Order):
        order, value = value, value.this
    else:
        raise NotExpressible("string_agg without an order")
    if isinstance(value, exp.Distinct) or not is_text(value):
        raise NotExpressible("string_agg of this")
    separator = literal_text(by, "what stands between texts") if by is not None else ","
    listed = exp.Order(this=value, expressions=order.expressions)
    return exp.GroupConcat(this=listed, separator=text(separator))
