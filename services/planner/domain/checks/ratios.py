"""Faults of ratios: whole divisions, means of means, and what a rate is per."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from services.planner.domain.catalogue import Table
from services.planner.domain.checks.asked import lower_words
from services.planner.domain.checks.examples import SHOP
from services.planner.domain.checks.finding import Severity
from services.planner.domain.checks.rule import (
    Answers,
    Example,
    Rule,
    Suspicion,
    Weighed,
    amount,
    certain,
    numbers,
)
from services.planner.domain.checks.statement import Block, Judged
from services.planner.domain.lexicon.names import words_of

_VISIBLE = 0.005
_NO_ENTITIES = frozenset(
    "year quarter month week day hour minute time the all head capita person row record".split()
)
"""What "per" and "over" may be followed by where rows are meant, groups, or a span."""


def _whole_division(judged: Judged) -> Iterator[Suspicion]:
    for block in judged.blocks:
        for node in block.own(exp.IntDiv):
            if node in block.groups:
                continue  # bands of ten, the hour of 1630
            true = exp.Div(this=node.this.copy(), expression=node.expression.copy())
            at = judged.spelled(node)
            fix = judged.changed(node, true)
            yield certain(at, f"{at} drops what is left over", "divide with /", fix)


def _mean_of_means(judged: Judged) -> Iterator[Suspicion]:
    for block in judged.blocks:
        for node in block.own(exp.Avg):
            inner = node.this.unnest()
            if isinstance(inner, exp.Div):
                yield _of_ratio(judged, block, node, inner)
                continue
            source = block.sources.get(inner.table) if isinstance(inner, exp.Column) else None
            if not isinstance(source, Block) or not source.groups:
                continue
            given = source.projection(inner.name)
            if given is not None and isinstance(given.unalias(), exp.Avg):
                yield _of_means(judged, node)


def _of_ratio(judged: Judged, block: Block, node: exp.Avg, ratio: exp.Div) -> Suspicion:
    """A mean of a ratio of two columns, held against the ratio of their sums."""
    over, under = ratio.this.unnest(), ratio.expression.unnest()
    while isinstance(under, exp.Nullif | exp.Cast | exp.Paren):
        under = under.this
    plain = under.find(exp.Column) is not None and not under.find(exp.AggFunc)
    whole = exp.Div(
        this=exp.Sum(this=over.copy()),
        expression=exp.Nullif(this=exp.Sum(this=under.copy()), expression=exp.Literal.number(0)),
    )
    ask = block.asking(node.copy(), whole) if plain else ""

    def weigh(answers: Answers) -> Weighed | None:
        values = numbers(answers)
        if values is None or abs(values[0] - values[1]) <= _VISIBLE * abs(values[1]):
            return None
        return Weighed(
            f"{judged.spelled(node)} gives every row the same weight: {amount(values[0])}, where "
            f"the whole of one over the whole of the other is {amount(values[1])}",
            f"{judged.spelled(whole)}, unless each row counts alike",
            {"mean": values[0], "ratio": values[1]},
        )

    return Suspicion(judged.spelled(node), weigh, (ask,) if ask else ())


def _of_means(judged: Judged, node: exp.Avg) -> Suspicion:
    at = judged.spelled(node)
    return certain(
        at,
        f"{at} is a mean of means: groups of few rows weigh as much as those of many",
        "average the rows themselves, unless each group counts alike",
    )


def _per_what(judged: Judged) -> Iterator[Suspicion]:
    """A sum over a number of rows, where the question says per what it is, and no row is that."""
    if not judged.question:
        return
    words = lower_words(judged.question)
    texts = [
        words[at + 1 : at + 3] for at, word in enumerate(words[:-1]) if word in ("per", "over")
    ]
    grouped = {one for block in judged.blocks for group in block.groups for one in _words_in(group)}
    for block in judged.blocks:
        rows = {_singular(w) for t in block.tables for w in _names_of_rows(t)}
        for node in block.own(exp.Div):
            part, whole = node.this.find(exp.Sum), node.expression.unnest()
            plain = part is not None and isinstance(part.this, exp.Column)
            by_rows = isinstance(whole, exp.Count) and isinstance(whole.this, exp.Star)
            for entity in texts if plain and by_rows else ():
                if not {_singular(w) for w in entity} & (rows | grouped | _NO_ENTITIES):
                    yield certain(
                        judged.spelled(node),
                        f"the question says per {' '.join(entity)}, and {judged.spelled(node)} "
                        f"divides by rows of {', '.join(t.name for t in block.tables)}",
                        "divide by the number that the question names",
                    )


def _names_of_rows(table: Table) -> Iterator[str]:
    """What a row may be called: after its table, or after its first column."""
    for name in (table.name, *(column.name for column in table.columns[:1])):
        yield from words_of(name)


def _words_in(group: exp.Expr) -> Iterator[str]:
    for column in group.find_all(exp.Column):
        yield from map(_singular, words_of(column.name))


def _singular(word: str) -> str:
    return f"{word[:-3]}y" if word.endswith("ies") else word.removesuffix("s")


WHOLE_DIVISION = Rule(
    "A04",
    "whole division",
    Severity.DOUBT,
    "Two whole numbers divided to a whole number: a share of 3 in 4 is 0.",
    _whole_division,
    (
        Example(
            SHOP,
            ("SELECT sum(quantity) // count(*) FROM lines",),
            (
                "SELECT sum(quantity) / count(*) FROM lines",
                "SELECT quantity // 10, count(*) FROM lines GROUP BY 1",
            ),
        ),
    ),
)
MEAN_OF_MEANS = Rule(
    "A03",
    "mean of means",
    Severity.NOTE,
    "A ratio averaged without its weights: a small group counts as much as a large one.",
    _mean_of_means,
    (
        Example(
            SHOP,
            (
                "SELECT avg(unit_price / quantity) FROM lines",
                "SELECT avg(m) FROM (SELECT order_id, avg(quantity) m FROM lines GROUP BY "
                "order_id) t",
            ),
            (
                "SELECT sum(unit_price) / sum(quantity) FROM lines",
                "SELECT avg(q) FROM (SELECT order_id, sum(quantity) q FROM lines GROUP BY "
                "order_id) t",
            ),
        ),
    ),
)
PER_WHAT = Rule(
    "W06",
    "per what",
    Severity.DOUBT,
    "Hits per at bat are not hits per row: a rate is divided by what the question names.",
    _per_what,
    (
        Example(
            {"nests": "nest,site,eggs,hatched\n1,North,6,5\n2,North,4,2\n3,South,5,5\n"},
            ("SELECT site, sum(hatched) / count(*) FROM nests GROUP BY site",),
            ("SELECT site, sum(hatched) / sum(eggs) FROM nests GROUP BY site",),
            question="chicks hatched per egg by site",
        ),
        Example(
            {"nests": "nest,site,eggs,hatched\n1,North,6,5\n2,North,4,2\n3,South,5,5\n"},
            (),
            ("SELECT site, sum(hatched) / count(*) FROM nests GROUP BY site",),
            question="chicks hatched per nest, per site",
        ),
    ),
)
RULES = (WHOLE_DIVISION, MEAN_OF_MEANS, PER_WHAT)
