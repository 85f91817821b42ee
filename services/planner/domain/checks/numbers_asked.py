"""Figures of a question: which of them a statement has, as they are written or as they follow."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sqlglot import exp

from services.planner.domain.checks.asked import tokens
from services.planner.domain.checks.statement import Judged
from services.planner.domain.implied_numbers import of_figures
from services.planner.domain.lexicon.tokens import Token
from services.planner.domain.semantics.kinds import Kind, is_time, kind_of

_OF_FORM = frozenset("decimals decimal digits digit places dp confidence".split())
_LATELY = frozenset("last past previous recent next".split())
_PARTS = frozenset("day month year hour week".split())
_SCALE = re.compile(r"\bout of \d+|\bscale (?:of|from) \d+(?: to | ?[-–] ?)\d+|\(\d+ ?[-–] ?\d+\)")
"""How a thing is rated: "out of 10", "(0-10)"."""
_IN_LARGER = {
    "second": (60, 3600),
    "sec": (60,),
    "minute": (60,),
    "min": (60,),
    "hour": (24,),
    "hr": (24,),
    "h": (24,),
    "day": (7, 30, 365),
    "week": (52,),
    "month": (12,),
    "g": (1000,),
    "gram": (1000,),
    "m": (1000,),
    "metre": (1000,),
    "meter": (1000,),
    "cent": (100,),
    "cm": (100,),
}
"""How many of a unit are one of a larger one."""
_STRICT = {exp.GT: -1, exp.GTE: 1, exp.LT: 1, exp.LTE: -1}
"""Of whole numbers "3 or more" is more than 2, "more than 3" is 4 or more: how far the number of a
comparison of this kind lies from the one that is said."""


_YEAR = re.compile(r"(?:19|20)\d\d")
_BOUNDS = {
    "before": (exp.LTE, -1, "12-31"),
    "after": (exp.GTE, 1, "01-01"),
    "until": (exp.LT, 1, "01-01"),
    "till": (exp.LT, 1, "01-01"),
    "through": (exp.LT, 1, "01-01"),
}


def unread_figures(judged: Judged) -> Iterator[Token]:
    """The figures that are nowhere in the statement."""
    written = [node.name for node in judged.tree.find_all(exp.Literal)]
    known = {_plain(text) for text in written} | set(_next_to(judged.tree))
    known |= {str(n) for one in judged.tree.find_all(exp.Array) for n in (1, len(one.expressions))}
    inside = " ".join([*written, *_names(judged.tree)])
    every = tokens(judged.question)
    scales = [match.span() for match in _SCALE.finditer(judged.question)]
    for token in every:
        figure = token.digits and token.number is not None and not token.quoted
        rated = any(start <= token.start < end for start, end in scales)
        if not figure or rated or _is_of_form(judged, every, token):
            continue
        bare = re.escape(token.text.rstrip("kKmMstndrh"))
        decade = judged.question[token.end : token.end + 1] == "s"  # the 80s, the 1980s
        edge = "" if decade else r"(?<!\d)(?:19|20|0*)"  # "24" may be 2024
        found = {_plain(token.text), *_following(judged.question, every, token)} & known
        if found or re.search(edge + bare, inside) or _is_within(judged, token.number or 0.0):
            continue
        if not _ends_beside(judged, every, token) and not _is_all_there_is(
            judged, token.number or 0.0
        ):
            yield token


def _next_to(tree: exp.Expr) -> Iterator[str]:
    """The whole numbers that comparisons stand for beside those that are written in them."""
    for kind, apart in _STRICT.items():
        for node in tree.find_all(kind):
            written = node.expression.unnest()
            if isinstance(written, exp.Literal) and not written.is_string:
                number = _plain(written.name)
                if number.isdigit() and not _YEAR.fullmatch(number):
                    yield str(int(number) - apart)


def _ends_beside(judged: Judged, every: Sequence[Token], token: Token) -> bool:
    """Whether a year is bounded by the one beside it, as its words ask: "before 2020" by the end of
    2019, "after 2020" by the start of 2021, "until 2020" by what comes before that."""
    before = every[token.index - 1].lower if token.index else ""
    kind, apart, day = _BOUNDS.get(before, (None, 0, ""))
    if kind is None or not _YEAR.fullmatch(token.text):
        return False
    beside = str(int(token.text) + apart)
    ends = (node.expression.find(exp.Literal) for node in judged.tree.find_all(kind))
    return any(one is not None and one.name in (beside, f"{beside}-{day}") for one in ends)


def _following(question: str, every: Sequence[Token], token: Token) -> frozenset[str]:
    """What follows from a figure and the word after it."""
    after = every[min(token.index + 1, len(every) - 1)]
    ends = every[min(token.index + 2, len(every) - 1)].end
    numbers = {float(n) for n in of_figures(question[token.start : ends])}
    value = token.number or 0.0
    # The 10th class, the 10th percentile, what comes after nine others.
    numbers |= {value, value / 100, value - 1} if token.ordinal else {value}
    if after.lower in ("pm", "p"):
        numbers.add(value + 12)
    unit = after.lower if after.lower in _IN_LARGER else after.lower.removesuffix("s")
    numbers |= {
        value / many for many in _IN_LARGER.get(unit, ()) if (2 * value / many).is_integer()
    }
    return frozenset(_plain(str(number)) for number in numbers)


def _is_of_form(judged: Judged, every: Sequence[Token], token: Token) -> bool:
    """Whether a figure says how the answer is written, or of a span that dates are written for."""
    after = every[token.index + 1].lower if token.index + 1 < len(every) else ""
    before = every[token.index - 1].lower if token.index else ""
    later = every[token.index + 2].lower if token.index + 2 < len(every) else ""
    spans = after.rstrip("s") in (*_PARTS, "quarter") and (before in _LATELY or later == "ago")
    literals = (node.name for node in judged.tree.find_all(exp.Literal))
    dated = any(re.match(r"\d{4}(-\d\d|$)", text) for text in literals)
    clock = before == ":" and not token.number  # 18:00
    formed = after in _OF_FORM or (after == "%" and later in _OF_FORM)
    return clock or formed or (spans and (dated or judged.tree.find(exp.Max) is not None))


def _is_within(judged: Judged, number: float) -> bool:
    """Whether a number lies between those of a condition: 4 of 3, 4 and 5."""
    for node in judged.tree.find_all(exp.Between):
        ends = [node.args["low"].name, node.args["high"].name]
        numeric = all(end.replace(".", "", 1).isdigit() for end in ends)
        if numeric and float(ends[0]) <= number <= float(ends[1]):
            return True
    return False


def _names(tree: exp.Expr) -> list[str]:
    """The names of the columns and tables of a statement: they may say a year or a month."""
    return [node.name for node in tree.find_all(exp.Column, exp.Table)]


def _is_all_there_is(judged: Judged, year: float) -> bool:
    """Whether dates of a table that is read lie all in the year that a question says."""
    dates = [
        c
        for b in judged.blocks
        for t in b.tables
        for c in t.columns
        if is_time(c) or kind_of(c, t) is Kind.DATE_PART
    ]
    return any((c.minimum or "")[:4] == (c.maximum or "")[:4] == f"{year:.0f}" for c in dates)


def _plain(text: str) -> str:
    """A number without commas and needless noughts."""
    try:
        return f"{float(text.replace(',', '')):g}"
    except ValueError:
        return text
