"""Faults of ratios: whole divisions, and means of means."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

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

_VISIBLE = 0.005


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
        told = numbers(answers)
        if told is None or abs(told[0] - told[1]) <= _VISIBLE * abs(told[1]):
            return None
        return Weighed(
            f"{judged.spelled(node)} gives every row the same weight: {amount(told[0])}, where the "
            f"whole of one over the whole of the other is {amount(told[1])}",
            f"{judged.spelled(whole)}, unless each row counts alike",
            {"mean": told[0], "ratio": told[1]},
        )

    return Suspicion(judged.spelled(node), weigh, (ask,) if ask else ())


def _of_means(judged: Judged, node: exp.Avg) -> Suspicion:
    at = judged.spelled(node)
    return certain(
        at,
        f"{at} is a mean of means: groups of few rows weigh as much as those of many",
        "average the rows themselves, unless each group counts alike",
    )


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
RULES = (WHOLE_DIVISION, MEAN_OF_MEANS)
