"""Means, totals, shares and different things: which are asked for, and which are there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from sqlglot import exp

from services.planner.domain.catalogue import Column, Table
from services.planner.domain.checks.asked import (
    DISTINCT,
    MEAN,
    RATE,
    SHARE,
    TOTAL,
    find_counted_entity,
    find_phrase,
    has,
    lower_words,
    tokens,
)
from services.planner.domain.checks.examples import CATALOGUE_OF_FILMS, SHOP
from services.planner.domain.checks.finding import Severity
from services.planner.domain.checks.rule import Example, Rule, Suspicion, certain
from services.planner.domain.checks.statement import Block, Judged
from services.planner.domain.lexicon.names import words_of
from services.planner.domain.lexicon.tokens import stem
from services.planner.domain.semantics.kinds import Kind, is_flag, kind_of

_MEANS = (
    exp.Avg,
    exp.Median,
    exp.Quantile,
    exp.PercentileCont,
    exp.PercentileDisc,
    exp.Corr,
    exp.Mode,
)
_CALENDAR = frozenset("7 12 24 28 30 31 52 365 366".split())
"""By these a sum is divided for the mean of a day, a week or a month."""
_PERIODS = frozenset("day days week weeks month months year years daily weekly monthly".split())
_OF_ONE = re.compile(r"\bhow (?:much|long|many|far|old|big|heavy)\b.*\b(?:a|an|one)\b")
_UNLIKE = re.compile(
    r"\b(?:how|is|are|more|very) different\b|\bdifferent (?:from|than|to|between)\b"
)
_CHARTS = {"chart", "pie", "plot", "graph"}
"""They show shares of what is counted."""
_SHARED = ("a", "an", "the", "same", "one", "any", "their")
"""After these words "share" is something done."""
_SPANS = (exp.DateDiff, exp.Div)
_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Pow)
_MAY_BE_ADDED = frozenset(
    map(stem, "size length weight mass depth interest discount duration delay".split())
)
_OF_EACH = frozenset(map(stem, "salary wage pay income earnings bmi power size".split()))
"""What each has one of, so that a mean goes without saying."""
_ALL_TOGETHER = TOTAL - {"overall"}
"""Words that ask for a sum; "overall" may as well go with a mean."""


def _other_aggregate(judged: Judged) -> Iterator[Suspicion]:
    if not judged.question:
        return
    yield from _mean_asked(judged)
    yield from _total_asked(judged)
    yield from _share_asked(judged)
    yield from _neither_asked(judged)
    yield from _mixed(judged)
    yield from _different(judged)


def _mean_asked(judged: Judged) -> Iterator[Suspicion]:
    means, totals = has(judged.question, MEAN), has(judged.question, TOTAL)
    if not means or _named(judged, means[0]) or judged.tree.find(exp.AggFunc) is None:
        return
    if not totals and not _averages(judged):
        yield certain(
            means[0], f"the question says {means[0]!r}, and nothing is averaged", "use avg(…)"
        )


def _total_asked(judged: Judged) -> Iterator[Suspicion]:
    question, node = judged.question, judged.tree.find(exp.Avg)
    means, totals = has(question, MEAN), has(question, _ALL_TOGETHER)
    if node is None or (totals and _named(judged, totals[0])):
        return
    outer = _outer(judged)
    first = outer.aggregates[0] if outer is not None and outer.aggregates else None
    if totals and (not means or (_begins_with_total(judged) and isinstance(first, exp.Avg))):
        if not means or not judged.tree.find(exp.Sum, exp.Count):
            yield certain(
                judged.spelled(node),
                f"the question says {totals[0]!r}, and {judged.spelled(node)} is a mean",
                "use sum(…)",
            )
        return
    counted = find_phrase(question, ("how many", "number of"))
    if (
        counted
        and _is_of_amounts(judged, node)
        and not means
        and not totals
        and not has(question, RATE | SHARE)
    ):
        yield certain(
            judged.spelled(node),
            f"the question says {counted!r}, and {judged.spelled(node)} is a mean",
            "use a count or a sum",
        )


def _begins_with_total(judged: Judged) -> bool:
    words = lower_words(judged.question)
    return min(map(words.index, has(judged.question, _ALL_TOGETHER))) < min(
        map(words.index, has(judged.question, MEAN))
    )


def _share_asked(judged: Judged) -> Iterator[Suspicion]:
    words = lower_words(judged.question)
    verbs = {one for one, other in pairwise(words) if other in _SHARED}
    shares = [w for w in has(judged.question, SHARE) if w not in verbs]
    named = {w for c in judged.tree.find_all(exp.Column) for w in words_of(c.name)}
    if not shares or named & (SHARE | RATE) or set(words) & _CHARTS:
        return
    if judged.tree.find(exp.AggFunc) is not None and not _averages(judged):
        yield certain(
            shares[0],
            f"the question says {shares[0]!r}, and nothing is divided by a whole",
            "divide by the whole, or average what is 1 or 0",
        )
    for node in judged.tree.find_all(exp.Div):
        part, whole = _sum_in(node.this), node.expression.unnest()
        rows = isinstance(whole, exp.Count) and isinstance(whole.this, exp.Star)
        if part is not None and rows and not _is_of_flags(judged, part):
            yield certain(
                judged.spelled(node),
                f"{judged.spelled(part)} is divided by a number of rows: that is a mean, no share",
                "divide by the same sum over the whole",
            )


def _sum_in(node: exp.Expr) -> exp.Sum | None:
    found = node.find(exp.Sum)
    plain = found is not None and not found.this.find(exp.Case, exp.Predicate, exp.Cast)
    return found if plain else None


def _neither_asked(judged: Judged) -> Iterator[Suspicion]:
    """A mean of amounts or a sum of what does not add up, where no word asks for either."""
    if has(judged.question, MEAN | TOTAL | RATE):
        return
    of_one = _OF_ONE.search(" ".join(lower_words(judged.question)))
    for block in judged.blocks:
        shares = has(judged.question, SHARE)
        for node in block.aggregates:
            at = judged.spelled(node)
            if isinstance(node, exp.Avg) and not of_one and _is_of_amounts(judged, node):
                yield certain(
                    at,
                    f"{at} is a mean of what adds up, and the question asks for no mean",
                    "use sum(…), or say that the mean is meant",
                )
            if isinstance(node, exp.Sum) and not shares and _is_of_rates(judged, node):
                yield certain(
                    at,
                    f"{at} adds up what is a rate or a score, and the question asks for no total",
                    "use avg(…), or say that the sum is meant",
                )


def _mixed(judged: Judged) -> Iterator[Suspicion]:
    """A mean and a sum that are computed with one another, or one shown and the other ordered
    by."""
    for block in judged.blocks:
        for node in block.own(*_ARITHMETIC):
            one, other = _aggregate_of(node.this), _aggregate_of(node.expression)
            if {type(one), type(other)} == {exp.Avg, exp.Sum} or (
                isinstance(node, exp.Div) and type(one) is exp.Avg and type(other) is exp.Count
            ):
                at = judged.spelled(node)
                yield certain(at, f"{at} computes a mean with a sum or a count", "take the same")
        if not has(judged.question, TOTAL):
            yield from _two_of_one(judged, block)
    yield from _of_a_rate(judged)


def _of_a_rate(judged: Judged) -> Iterator[Suspicion]:
    """A sum, where a number per another is asked for each of a third: "points per game by team"."""
    words = set(lower_words(judged.question))
    rated = "per" in words and words & {"by", "each", "every"} and not words & (MEAN | TOTAL)
    apart = judged.tree.find(exp.Filter, exp.Case, exp.Pivot) is not None
    if rated and not apart and judged.tree.find(exp.Sum) is not None and not _averages(judged):
        yield certain(
            "per", "the question asks for a number per another, and nothing is divided", "divide"
        )


def _two_of_one(judged: Judged, block: Block) -> Iterator[Suspicion]:
    """A mean and a sum of the same, one shown and rows chosen or ordered by the other."""
    sums = {node.this.sql(): node for node in block.own(exp.Sum)}
    for node in block.own(exp.Avg):
        other = sums.get(node.this.sql())
        if other is not None and not isinstance(node.this, exp.Literal):
            at = judged.spelled(node)
            yield certain(
                at,
                f"{at} and {judged.spelled(other)} are of the same, and the question asks for one",
                "take the one that is asked for",
            )
            return


def _different(judged: Judged) -> Iterator[Suspicion]:
    distinct = has(judged.question, DISTINCT)
    unlike = _UNLIKE.search(" ".join(lower_words(judged.question)))
    if (
        distinct
        and not unlike
        and not judged.tree.find(exp.Distinct, exp.Group, exp.Union, exp.Intersect)
    ):
        yield certain(
            distinct[0],
            f"the question says {distinct[0]!r}, and equal values are not left out",
            "use DISTINCT",
        )
    for block in judged.blocks:
        for node in block.aggregates:
            origin = block.origin(node.this) if isinstance(node, exp.Count) else None
            if origin is None or origin.through:
                continue
            repeated = len(block.sources) == 1 and (
                origin.column.distinct < origin.table.rows - origin.column.nulls
            )
            grouped = node.this in block.groups
            if repeated and not grouped and _is_counted(judged, origin.column):
                at = judged.spelled(node)
                yield certain(
                    at,
                    f"{at} counts rows with {origin.column.name}, of which there are "
                    f"{origin.column.distinct:,} different ones",
                    f"count(DISTINCT {origin.column.name})",
                )


def _is_counted(judged: Judged, column: Column) -> bool:
    """Whether the question asks how many there are of what a column is called after."""
    named = {stem(word) for word in words_of(column.name)}
    return bool(named & find_counted_entity(judged.question))


def _averages(judged: Judged) -> bool:
    """Whether anything is averaged, or divided by more than a unit."""
    if judged.tree.find(*_MEANS) is not None:
        return True
    texts = {t.text for t in tokens(judged.question) if t.digits}
    texts |= _CALENDAR if set(lower_words(judged.question)) & _PERIODS else set()
    return any(
        (
            node.expression.find(exp.AggFunc, exp.Column, exp.Subquery, exp.Select) is not None
            or (node.expression.unnest().name in texts and node.this.find(exp.AggFunc) is not None)
        )
        and node.find_ancestor(exp.Sum) is None
        for node in judged.tree.find_all(exp.Div)
    )


def _aggregate_of(node: exp.Expr) -> exp.Expr | None:
    """The aggregate that one side of a computation is, beside units and filters."""
    inner = node.unnest()
    while isinstance(inner, exp.Filter | exp.Cast | exp.Nullif | exp.Round):
        inner = inner.this.unnest()
    if isinstance(inner, exp.Mul):
        parts = [inner.left.unnest(), inner.right.unnest()]
        left = [part for part in parts if not isinstance(part, exp.Literal)]
        return _aggregate_of(left[0]) if len(left) == 1 else None
    return inner if isinstance(inner, exp.AggFunc) else None


def _is_of_amounts(judged: Judged, node: exp.AggFunc) -> bool:
    """Whether an aggregate is over amounts, which add up: a column, or products of columns."""
    columns = _columns(judged, node)
    amounts = [kind_of(c, t) is Kind.AMOUNT for c, t in columns]
    product = node.this.find(exp.Mul) is not None and any(amounts)
    plain = isinstance(node.this, exp.Column) and all(
        kind_of(c, t) in (Kind.AMOUNT, Kind.LEVEL)
        and not {stem(w) for w in words_of(c.name)} & _OF_EACH
        for c, t in columns
    )
    return bool(columns) and not node.this.find(*_SPANS) and (product or plain)


def _is_of_flags(judged: Judged, node: exp.AggFunc) -> bool:
    """Whether an aggregate is over what is 1 or 0, or over a single literal."""
    columns = [block.origin(c) for block in judged.blocks for c in node.this.find_all(exp.Column)]
    flags = any(o is not None and is_flag(o.column) for o in columns)
    return flags or node.this.find(exp.Column) is None


def _is_of_rates(judged: Judged, node: exp.AggFunc) -> bool:
    """Whether an aggregate is over what does not add up: scores, ratios."""
    inner = node.this.unnest()
    if isinstance(inner, exp.Div):
        return inner.expression.find(exp.Column) is not None
    if not isinstance(inner, exp.Column):
        return False
    return any(
        kind_of(c, t) is Kind.INTENSIVE and not {stem(w) for w in words_of(c.name)} & _MAY_BE_ADDED
        for c, t in _columns(judged, node)
    )


def _columns(judged: Judged, node: exp.AggFunc) -> list[tuple[Column, Table]]:
    """The columns of the data that an aggregate is over; none where one of them is computed."""
    found = []
    for block in judged.blocks:
        if node.find_ancestor(exp.Select) is block.select:
            for column in node.this.find_all(exp.Column):
                origin = block.origin(column)
                if origin is None or origin.through:
                    return []
                found.append((origin.column, origin.table))
    return found


def _outer(judged: Judged) -> Block | None:
    return judged.blocks[-1] if judged.blocks else None


def _named(judged: Judged, word: str) -> bool:
    """Whether a column that the statement reads is called by a word: "average_attendance"."""
    return any(word[:3] in column.name.casefold() for column in judged.tree.find_all(exp.Column))


OTHER_AGGREGATE = Rule(
    "W04",
    "another aggregate",
    Severity.DOUBT,
    "The question asks for a mean, a total, a share or different things, and the statement "
    "computes others.",
    _other_aggregate,
    (
        Example(
            SHOP,
            (
                "SELECT sum(freight) FROM orders",
                "SELECT max(freight) FROM orders",
                "SELECT sum(freight) / 12 FROM orders",
            ),
            ("SELECT avg(freight) FROM orders", "SELECT sum(freight) / count(*) FROM orders"),
            question="What is the average freight?",
        ),
        Example(
            SHOP,
            ("SELECT avg(freight) FROM orders",),
            ("SELECT sum(freight) FROM orders",),
            question="What is the total freight?",
        ),
        Example(
            SHOP,
            ("SELECT max(freight) FROM orders", "SELECT sum(freight) FROM orders"),
            ("SELECT median(freight) FROM orders",),
            question="typical freight",
        ),
        Example(
            SHOP,
            (
                "SELECT region, 100.0 * sum(freight) FROM orders GROUP BY region",
                "SELECT region, 100.0 * sum(freight) / count(*) FROM orders GROUP BY region",
            ),
            (
                "SELECT region, 100.0 * sum(freight) / sum(sum(freight)) OVER () FROM orders "
                "GROUP BY region",
            ),
            question="share of freight by region",
        ),
        Example(
            SHOP,
            (
                "SELECT region, avg(freight) FROM orders GROUP BY region ORDER BY sum(freight)",
                "SELECT region, avg(freight) FROM orders GROUP BY region",
            ),
            ("SELECT region, sum(freight) FROM orders GROUP BY region ORDER BY sum(freight)",),
            question="freight by region",
        ),
        Example(
            SHOP,
            ("SELECT product, sum(unit_price) FROM lines GROUP BY product",),
            ("SELECT product, avg(unit_price) FROM lines GROUP BY product",),
            question="unit price by product",
        ),
        Example(
            SHOP,
            ("SELECT avg(quantity) / sum(unit_price) FROM lines",),
            ("SELECT sum(quantity) / sum(unit_price) FROM lines",),
            question="What is the ratio of quantity to price?",
        ),
        Example(
            CATALOGUE_OF_FILMS,
            ("SELECT count(studio) FROM films",),
            ("SELECT count(DISTINCT studio) FROM films",),
            question="How many different studios are there?",
        ),
        Example(
            CATALOGUE_OF_FILMS,
            ("SELECT genre, count(studio) FROM films GROUP BY genre",),
            (
                "SELECT genre, count(DISTINCT studio) FROM films GROUP BY genre",
                "SELECT genre, count(*) FROM films GROUP BY genre",
            ),
            question="How many studios per genre?",
        ),
    ),
)
RULES = (OTHER_AGGREGATE,)
